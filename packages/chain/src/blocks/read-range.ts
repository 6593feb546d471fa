import type { Block, BlockHeader, Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import type { LogRange } from '../endpoints/log-range.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { BlockRange } from '../errors/suggest-range.ts'
import { ObjectTexts } from '../json-rpc/cut-lists.ts'
import { type LogFilter, logsOfBlockRequest, logsRequest } from '../json-rpc/requests.ts'
import { EMPTY_BLOOM, readBloom, readHeader } from '../json-rpc/rpc-block.ts'
import { byBlockNumber, inLogOrder, type PlacedLog, readLogs } from '../json-rpc/rpc-log.ts'
import { readArray } from '../json-rpc/rpc-value.ts'
import { blockAssembler, emptyBlock } from './assemble-block.ts'
import { explainBlooms } from './explain-blooms.ts'
import { fetchBlocks, headerRequest, missingBlock } from './fetch-blocks.ts'
import type { BloomClaim } from './logs-bloom.ts'

export interface ReadRangeOptions {
  topics: readonly Hex[]
  bloomClaims: (logsBloom: Hex) => BloomClaim
  logsWithoutTransaction: boolean
}

/**
 * Reads as much of a range as one eth_getLogs brings, with the blocks that have logs and the boundary headers, all from
 * one endpoint and checked against each other.
 */
export async function readRange(
  session: Session,
  asked: BlockRange,
  options: ReadRangeOptions,
): Promise<{ from: number; to: number; blocks: Block[] }> {
  const fetched = await fetchLogs(session, session.endpoint.topicRange, { topics: options.topics }, asked)
  const { from, to, first, last } = fetched
  await confirmEnd(session, fetched, options)
  const byBlock = once(() => byBlockNumber(fetched.logs()))
  const assemble = blockAssembler({ ...options, inconsistent: session.inconsistent })
  const blocks = new Map<number, Block>([
    [from, emptyBlock(first)],
    [to, emptyBlock(last)],
  ])
  await fetchBlocks(session, fetched.blockNumbers, (block) => {
    const { number, hash } = block.header
    const boundary = blocks.get(number)
    if (boundary && boundary.hash !== hash) {
      throw session.inconsistent(`two blocks ${number}: ${boundary.hash} and ${hash}`)
    }
    blocks.set(number, assemble(block, byBlock().get(number) ?? []))
  })
  const unfetched = [...byBlock().keys()].find((number) => !blocks.has(number))
  if (unfetched !== undefined) throw session.inconsistent(`logs of block ${unfetched} that tell two numbers`)
  return { from, to, blocks: [...blocks.values()].sort((a, b) => a.number - b.number) }
}

/**
 * A backend that lags, or one that silently cuts long answers, leaves the end of the range out. Where the last block's
 * bloom allows for our logs and none came, the block's own hash is asked: only a backend that has it can answer.
 */
async function confirmEnd(
  session: Session,
  { blockNumbers, last, lastBloom }: FetchedLogs,
  { topics, bloomClaims }: ReadRangeOptions,
): Promise<void> {
  if (blockNumbers.includes(last.number) || bloomClaims(lastBloom) === 'none') return
  const { results } = await session.ask([logsOfBlockRequest({ topics }, last.hash)])
  if (readArray(results[0], 'logs').length > 0)
    throw session.inconsistent(`a range without the logs of block ${last.number}`)
  if (bloomClaims(lastBloom) === 'strong') await explainBlooms(session, [{ ...last, logsBloom: lastBloom }], { topics })
}

export interface FetchedLogs extends BlockRange {
  /** The blocks that have some of the logs, ascending. */
  blockNumbers: number[]
  /**
   * In log order, each once, all inside the range. Read when first asked for: until their blocks are there they are
   * better kept as text. @throws where they are not what was asked for
   */
  logs(): PlacedLog[]
  first: BlockHeader
  last: BlockHeader
  /** The logsBloom of `last`. */
  lastBloom: Hex
}

/** Logs from `asked.from` on, as far as the node gives them at once: what it refuses is asked again, smaller. */
export function fetchLogs(
  session: Session,
  sizes: LogRange,
  filter: LogFilter,
  asked: BlockRange,
): Promise<FetchedLogs> {
  return askShrinking(sizes, asked, async (range) => {
    const { first, last, bytes, ...found } = await askLogs(session, filter, range)
    if (!last) throw missingBlock(session, range.to)
    if (!first) throw missingBlock(session, range.from)
    sizes.served(range.to - range.from + 1, bytes)
    return { ...found, first, last }
  })
}

/** The same of a node that may lack the blocks at the range's ends. */
export function fetchSparseLogs(
  session: Session,
  sizes: LogRange,
  filter: LogFilter,
  asked: BlockRange,
): Promise<Pick<FetchedLogs, 'from' | 'to' | 'logs'>> {
  return askShrinking(sizes, asked, async (range) => {
    const { bytes, ...found } = await askLogs(session, filter, range)
    sizes.served(range.to - range.from + 1, bytes)
    return found
  })
}

/** Asks for as much as the node is known to give at once, and again for less where it refuses. */
async function askShrinking<T>(sizes: LogRange, asked: BlockRange, ask: (range: BlockRange) => Promise<T>): Promise<T> {
  let to = Math.min(asked.to, asked.from + sizes.blocks() - 1)
  for (let refusals = 0; ; refusals++) {
    const range = { from: asked.from, to }
    try {
      return await ask(range)
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      sizes.refused(range, error.verdict)
      const { verdict } = error
      if (verdict.kind !== 'range' || verdict.to === null || !verdict.sure) throw error
      // Proposals that shrink by a hair are followed a few times only.
      to = refusals < 4 ? verdict.to : Math.min(verdict.to, range.from + ((range.to - range.from) >> 1))
    }
  }
}

interface AskedLogs extends Omit<FetchedLogs, 'first' | 'last'> {
  /** Null: the node does not have the block. */
  first: BlockHeader | null
  last: BlockHeader | null
  bytes: number
}

async function askLogs(session: Session, filter: LogFilter, { from, to }: BlockRange): Promise<AskedLogs> {
  const { results, bytes } = await session.ask([
    logsRequest(filter, { from, to }),
    headerRequest(to),
    headerRequest(from),
  ])
  const [last, first] = [readHeader(results[1]), readHeader(results[2])]
  for (const [header, number] of [
    [first, from],
    [last, to],
  ] as const) {
    if (header && header.number !== number)
      throw session.inconsistent(`asked for block ${number}, got ${header.number}`)
  }
  if (from === to && first?.hash !== last?.hash) throw session.inconsistent(`two blocks ${from}`)
  const logs = once(() => inLogOrder(checkedLogs(session, results[0], { from, to }, { first, last })))
  const told = toldNumbers(results[0], from, to) ?? logs().map(({ blockNumber }) => blockNumber)
  const blockNumbers = [...new Set(told)].sort((a, b) => a - b)
  const lastBloom = last ? readBloom(results[1]) : EMPTY_BLOOM
  return { from, to, blockNumbers, logs, first, last, lastBloom, bytes }
}

/** Logs of a range, whose ends' blocks are known where the node has them. */
function checkedLogs(
  session: Session,
  result: unknown,
  { from, to }: BlockRange,
  { first, last }: Pick<AskedLogs, 'first' | 'last'>,
): PlacedLog[] {
  const logs = readLogs(result, () => {
    throw session.inconsistent('a removed log')
  })
  for (const { blockNumber, blockHash } of logs) {
    if (blockNumber < from || blockNumber > to)
      throw session.inconsistent(`a log of block ${blockNumber} outside ${from} to ${to}`)
    const boundary = blockNumber === from ? first : blockNumber === to ? last : null
    if (boundary && boundary.hash !== blockHash)
      throw session.inconsistent(`a log of block ${blockNumber} is of ${blockHash}`)
  }
  return logs
}

/** The blocks that logs say to be of, repeated; null where the logs must be read to tell, or to tell what is wrong. */
function toldNumbers(result: unknown, from: number, to: number): number[] | null {
  if (!(result instanceof ObjectTexts)) return null
  const numbers: number[] = []
  for (let i = 0; i < result.count; i++) {
    const number = Number(result.field(i, 'blockNumber'))
    if (!(number >= from && number <= to)) return null
    numbers.push(number)
  }
  return numbers
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
