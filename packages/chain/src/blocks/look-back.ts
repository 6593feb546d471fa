import type { Address, Hex } from '@dexfeed/dex'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { LogFilter } from '../json-rpc/messages.ts'
import { inLogOrder, type PlacedLog } from '../json-rpc/rpc-log.ts'
import type { BlockProof } from './block-proof.ts'
import { type BranchEnd, confirmBranch } from './confirm-branch.ts'
import { fetchLogs, fetchSparseLogs } from './fetch-logs.ts'

interface LookBackFilter {
  addresses: readonly Address[]
  topics: readonly Hex[]
  from: number
  to: number
  /** The branch of the blocks that may still change. If unset, all blocks are final. */
  branch?: BranchEnd
  /** Accept nodes that lack some blocks, such as a node with recorded blocks. */
  sparse?: boolean
  secondOpinion?: boolean
}

/**
 * Returns, in log order, all logs from any of the addresses with any of the topics. Without topics, every topic
 * matches; without addresses, no log does.
 */
export type LogsOf = (filter: LookBackFilter) => Promise<PlacedLog[]>

/** With longer lists of addresses, nodes become slow or refuse the request. */
const ADDRESSES_PER_REQUEST = 500

type LogProof = Pick<BlockProof, 'logs' | 'anchor'>

export async function lookBack(pool: EndpointPool, proof: LogProof, filter: LookBackFilter): Promise<PlacedLog[]> {
  const logs: PlacedLog[] = []
  for (let i = 0; i < filter.addresses.length; i += ADDRESSES_PER_REQUEST) {
    const addresses = filter.addresses.slice(i, i + ADDRESSES_PER_REQUEST)
    logs.push(...(await lookBackAt(pool, proof, { ...filter, addresses })))
  }
  return inLogOrder(logs)
}

/** Reads blocks that may still change from the newest down: each part must end with the parent of the part above it. */
async function lookBackAt(pool: EndpointPool, proof: LogProof, filter: LookBackFilter): Promise<PlacedLog[]> {
  const { topics, addresses, branch, secondOpinion = false } = filter
  const requested: LogFilter = { topics, addresses }
  const logs: PlacedLog[] = []
  const first = branch === undefined ? filter.to + 1 : Math.max(branch.from, filter.from)
  let hash = branch?.hash ?? null
  for (let to = filter.to; hash !== null && to >= first; ) {
    const range = { from: first, to }
    const what = `logs of ${addresses.length} addresses in blocks ${first} to ${to}`
    const end: Hex = hash
    const part = await pool.run({ what, priority: 'live', method: 'eth_getLogs' }, async (session) => {
      const read = await confirmBranch(session, range, requested, end)
      await proof.logs.confirmLogs(
        session,
        { from: read.from, to: range.to },
        { logs: read.logs, end, filter: requested },
      )
      return read
    })
    logs.push(...part.logs)
    hash = part.parentHash
    to = part.from - 1
  }
  for (let from = filter.from; from < first; ) {
    const rest = { from, to: first - 1 }
    const what = `logs of ${addresses.length} addresses in blocks ${from} to ${rest.to}`
    const operation = { what, priority: 'bulk', method: 'eth_getLogs', leastPreferredFirst: secondOpinion } as const
    const part = await pool.run(operation, async (session) => {
      if (filter.sparse === true) return fetchSparseLogs(session, session.endpoint.addressRange, requested, rest)
      const reading = fetchLogs(session, session.endpoint.addressRange, requested, rest)
      const [read] = await Promise.all([reading, proof.anchor.check(session, rest.to)])
      await proof.logs.confirmLogs(session, read, { logs: read.logs(), end: read.last.hash, filter: requested })
      return read
    })
    logs.push(...part.logs())
    from = part.to + 1
  }
  return logs
}
