import { MINUTE } from '@dexfeed/dex'
import type { IndexerStore, WashDay, WashThresholds } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'

export interface WashOptions {
  store: Pick<IndexerStore, 'judgeWashDay' | 'lastWashDay'>
  log: IndexerLog
  clock?: LoopClock
  /** Thresholds for flagging a pool's day as wash trading. Without them, no day is judged. */
  wash?: WashThresholds | null
  onWashDay?: ((day: WashDay) => void) | null
}

/** Flags the pools that look like wash trading, for each day that is over, final and covered. No loop waits for it. */
export async function judgeWashDays(
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
    // History may fill in days before the newest one.
    if (day.day >= newest) onWashDay?.(day)
    if (day.day > newest) newest = day.day
    return 0
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'a day could not be judged, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}
