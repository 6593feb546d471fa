import type {
  Address,
  Block,
  BlockPoint,
  BlockRange,
  CoveredRange,
  PoolCreation,
  PricedMove,
  PricedTrade,
  ReferenceBook,
} from '@dexfeed/dex'
import type { HistoryCommit, UnconfirmedDenial } from '@dexfeed/store'
import { spansWithout } from '../blocks/block-ranges.ts'
import type { BlockProcessor, PreparedBlocks, Processed, SkippedBlock } from '../blocks/process-blocks.ts'
import { type RangePart, type RangeSource, readAhead, readParts } from '../blocks/read-ahead.ts'
import { KeysNotFound } from '../pools/manager-search.ts'
import type { PoolCache } from '../pools/pool-cache.ts'
import { KeysNotFoundYet } from '../pools/pool-registry.ts'

/** Trades per transaction: enough to be fast, few enough to bound memory and lost work. */
const TARGET_TRADES = 5_000
/** Lower for replaced rows, because new heads wait for each of these transactions. */
export const REPLACED_TRADES = 1_000
/** Write a smaller batch after this time, so that a failure on a slow node loses little. */
const WRITE_EVERY_MS = 250

export interface HistoryStore {
  commitHistory(commit: HistoryCommit): Promise<void>
}

export interface CoverRangeDependencies {
  chain: RangeSource
  store: HistoryStore
  known: PoolCache
  processor: BlockProcessor
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  onCommit(commit: HistoryCommit): void
  targetTrades?: number
}

interface Batch extends CoveredRange {
  covered: CoveredRange[]
  awaiting: SkippedBlock[]
  denied: UnconfirmedDenial[]
  trades: PricedTrade[]
  creations: PoolCreation[]
  moves: PricedMove[]
  pools: Set<Address>
}

interface PartPoints extends BlockRange {
  blocks: readonly BlockPoint[]
}

type MissingKeys = KeysNotFound | KeysNotFoundYet

/**
 * Covers final blocks in several transactions; while one writes its rows, the next blocks are fetched and priced. Blocks
 * whose pool keys are not found are recorded as waiting. While keys are still searched for, later blocks are not covered.
 * @throws KeysNotFound or KeysNotFoundYet after the other blocks are covered, an error from the chain or the database,
 * or the signal's reason
 */
export async function coverRange(
  dependencies: CoverRangeDependencies,
  range: BlockRange,
  signal: AbortSignal,
): Promise<void> {
  const { chain, processor, bookBefore, targetTrades = TARGET_TRADES } = dependencies
  let missingKeys: MissingKeys | null = null
  let book: ReferenceBook | null = null
  let batch: Batch | null = null
  let writtenAt = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()
  try {
    const prepare = (part: RangePart) => preparePart(dependencies, part, signal)
    for await (const { part, prepared, error } of readAhead(chain, range, prepare)) {
      signal.throwIfAborted()
      missingKeys ??= error
      book ??= await bookBefore(endsOf(part).first)
      batch = addTo(batch, part, processor.price(prepared, book))
      const isLast = part.to === range.to || error instanceof KeysNotFoundYet
      const isDue = batch.trades.length >= targetTrades || performance.now() - writtenAt >= WRITE_EVERY_MS
      if (!isLast && !isDue) continue
      await writing
      signal.throwIfAborted()
      writtenAt = performance.now()
      writing = write(dependencies, batch)
      // The rejection surfaces where `writing` is awaited.
      writing.catch(() => undefined)
      batch = null
      if (isLast) break
    }
  } finally {
    await writing
  }
  if (missingKeys !== null) throw missingKeys
}

/** Leaves out the blocks whose keys are missing, and returns that error. */
async function preparePart(
  { chain, processor }: CoverRangeDependencies,
  { blocks, ...range }: RangePart,
  signal: AbortSignal,
): Promise<{ part: PartPoints; prepared: PreparedBlocks; error: MissingKeys | null }> {
  try {
    const prepared = await processor.prepare(blocks, 'latest', { signal })
    return { part: { ...range, blocks: blocks.map(pointOf) }, prepared, error: null }
  } catch (error) {
    if (!(error instanceof KeysNotFound || error instanceof KeysNotFoundYet)) throw error
    const left = { deferKeys: true, signal }
    const { skipped } = await processor.prepare(blocks, 'latest', left)
    const whole = await withBlocksBetween(chain, blocks, skipped)
    const prepared = await processor.prepare(whole, 'latest', left)
    return { part: { ...range, blocks: whole.map(pointOf) }, prepared, error }
  }
}

function pointOf({ number, timestamp }: Block): BlockPoint {
  return { number, timestamp }
}

/** Adds the blocks without logs between skipped ones, so that they count as covered. */
async function withBlocksBetween(
  chain: RangeSource,
  blocks: readonly Block[],
  skipped: readonly SkippedBlock[],
): Promise<Block[]> {
  const added: Block[] = []
  for (const [index, { number }] of skipped.entries()) {
    const between = { from: number + 1, to: (skipped[index + 1]?.number ?? number) - 1 }
    if (between.to < between.from || blocks.some((block) => between.from <= block.number && block.number <= between.to))
      continue
    for (const part of await readParts(chain, between)) added.push(...part.blocks)
  }
  return [...blocks, ...added].sort((a, b) => a.number - b.number)
}

function addTo(batch: Batch | null, part: PartPoints, processed: Processed): Batch {
  const { trades, moves, creations, events, skipped, denied } = processed
  const { first, last } = endsOf(part)
  const grown: Omit<Batch, 'to' | 'toTime'> = batch ?? {
    from: first.number,
    fromTime: first.timestamp,
    covered: [],
    awaiting: [],
    denied: [],
    trades: [],
    creations: [],
    moves: [],
    pools: new Set(),
  }
  const left = skipped.map(({ number }) => number)
  for (const span of spansWithout(part.blocks, left)) {
    const before = grown.covered.at(-1)
    if (before?.to === span.from - 1) Object.assign(before, { to: span.to, toTime: span.toTime })
    else grown.covered.push(span)
  }
  for (const block of skipped) grown.awaiting.push(block)
  for (const denial of denied) grown.denied.push(denial)
  for (const trade of trades) grown.trades.push(trade)
  for (const creation of creations) grown.creations.push(creation)
  for (const move of moves) grown.moves.push(move)
  for (const block of events) for (const { pool } of block.events) grown.pools.add(pool)
  return { ...grown, to: last.number, toTime: last.timestamp }
}

function endsOf({ blocks, from, to }: PartPoints) {
  const first = blocks[0]
  const last = blocks.at(-1)
  if (first === undefined || last === undefined) throw new Error(`range ${from}-${to} came back without its ends`)
  return { first, last }
}

async function write({ store, known, onCommit }: CoverRangeDependencies, { pools, ...batch }: Batch): Promise<void> {
  onCommit(await known.saveWith(pools, batch, (commit) => store.commitHistory(commit)))
}
