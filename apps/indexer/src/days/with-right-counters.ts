import type { BlockRange } from '@dexfeed/dex'
import { type IndexerStore, StoreError } from '@dexfeed/store'

/**
 * Replaces rows of a range. If that fails, it recounts the days of the range first and tries again: replaced rows move
 * the counters by their own contents, so the counters must match the rows.
 *
 * @throws StoreError, retryable ones at once
 */
export async function withRightCounters(
  store: Pick<IndexerStore, 'daysOf' | 'recountDay'>,
  { from, to }: BlockRange,
  replace: () => Promise<void>,
): Promise<void> {
  await replace().catch(async (error: unknown) => {
    if (error instanceof StoreError && error.retryable) throw error
    for (const day of await store.daysOf({ from, to })) await store.recountDay(day)
    await replace()
  })
}
