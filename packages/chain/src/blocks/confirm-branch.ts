import type { BlockHeader, Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { BlockRange } from '../errors/suggest-range.ts'
import { type LogFilter, logsOfBlockRequest, logsRequest } from '../json-rpc/requests.ts'
import { readBloom, readHeader } from '../json-rpc/rpc-block.ts'
import { byBlockNumber, type PlacedLog, readLogs } from '../json-rpc/rpc-log.ts'
import { readArray } from '../json-rpc/rpc-value.ts'
import { explainBlooms } from './explain-blooms.ts'
import { headerRequest, missingBlock } from './fetch-blocks.ts'
import { bloomCheck } from './logs-bloom.ts'

/** The blocks from a number on up to one with this hash. */
export interface BranchEnd {
  from: number
  hash: Hex
}

export interface BranchLogs {
  from: number
  logs: PlacedLog[]
  /** Of block `from`: what the part below must end with. */
  parentHash: Hex
}

type SeenHeader = BlockHeader & { logsBloom: Hex }

/** Headers that are asked for together. */
const MOST_BLOCKS = 50

/**
 * Logs of the newest blocks of a range near the head, as many as one answer brings. Blocks and logs must be of the
 * branch that ends with a hash, and a block whose bloom claims logs of the filter is not believed to have none.
 */
export async function confirmBranch(
  session: Session,
  { from, to }: BlockRange,
  filter: LogFilter,
  end: Hex,
): Promise<BranchLogs> {
  const { addressRange } = session.endpoint
  let first = Math.max(from, to - Math.min(MOST_BLOCKS, addressRange.blocks()) + 1)
  for (;;) {
    const range = { from: first, to }
    try {
      return await askBranch(session, range, filter, end)
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      addressRange.refused(range, error.verdict)
      if (error.verdict.kind !== 'range' || !error.verdict.sure || first === to) throw error
      first = to - ((to - first) >> 1)
    }
  }
}

async function askBranch(session: Session, { from, to }: BlockRange, filter: LogFilter, end: Hex): Promise<BranchLogs> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const { results } = await session.ask([logsRequest(filter, { from, to }), ...numbers.map(headerRequest)])
  const headers = numbers.map((number, i) => expectHeader(session, number, results[i + 1]))
  checkBranch(session, headers, end)
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  const logs = readLogs(results[0], () => {
    throw session.inconsistent('a removed log')
  })
  for (const { blockNumber, blockHash } of logs) {
    if (hashes.get(blockNumber) !== blockHash)
      throw session.inconsistent(`a log of ${blockHash}, asked for blocks ${from} to ${to}`)
  }
  const byBlock = byBlockNumber(logs)
  await confirmQuiet(
    session,
    headers.filter(({ number }) => !byBlock.has(number)),
    filter,
  )
  return { from, logs, parentHash: headers[0]?.parentHash ?? end }
}

function expectHeader(session: Session, number: number, result: unknown): SeenHeader {
  const header = readHeader(result)
  if (header === null) throw missingBlock(session, number)
  if (header.number !== number) throw session.inconsistent(`asked for block ${number}, got ${header.number}`)
  return { ...header, logsBloom: readBloom(result) }
}

function checkBranch(session: Session, headers: readonly BlockHeader[], end: Hex): void {
  headers.forEach(({ number, hash }, i) => {
    const expected = headers[i + 1]?.parentHash ?? end
    if (hash !== expected) throw session.inconsistent(`block ${number} is ${hash}, not ${expected}`)
  })
}

/** Blocks without logs of the filter, though their blooms claim some, are asked by their own hash, and doubted still. */
async function confirmQuiet(session: Session, quiet: readonly SeenHeader[], filter: LogFilter): Promise<void> {
  const { topics, addresses = [] } = filter
  const [ofAddresses, ofTopics] = [bloomCheck(addresses), bloomCheck(topics)]
  const claimed = quiet.filter(
    ({ logsBloom }) => ofAddresses(logsBloom) !== 'none' && (topics.length === 0 || ofTopics(logsBloom) !== 'none'),
  )
  if (claimed.length === 0) return
  const { results } = await session.ask(claimed.map(({ hash }) => logsOfBlockRequest(filter, hash)))
  claimed.forEach(({ number }, i) => {
    if (readArray(results[i], 'logs').length > 0)
      throw session.inconsistent(`a range without the logs of block ${number}`)
  })
  const doubted = claimed.filter(({ logsBloom }) => ofAddresses(logsBloom) === 'strong')
  if (doubted.length > 0) await explainBlooms(session, doubted, filter)
}
