import { MINUTE } from '@dexfeed/dex'
import type { IndexerStore, WashDay, WashThresholds } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'

export interface WashOptions {
  store: Pick<IndexerStore, 'judgeWashDay' | 'lastWashDay'>
  log: IndexerLog
  clock?: LoopClock
  /** When a pool's day is flagged as wash trading; without it no day is judged. */
  wash?: WashThresholds | null
  onWashDay?: ((day: WashDay) => void) | null
}

/** Flags the pools that look like wash trading, day by day as days are over, final and covered. Nothing waits for it. */
export async function judgeDays(
  { store, log, clock, wash = null, onWashDay = null }: WashOptions,
  ended: AbortSignal,
): Promise<void> {
  if (wash === null) return
  let newest: string | null = null
  const step = async () => {
    if (newest === null) {
      const last = await store.lastWashDay()
      if (last !== null) onWashDay?.(last)
      newest = last?.day ?? ''
    }
    const day = await store.judgeWashDay(wash)
    if (day === null) return MINUTE
    log.info(day, 'a day was judged for wash trading')
    // History that is filled in comes later than the last day.
    if (day.day >= newest) onWashDay?.(day)
    if (day.day > newest) newest = day.day
    return 0
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'a day could not be judged, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}
