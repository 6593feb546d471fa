import type { Address, BlockHeader, BlockRange, Hex } from '@dexfeed/dex'
import type { EndpointPool, Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { headerRequest, type LogFilter, logsRequests, responseCount } from '../json-rpc/messages.ts'
import { readBloom } from '../json-rpc/rpc-block.ts'
import { inLogOrder, type PlacedLog, readFoundLogs } from '../json-rpc/rpc-log.ts'
import type { BlockProof } from './block-proof.ts'
import { type BloomClaim, bloomCheck, confirmNoLogs } from './confirm-no-logs.ts'
import { fetchLogs, fetchSparseLogs } from './fetch-logs.ts'
import { expectHeader } from './read-header.ts'

export interface BranchEnd {
  from: number
  hash: Hex
}

interface BranchLogs {
  from: number
  logs: PlacedLog[]
  /** The next part, below this one, must end with this block. */
  parentHash: Hex
}

const MAX_BLOCKS = 50

/**
 * Reads the logs of a range's newest blocks, as many blocks as one response can hold.
 *
 * @throws ChainInconsistent if the blocks are not on the branch that ends with hash `end`
 */
async function confirmBranch(
  session: Session,
  { from, to }: BlockRange,
  filter: LogFilter,
  end: Hex,
): Promise<BranchLogs> {
  const { addressRange } = session.endpoint
  let first = Math.max(from, to - Math.min(MAX_BLOCKS, addressRange.blocks) + 1)
  for (;;) {
    const range = { from: first, to }
    try {
      return await fetchBranch(session, range, filter, end)
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      addressRange.refused(range, error.verdict)
      if (error.verdict.kind !== 'range' || !error.verdict.sure || first === to) throw error
      first = to - ((to - first) >> 1)
    }
  }
}

async function fetchBranch(
  session: Session,
  { from, to }: BlockRange,
  filter: LogFilter,
  end: Hex,
): Promise<BranchLogs> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const requested = await session.request([...logsRequests(filter, { from, to }), ...numbers.map(headerRequest)])
  const found = requested.results.slice(0, responseCount(filter))
  const results = requested.results.slice(found.length)
  const headers = numbers.map((number, i) => expectHeader(session, number, results[i]))
  checkBranch(session, headers, end)
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  const logs = readFoundLogs(found, filter, session.inconsistent)
  for (const { blockNumber, blockHash } of logs) {
    if (hashes.get(blockNumber) !== blockHash)
      throw session.inconsistent(`a log of ${blockHash}, requested blocks ${from} to ${to}`)
  }
  const withLogs = new Set(logs.map(({ blockNumber }) => blockNumber))
  const empty = headers
    .map((header, i) => ({ header, logsBloom: readBloom(results[i]) }))
    .filter(({ header }) => !withLogs.has(header.number))
  await confirmNoLogs(session, empty, filter, bloomClaimsOf(filter))
  return { from, logs, parentHash: headers[0]?.parentHash ?? end }
}

function checkBranch(session: Session, headers: readonly BlockHeader[], end: Hex): void {
  headers.forEach(({ number, hash }, i) => {
    const expected = headers[i + 1]?.parentHash ?? end
    if (hash !== expected) throw session.inconsistent(`block ${number} is ${hash}, not ${expected}`)
  })
}

function bloomClaimsOf({ topics, addresses = [] }: LogFilter): (logsBloom: Hex) => BloomClaim {
  const ofAddresses = bloomCheck(addresses)
  const ofTopics = bloomCheck(topics)
  return (logsBloom) => (topics.length > 0 && ofTopics(logsBloom) === 'none' ? 'none' : ofAddresses(logsBloom))
}

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
