import type { ReadRange } from '@dexfeed/chain'
import type { BackfillResult } from '@dexfeed/contract'
import {
  type BlockHeader,
  type BlockPoint,
  type BlockRange,
  countBlocks,
  missingRanges,
  sharedRanges,
} from '@dexfeed/dex'
import { type HistoryCommit, type IndexerStore, RangeAlreadyCovered } from '@dexfeed/store'
import type { NetworkContext } from '../blocks/network-context.ts'
import { withRightCounters } from '../days/with-right-counters.ts'
import type { IndexerLog } from '../loops/loop.ts'
import { KeysNotFound } from '../pools/manager-search.ts'
import { coverRange, REPLACED_TRADES } from './cover-range.ts'

export interface BackfillDependencies {
  chain: { readRange: ReadRange; knowFinal(block: BlockHeader): void }
  store: Pick<
    IndexerStore,
    | 'commitHistory'
    | 'renew'
    | 'coveredRanges'
    | 'oldRanges'
    | 'daysOf'
    | 'recountDay'
    | 'networkRow'
    | 'reorgableBlocks'
  >
  context: Pick<NetworkContext, 'known' | 'processor' | 'bookBefore'>
  log: IndexerLog
  onCommit(commit: HistoryCommit): void
}

/** Blocks that may still be rolled back belong to the follower. */
class BlocksNotFinal extends Error {
  override readonly name = 'BlocksNotFinal'
  readonly retryable = false

  constructor(to: number, finalNumber: number | null) {
    super(`block ${to} is not final yet (${finalNumber === null ? 'none is' : `the last that is: ${finalNumber}`})`)
  }
}

/**
 * Does one backfill job: indexes the missing blocks of a range of final blocks, and then those whose rows older rules
 * made, which it replaces. It writes rows, never pool state. What was committed before a failure stays covered. Parts
 * that another worker does meanwhile are skipped. The time of the result leaves out the wait for reference prices,
 * because most of that wait comes once per process.
 *
 * @throws BlocksNotFinal. KeysNotFound or KeysNotFoundYet once the rest is covered. Errors of chain and database
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
  // The lowest stored block is the last final one.
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
      // Blocks further down do not depend on the missing keys.
      if (error instanceof KeysNotFound) [unfound, left] = [error, { from: range.from, to: part.range.from - 1 }]
      // Another worker was first: read again what is still missing.
      else if (!(error instanceof RangeAlreadyCovered)) throw error
    }
  }
  if (unfound !== null) throw unfound
  return { ...result, ms: Math.round(performance.now() - started - waited) }
}

/** Returns the newest missing blocks of a range, else the newest with rows of older rules, and how to write them. */
async function nextPart(store: BackfillDependencies['store'], range: BlockRange) {
  const missing = missingRanges(range, await store.coveredRanges()).at(-1)
  if (missing !== undefined) return { range: missing, writing: { store } }
  const old = sharedRanges(await store.oldRanges(), range).at(-1)
  if (old === undefined) return null
  const commitHistory: typeof store.commitHistory = (rows) => withRightCounters(store, rows, () => store.renew(rows))
  return { range: old, writing: { store: { commitHistory }, targetTrades: REPLACED_TRADES } }
}
