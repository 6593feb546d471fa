import type { BackfillResult } from '@dexfeed/contract'
import {
  type BlockHeader,
  type BlockPoint,
  type BlockRange,
  countBlocks,
  missingRanges,
  type ReferenceBook,
  sharedRanges,
} from '@dexfeed/dex'
import { type HistoryCommit, RangeAlreadyCovered } from '@dexfeed/store'
import type { BlockProcessor } from '../blocks/process-blocks.ts'
import type { RangeSource } from '../blocks/read-ahead.ts'
import { type DayCounters, withRightCounters } from '../days/with-right-counters.ts'
import type { IndexerLog } from '../loops/loop.ts'
import { KeysNotFound } from '../pools/manager-search.ts'
import type { PoolCache } from '../pools/pool-cache.ts'
import { coverRange, type HistoryStore, REPLACED_TRADES } from './cover-range.ts'

interface FinalSource extends RangeSource {
  knowFinal(block: BlockHeader): void
}

interface BackfillStore extends HistoryStore, DayCounters {
  networkRow(): Promise<{ finalNumber: number | null } | null>
  reorgableBlocks(): Promise<BlockHeader[]>
  coveredRanges(): Promise<BlockRange[]>
  oldRanges(): Promise<BlockRange[]>
  renew(commit: HistoryCommit): Promise<void>
}

export interface BackfillContext {
  known: PoolCache
  processor: BlockProcessor
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
}

export interface BackfillDependencies {
  chain: FinalSource
  store: BackfillStore
  context: BackfillContext
  log: IndexerLog
  onCommit(commit: HistoryCommit): void
}

/** The follower indexes the blocks above the last final block. */
class BlocksNotFinal extends Error {
  override readonly name = 'BlocksNotFinal'
  readonly retryable = false

  constructor(to: number, finalNumber: number | null) {
    super(`block ${to} is not final yet (${finalNumber === null ? 'none is' : `the last that is: ${finalNumber}`})`)
  }
}

/**
 * Runs one backfill job: covers the missing final blocks of a range, then replaces rows that older rules made. What was
 * committed before a failure stays. The returned `ms` excludes the wait for reference prices, mostly of a process's
 * first job.
 * @throws BlocksNotFinal, or KeysNotFound or KeysNotFoundYet after all other blocks are covered
 */
export async function backfillRange(
  dependencies: BackfillDependencies,
  range: BlockRange,
  signal: AbortSignal,
): Promise<BackfillResult> {
  const { chain, store, context, log } = dependencies
  const started = performance.now()
  let waited = 0
  const finalNumber = (await store.networkRow())?.finalNumber ?? null
  if (finalNumber === null || range.to > finalNumber) throw new BlocksNotFinal(range.to, finalNumber)
  const [known] = await store.reorgableBlocks()
  if (known !== undefined && known.number <= finalNumber) chain.knowFinal(known)
  const result = { blocks: 0, trades: 0, ms: 0 }
  const onCommit = (commit: HistoryCommit) => {
    result.blocks += countBlocks(commit.covered ?? [commit])
    result.trades += commit.trades.length
    dependencies.onCommit(commit)
    log.debug({ from: commit.from, to: commit.to, trades: commit.trades.length }, 'covered')
  }
  const bookBefore = async (block: BlockPoint) => {
    const since = performance.now()
    const book = await context.bookBefore(block)
    waited += performance.now() - since
    return book
  }
  let unfound: KeysNotFound | null = null
  for (let left = range; ; ) {
    signal.throwIfAborted()
    const part = await nextPart(store, left)
    if (part === null) break
    try {
      await coverRange({ chain, ...context, bookBefore, onCommit, ...part.writing }, part.range, signal)
    } catch (error) {
      // The blocks left in this part wait for keys: continue below it.
      if (error instanceof KeysNotFound) {
        unfound = error
        left = { from: range.from, to: part.range.from - 1 }
      }
      // Another worker committed some of these blocks first: look again for what is missing.
      else if (!(error instanceof RangeAlreadyCovered)) throw error
    }
  }
  if (unfound !== null) throw unfound
  return { ...result, ms: Math.round(performance.now() - started - waited) }
}

/** Returns the newest missing range or, without one, the newest range made by older rules, and how to write it. */
async function nextPart(store: BackfillStore, range: BlockRange) {
  const missing = missingRanges(range, await store.coveredRanges()).at(-1)
  if (missing !== undefined) return { range: missing, writing: { store } }
  const old = sharedRanges(await store.oldRanges(), range).at(-1)
  if (old === undefined) return null
  const commitHistory = (rows: HistoryCommit) => withRightCounters(store, rows, () => store.renew(rows))
  return { range: old, writing: { store: { commitHistory }, targetTrades: REPLACED_TRADES } }
}
