import type { BlockRange } from '@dexfeed/dex'
import { StoreError } from '@dexfeed/store'

export interface DayCounters {
  daysOf(range: BlockRange): Promise<number[]>
  recountDay(day: number): Promise<unknown>
}

/**
 * Replaces rows. If that fails, recounts their days and tries again: old rows are subtracted from the counters, which
 * may be too low.
 * @throws StoreError, without another try if it is retryable
 */
export async function withRightCounters(
  store: DayCounters,
  { from, to }: BlockRange,
  replace: () => Promise<void>,
): Promise<void> {
  await replace().catch(async (error: unknown) => {
    if (error instanceof StoreError && error.retryable) throw error
    for (const day of await store.daysOf({ from, to })) await store.recountDay(day)
    await replace()
  })
}
