// Preloaded into the program whose event loop is watched. Reports to its parent on request.
import { readFileSync } from 'node:fs'

/** The longest block of the event loop since the last request, in milliseconds. */
export interface LoopMessage {
  kind: 'loop'
  /** By the clock. */
  blockedMs: number
  /** Without the time in which the thread waited for a processor. */
  busyMs: number
}

const LOOK_MS = 2
const NS_PER_MS = 1e6

let looked = performance.now()
let waited = waitedMs()
let [blockedMs, busyMs] = [0, 0]

setInterval(() => {
  const [now, waitedNow] = [performance.now(), waitedMs()]
  blockedMs = Math.max(blockedMs, now - looked)
  busyMs = Math.max(busyMs, now - looked - (waitedNow - waited))
  looked = now
  waited = waitedNow
}, LOOK_MS).unref()

process.on('message', (message) => {
  if (message !== 'loop') return
  process.send?.({ kind: 'loop', blockedMs, busyMs } satisfies LoopMessage)
  blockedMs = busyMs = 0
})
process.channel?.unref()

/** Returns how long the main thread has waited on a run queue: the second number of its schedstat. */
function waitedMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / NS_PER_MS
}
