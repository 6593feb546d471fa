import type { Chain } from '@dexfeed/chain'
import type { Address, BlockPoint, BlockRange, CoveredRange, PricedTrade, ReferenceBook } from '@dexfeed/dex'
import type { IndexerStore, RangeCommit } from '@dexfeed/store'
import type { BlockProcessor } from '../blocks/process-blocks.ts'
import { type RangePart, readAhead } from '../blocks/read-ahead.ts'
import type { KnownPools } from '../pools/known-pools.ts'

/** Trades of one transaction to aim at: large enough to be fast, small enough to be little memory and work lost. */
const TARGET_TRADES = 10_000
/** A transaction is made at least this often while there are rows: what a slow node gave need not be fetched again. */
const WRITE_EVERY_MS = 250

export interface CoverRangeDependencies {
  chain: Pick<Chain, 'readRange'>
  store: Pick<IndexerStore, 'commit'>
  known: KnownPools
  processor: BlockProcessor
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  onCommit(commit: RangeCommit): void
}

/** Rows of adjacent parts that are written together. */
interface Batch extends CoveredRange {
  trades: PricedTrade[]
  pools: Set<Address>
}

/**
 * Covers a range of final blocks in several transactions. Fetching, asking about new pools, pricing and writing go on side
 * by side: while rows are written, the next blocks are priced and those after them fetched. What is written before a
 * failure stays covered.
 *
 * @throws what chain and database throw, and the signal's reason once it aborts
 */
export async function coverRange(
  dependencies: CoverRangeDependencies,
  range: BlockRange,
  signal: AbortSignal,
): Promise<void> {
  const { chain, processor, bookBefore } = dependencies
  let book: ReferenceBook | null = null
  let batch: Batch | null = null
  let writtenAt = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()
  try {
    const prepare = async (part: RangePart) => ({
      part,
      prepared: await processor.prepare(part.blocks, 'latest', { signal }),
    })
    for await (const { part, prepared } of readAhead(chain, range, prepare)) {
      signal.throwIfAborted()
      book ??= await bookBefore(endsOf(part).first)
      const { trades, events } = processor.price(prepared, book)
      batch = addTo(batch, part, trades)
      for (const block of events) for (const { pool } of block.events) batch.pools.add(pool)
      const isDue = batch.trades.length >= TARGET_TRADES || performance.now() - writtenAt >= WRITE_EVERY_MS
      if (part.to < range.to && !isDue) continue
      await writing
      signal.throwIfAborted()
      writtenAt = performance.now()
      writing = write(dependencies, batch)
      // Awaited before the next one is written, or at the end.
      writing.catch(() => undefined)
      batch = null
    }
  } finally {
    await writing
  }
}

function addTo(batch: Batch | null, part: RangePart, trades: readonly PricedTrade[]): Batch {
  const { first, last } = endsOf(part)
  const grown: Omit<Batch, 'to' | 'toTime'> = batch ?? {
    from: first.number,
    fromTime: first.timestamp,
    trades: [],
    pools: new Set(),
  }
  for (const trade of trades) grown.trades.push(trade)
  return { ...grown, to: last.number, toTime: last.timestamp }
}

function endsOf({ blocks, from, to }: RangePart) {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (first === undefined || last === undefined) throw new Error(`range ${from}-${to} came back without its ends`)
  return { first, last }
}

async function write({ store, known, onCommit }: CoverRangeDependencies, { pools, ...batch }: Batch): Promise<void> {
  onCommit(await known.saveWith(pools, { ...batch, live: null }, (commit) => store.commit(commit)))
}
