import type { BlockHeader, BlockRange, Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { headerRequest, type LogFilter, logsRequests, responseCount } from '../json-rpc/messages.ts'
import { readBloom } from '../json-rpc/rpc-block.ts'
import { type PlacedLog, readFoundLogs } from '../json-rpc/rpc-log.ts'
import { confirmNoLogs } from './confirm-no-logs.ts'
import { type BloomClaim, bloomCheck } from './logs-bloom.ts'
import { expectHeader } from './read-header.ts'

export interface BranchEnd {
  from: number
  hash: Hex
}

export interface BranchLogs {
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
export async function confirmBranch(
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
