import { systemClock } from '@dexfeed/chain'
import { repeatStep } from '../loops/repeat-step.ts'
import type { NetworkDependencies } from '../run-network.ts'

const MINUTE_MS = 60_000

type Dependencies = Pick<NetworkDependencies, 'store' | 'log' | 'clock' | 'wash' | 'judged'>

/** Flags the pools that look like wash trading, day by day as days are over, final and covered. Nothing waits for it. */
export async function judgeDays(
  { store, log, clock = systemClock, wash = null, judged = null }: Dependencies,
  ended: AbortSignal,
): Promise<void> {
  if (wash === null) return
  let newest: string | null = null
  const step = async () => {
    if (newest === null) {
      const last = await store.lastWashDay()
      if (last !== null) judged?.(last)
      newest = last?.day ?? ''
    }
    const day = await store.judgeWashDay(wash)
    if (day === null) {
      await clock.sleep(MINUTE_MS, ended)
    } else {
      log.info(day, 'a day was judged for wash trading')
      // Filled in history comes later than the last day.
      if (day.day >= newest) judged?.(day)
      if (day.day > newest) newest = day.day
    }
    return !ended.aborted
  }
  const failed = (error: unknown) => log.warn({ err: error }, 'a day could not be judged, trying again')
  await repeatStep({ signal: ended, clock }, step, failed)
}
