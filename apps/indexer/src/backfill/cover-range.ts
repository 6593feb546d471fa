import type { Chain } from '@dexfeed/chain'
import type { Address, Block, BlockPoint, BlockRange, CoveredRange, PricedTrade, ReferenceBook } from '@dexfeed/dex'
import type { IndexerStore, RangeCommit, UnconfirmedDenial } from '@dexfeed/store'
import { spansWithout } from '../blocks/block-ranges.ts'
import type { BlockProcessor, PreparedBlocks, Processed, SkippedBlock } from '../blocks/process-blocks.ts'
import { type RangePart, readAhead, readParts } from '../blocks/read-ahead.ts'
import { KeysNotFound } from '../pools/manager-search.ts'
import type { PoolCache } from '../pools/pool-cache.ts'
import { KeysNotFoundYet } from '../pools/pool-registry.ts'

/** Trades of one transaction to aim at: large enough to be fast, small enough to be little memory and work lost. */
const TARGET_TRADES = 5_000
/** A transaction is made at least this often while there are rows: what a slow node gave need not be fetched again. */
const WRITE_EVERY_MS = 250

export interface CoverRangeDependencies {
  chain: Pick<Chain, 'readRange'>
  store: Pick<IndexerStore, 'commit'>
  known: PoolCache
  processor: BlockProcessor
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  onCommit(commit: RangeCommit): void
}

/** Rows of adjacent parts that are written together. */
interface Batch extends CoveredRange {
  /** Without the blocks that wait for keys. */
  covered: CoveredRange[]
  awaiting: SkippedBlock[]
  denied: UnconfirmedDenial[]
  trades: PricedTrade[]
  pools: Set<Address>
}

/** A part without what was read of its blocks: the parts that wait for their turn are little memory. */
interface PartPoints extends BlockRange {
  blocks: readonly BlockPoint[]
}

/** Keys of pools were not found: the blocks that need them are left out. */
type Unfound = KeysNotFound | KeysNotFoundYet

/**
 * Covers a range of final blocks in several transactions. Fetching, asking about new pools, pricing and writing go on side
 * by side: while rows are written, the next blocks are priced and those after them fetched. What is written before a
 * failure stays covered.
 *
 * Blocks that need keys which the search did not find in time are left out, and noted as waiting; while the search still
 * goes on, so is what follows them.
 *
 * @throws KeysNotFound, KeysNotFoundYet (when the rest is covered), what chain and database throw, and the signal's
 * reason once it aborts
 */
export async function coverRange(
  dependencies: CoverRangeDependencies,
  range: BlockRange,
  signal: AbortSignal,
): Promise<void> {
  const { chain, processor, bookBefore } = dependencies
  let unfound: Unfound | null = null
  let book: ReferenceBook | null = null
  let batch: Batch | null = null
  let writtenAt = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()
  try {
    const prepare = (part: RangePart) => preparePart(dependencies, part, signal)
    for await (const { part, prepared, error } of readAhead(chain, range, prepare)) {
      signal.throwIfAborted()
      unfound ??= error
      book ??= await bookBefore(endsOf(part).first)
      batch = addTo(batch, part, processor.price(prepared, book))
      const isLast = part.to === range.to || error instanceof KeysNotFoundYet
      const isDue = batch.trades.length >= TARGET_TRADES || performance.now() - writtenAt >= WRITE_EVERY_MS
      if (!isLast && !isDue) continue
      await writing
      signal.throwIfAborted()
      writtenAt = performance.now()
      writing = write(dependencies, batch)
      // Awaited before the next one is written, or at the end.
      writing.catch(() => undefined)
      batch = null
      if (isLast) break
    }
  } finally {
    await writing
  }
  if (unfound !== null) throw unfound
}

/** Asks for what the blocks of a part need; those whose keys are not found come back skipped, with the reason. */
async function preparePart(
  { chain, processor }: CoverRangeDependencies,
  { blocks, ...range }: RangePart,
  signal: AbortSignal,
): Promise<{ part: PartPoints; prepared: PreparedBlocks; error: Unfound | null }> {
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

/** Adds blocks between skipped ones where none is at hand, since nothing there has logs: what lies between is covered. */
async function withBlocksBetween(
  chain: Pick<Chain, 'readRange'>,
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

function addTo(batch: Batch | null, part: PartPoints, { trades, events, skipped, denied }: Processed): Batch {
  const { first, last } = endsOf(part)
  const grown: Omit<Batch, 'to' | 'toTime'> = batch ?? {
    ...{ from: first.number, fromTime: first.timestamp },
    ...{ covered: [], awaiting: [], denied: [], trades: [], pools: new Set() },
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
  for (const block of events) for (const { pool } of block.events) grown.pools.add(pool)
  return { ...grown, to: last.number, toTime: last.timestamp }
}

function endsOf({ blocks, from, to }: PartPoints) {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (first === undefined || last === undefined) throw new Error(`range ${from}-${to} came back without its ends`)
  return { first, last }
}

async function write({ store, known, onCommit }: CoverRangeDependencies, { pools, ...batch }: Batch): Promise<void> {
  onCommit(await known.saveWith(pools, { ...batch, live: null }, (commit) => store.commit(commit)))
}
