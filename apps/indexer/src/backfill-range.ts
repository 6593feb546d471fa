import type { Chain } from '@dexfeed/chain'
import type { BackfillResult } from '@dexfeed/contract'
import type { ReferenceBook } from '@dexfeed/dex'
import { type IndexerStore, RangeAlreadyCovered, type RangeCommit } from '@dexfeed/store'
import type { IndexerLog } from './indexer-log.ts'
import { type BlockRange, missingRanges } from './missing-ranges.ts'
import type { NetworkContext } from './network-context.ts'

export interface BackfillDependencies {
  chain: Pick<Chain, 'readRange'>
  store: Pick<IndexerStore, 'commit' | 'coveredRanges' | 'networkRow'>
  context: Pick<NetworkContext, 'registry' | 'processor' | 'bookBefore'>
  log: IndexerLog
  committed(commit: RangeCommit): void
}

/** Blocks that the chain may still take back are the follower's. */
export class BlocksNotFinal extends Error {
  override readonly name = 'BlocksNotFinal'
  readonly retryable = false

  constructor(to: number, finalNumber: number | null) {
    super(`block ${to} is not final yet (${finalNumber === null ? 'none is' : `the last that is: ${finalNumber}`})`)
  }
}

/**
 * Covers what is missing of a range of final blocks: the work of one backfill job. Writes rows, never pool state.
 * Every part that the node serves at once is committed at once; parts that another covers meanwhile are left to it.
 *
 * @throws BlocksNotFinal, or what chain and database throw
 */
export async function backfillRange(
  dependencies: BackfillDependencies,
  range: BlockRange,
  signal: AbortSignal,
): Promise<BackfillResult> {
  const { store } = dependencies
  const started = performance.now()
  const finalNumber = (await store.networkRow())?.finalNumber ?? null
  if (finalNumber === null || range.to > finalNumber) throw new BlocksNotFinal(range.to, finalNumber)
  const result = { blocks: 0, trades: 0, ms: 0 }
  for (;;) {
    const missing = missingRanges(range, await store.coveredRanges()).at(-1)
    if (missing === undefined) return { ...result, ms: Math.round(performance.now() - started) }
    try {
      for await (const { from, to, trades } of cover(dependencies, missing, signal)) {
        result.blocks += to - from + 1
        result.trades += trades.length
      }
    } catch (error) {
      // Another was there first: what is left is looked up again.
      if (!(error instanceof RangeAlreadyCovered)) throw error
    }
  }
}

/** Commits a range from its first block on, in as many parts as the node serves it in. */
async function* cover(
  { chain, store, context, log, committed }: BackfillDependencies,
  { from, to }: BlockRange,
  signal: AbortSignal,
): AsyncGenerator<RangeCommit> {
  const { registry, processor, bookBefore } = context
  let book: ReferenceBook | null = null
  for (let next = from; next <= to; ) {
    signal.throwIfAborted()
    const { blocks } = await chain.readRange(next, to)
    const [first, last] = [blocks[0], blocks.at(-1)]
    if (first === undefined || last === undefined) throw new Error(`range ${next}-${to} came back without its ends`)
    book ??= await bookBefore(first)
    const { trades, events } = await processor.process(blocks, book, 'latest')
    const unsaved = registry.unsaved(events.flatMap((block) => block.events.map(({ pool }) => pool)))
    const ends = { from: first.number, to: last.number, fromTime: first.timestamp, toTime: last.timestamp }
    const commit: RangeCommit = { ...ends, trades, ...unsaved, live: null }
    signal.throwIfAborted()
    await store.commit(commit)
    registry.markSaved(unsaved)
    committed(commit)
    log.debug({ from: ends.from, to: ends.to, trades: trades.length }, 'covered')
    yield commit
    next = last.number + 1
  }
}
