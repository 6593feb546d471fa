import { dateOfDay, MINUTE, SECOND } from '@dexfeed/dex'
import { type LoopContext, repeatLogged } from '../loops/loop.ts'

/** Days that the lake lacks are kept for this many days longer than RETENTION_DAYS says. */
const LONGER_DAYS = 7

/** Days are counted since 1970. `unwritten` is the oldest day that should be in the lake, but is not. */
export function firstDayToKeep(wanted: number, unwritten: number | null, isDiskLow: boolean): number {
  if (unwritten === null || unwritten >= wanted) return wanted
  return Math.max(isDiskLow ? unwritten + 1 : unwritten, wanted - LONGER_DAYS)
}

export interface LakeState {
  written: number
  due: number
  /** How long the day that has been due for the longest has been so, as seen by this process; 0 without such a day. */
  waitedS: number
}

export interface LakeReports {
  onLake?: ((state: LakeState) => void) | null
  /** Days that were dropped although they were not in the lake. */
  onLost?: ((days: number) => void) | null
}

/** What retention needs to know if a lake is configured. */
export interface RetainingLake {
  /** False if the database's disk cannot be seen. */
  isDiskLow(): Promise<boolean>
}

interface LakeOptions extends LakeReports, LoopContext {
  store: { lakeDays(): Promise<{ written: number; due: readonly number[] }> }
  lake?: RetainingLake | null
}

/** Reports which days are in the lake, while one is configured. */
export async function reportLake(
  { store, lake = null, log, clock, onLake }: LakeOptions,
  ended: AbortSignal,
): Promise<void> {
  if (lake === null || !onLake) return
  const dueSince = new Map<number, number>()
  const step = async () => {
    const { written, due } = await store.lakeDays()
    const now = performance.now()
    for (const day of dueSince.keys()) if (!due.includes(day)) dueSince.delete(day)
    for (const day of due) if (!dueSince.has(day)) dueSince.set(day, now)
    const waitedMs = now - Math.min(now, ...dueSince.values())
    onLake({ written, due: due.length, waitedS: waitedMs / SECOND })
    return MINUTE
  }
  await repeatLogged({ ended, log, clock }, 'the days of the lake could not be read, trying again', step)
}

/** Logs and counts the days from `unwritten` on, up to `kept`. */
export function reportLost({ log, onLost }: LakeReports & LoopContext, unwritten: number, kept: number): void {
  const lost = kept - unwritten
  onLost?.(lost)
  log.error(
    { first: dateOfDay(unwritten), days: lost },
    'dropped days that are not in the lake. See the log of the lake and make room. To restore them, set RESTORE_SINCE, and RETENTION_DAYS so that it keeps them',
  )
}
