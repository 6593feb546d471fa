import { MINUTE } from '@dexfeed/dex'
import type { IndexerLog } from '../loops/loop.ts'
import { durationText } from '../status/duration-text.ts'
import type { BackfillProgress } from './reconciler.ts'

/** Returns a function that logs the progress of history once a minute, with the time that is left at its speed. */
export function progressLogger(log: Pick<IndexerLog, 'info'>, now: () => number): (progress: BackfillProgress) => void {
  let loggedAt: number | undefined
  return ({ done, total, old, blocksPerS }) => {
    if (blocksPerS === null || blocksPerS <= 0) return
    if (loggedAt !== undefined && now() - loggedAt < MINUTE) return
    loggedAt = now()
    const left = durationText((total - done + old) / blocksPerS)
    const speed = { blocksPerS: Math.round(blocksPerS), left }
    if (done < total) log.info({ done, total, ...speed }, 'history is being filled in')
    else log.info({ old, total, ...speed }, 'rows of older rules are being derived again')
  }
}
