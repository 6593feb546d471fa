import type { Address, Hex } from '@dexfeed/dex'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import { inLogOrder, type PlacedLog } from '../json-rpc/rpc-log.ts'
import { type BranchEnd, confirmBranch } from './confirm-branch.ts'
import { fetchLogs, fetchSparseLogs } from './fetch-logs.ts'

export interface LookBackFilter {
  addresses: readonly Address[]
  topics: readonly Hex[]
  from: number
  to: number
  /** The branch of the blocks that may still change; without it none may. */
  branch?: BranchEnd
  /** The node may lack blocks, as one that holds only recorded ones; else an end of the range that is not there throws. */
  sparse?: boolean
}

/** Nodes get slow, or refuse, with longer lists. */
const ADDRESSES_PER_QUESTION = 500

/** All logs of the filter, in as many questions as the nodes want, in log order. No addresses: no logs. */
export async function lookBack(pool: EndpointPool, filter: LookBackFilter): Promise<PlacedLog[]> {
  const logs: PlacedLog[] = []
  for (let i = 0; i < filter.addresses.length; i += ADDRESSES_PER_QUESTION) {
    const addresses = filter.addresses.slice(i, i + ADDRESSES_PER_QUESTION)
    logs.push(...(await lookBackAt(pool, { ...filter, addresses })))
  }
  return inLogOrder(logs)
}

/** The newest part comes first, so that each is known to be of the branch of the one above it. */
async function lookBackAt(pool: EndpointPool, filter: LookBackFilter): Promise<PlacedLog[]> {
  const { topics, addresses, branch } = filter
  const logs: PlacedLog[] = []
  const first = branch === undefined ? filter.to + 1 : Math.max(branch.from, filter.from)
  let hash = branch?.hash ?? null
  for (let to = filter.to; hash !== null && to >= first; ) {
    const range = { from: first, to }
    const what = `logs of ${addresses.length} addresses in blocks ${first} to ${to}`
    const end: Hex = hash
    const part = await pool.run({ what, priority: 'live', method: 'eth_getLogs' }, (session) =>
      confirmBranch(session, range, { topics, addresses }, end),
    )
    logs.push(...part.logs)
    hash = part.parentHash
    to = part.from - 1
  }
  const fetch = filter.sparse === true ? fetchSparseLogs : fetchLogs
  for (let from = filter.from; from < first; ) {
    const rest = { from, to: first - 1 }
    const what = `logs of ${addresses.length} addresses in blocks ${from} to ${rest.to}`
    const part = await pool.run({ what, priority: 'bulk', method: 'eth_getLogs' }, (session) =>
      fetch(session, session.endpoint.addressRange, { topics, addresses }, rest),
    )
    logs.push(...part.logs())
    from = part.to + 1
  }
  return logs
}
