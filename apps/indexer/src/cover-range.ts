import type { Chain } from '@dexfeed/chain'
import type { Address, ReferenceBook } from '@dexfeed/dex'
import type { IndexerStore, RangeCommit } from '@dexfeed/store'
import type { BlockRange } from './missing-ranges.ts'
import type { PoolRegistry } from './pool-registry.ts'
import type { BlockProcessor } from './process-blocks.ts'
import { type RangePart, readAhead } from './read-ahead.ts'

export interface CoverRangeDependencies {
  chain: Pick<Chain, 'readRange'>
  store: Pick<IndexerStore, 'commit'>
  registry: PoolRegistry
  processor: BlockProcessor
  bookBefore(block: { number: number; timestamp: number }): Promise<ReferenceBook>
  committed(commit: RangeCommit): void
}

/**
 * Covers a range of final blocks, a transaction for each part that the node gives at once. Fetching, processing and
 * writing go on side by side: part n is written while n + 1 is processed and n + 2 fetched. What is written before a
 * failure stays covered.
 *
 * @returns the trades found
 */
export async function coverRange(dependencies: CoverRangeDependencies, range: BlockRange): Promise<number> {
  const { chain, processor, bookBefore } = dependencies
  let book: ReferenceBook | null = null
  let found = 0
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const part of readAhead(chain, range)) {
      const { first, last } = endsOf(part)
      book ??= await bookBefore(first)
      const { trades, events } = await processor.process(part.blocks, book, 'latest')
      const pools = new Set(events.flatMap((block) => block.events.map(({ pool }) => pool)))
      await writing
      found += trades.length
      const span = { from: first.number, to: last.number, fromTime: first.timestamp, toTime: last.timestamp }
      writing = write(dependencies, { ...span, trades }, pools)
      // Awaited with the next part or at the end.
      writing.catch(() => undefined)
    }
  } finally {
    await writing
  }
  return found
}

function endsOf({ blocks, from, to }: RangePart) {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (first === undefined || last === undefined) throw new Error(`range ${from}-${to} came back without its ends`)
  return { first, last }
}

type Rows = Pick<RangeCommit, 'from' | 'to' | 'fromTime' | 'toTime' | 'trades'>

async function write(
  { store, registry, committed }: CoverRangeDependencies,
  rows: Rows,
  pools: Iterable<Address>,
): Promise<void> {
  const unsaved = registry.unsaved(pools)
  const commit: RangeCommit = { ...rows, ...unsaved, live: null }
  await store.commit(commit)
  registry.markSaved(unsaved)
  committed(commit)
}
