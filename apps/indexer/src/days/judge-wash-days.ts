import { MINUTE } from '@dexfeed/dex'
import type { WashDay, WashThresholds } from '@dexfeed/store'
import { type LoopContext, repeatStep } from '../loops/loop.ts'

export interface WashReports {
  onWashDay?: ((day: WashDay) => void) | null
}

export interface WashOptions extends WashReports, LoopContext {
  store: {
    judgeWashDay(thresholds: WashThresholds): Promise<WashDay | null>
    lastWashDay(): Promise<WashDay | null>
  }
  wash?: WashThresholds | null
}

/** Judges each day that is over, final and covered. */
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
    log.info(day, 'checked a day for wash trading')
    // A day that history filled in may be older than the last one reported.
    if (day.day >= newest) onWashDay?.(day)
    if (day.day > newest) newest = day.day
    return 0
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'could not check a day for wash trading, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}
