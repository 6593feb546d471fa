import type { Address, Hex } from '@dexfeed/dex'
import type { EndpointPool } from './endpoint-pool.ts'
import { fetchLogs, fetchSparseLogs } from './read-range.ts'
import { inLogOrder, type PlacedLog } from './rpc-log.ts'

export interface LookBackFilter {
  addresses: readonly Address[]
  topics: readonly Hex[]
  from: number
  to: number
  /** Ends of the range that the node lacks are no trouble. */
  sparse?: boolean
}

/** Nodes get slow, or refuse, with longer lists. */
const ADDRESSES_PER_QUESTION = 500

/** All logs of the filter, in as many questions as the nodes want, in log order. No addresses: no logs. */
export async function lookBack(pool: EndpointPool, filter: LookBackFilter): Promise<PlacedLog[]> {
  const logs: PlacedLog[] = []
  for (let i = 0; i < filter.addresses.length; i += ADDRESSES_PER_QUESTION) {
    const addresses = filter.addresses.slice(i, i + ADDRESSES_PER_QUESTION)
    for (let from = filter.from; from <= filter.to; ) {
      const rest = { from, to: filter.to }
      const what = `logs of ${addresses.length} addresses in blocks ${from} to ${filter.to}`
      const part = await pool.run({ what, priority: 'bulk', method: 'eth_getLogs' }, (session) =>
        filter.sparse === true
          ? fetchSparseLogs(session, session.endpoint.addressRange, { topics: filter.topics, addresses }, rest)
          : fetchLogs(session, session.endpoint.addressRange, { topics: filter.topics, addresses }, rest),
      )
      logs.push(...part.logs())
      from = part.to + 1
    }
  }
  return inLogOrder(logs)
}
