import type { BlockRange } from '@dexfeed/dex'
import { StoreError } from '@dexfeed/store'

export interface DayCounters {
  daysOf(range: BlockRange): Promise<number[]>
  recountDay(day: number): Promise<unknown>
}

/**
 * Recounts the days if replacing fails: replaced rows move the counters by their own contents. @throws StoreError,
 * retryable ones at once
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
