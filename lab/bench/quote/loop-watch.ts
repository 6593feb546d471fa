// Preloaded into the program whose event loop is watched; tells its parent on request.
import { readFileSync } from 'node:fs'

/** How long the event loop stood at most since the last request, in milliseconds. */
export interface LoopMessage {
  kind: 'loop'
  /** By the clock. */
  stoodMs: number
  /** Without the time in which the thread waited for a processor that others had. */
  busyMs: number
}

const LOOK_MS = 2
const NS_PER_MS = 1e6

let looked = performance.now()
let waited = waitedMs()
let [stoodMs, busyMs] = [0, 0]

setInterval(() => {
  const [now, waitedNow] = [performance.now(), waitedMs()]
  stoodMs = Math.max(stoodMs, now - looked)
  busyMs = Math.max(busyMs, now - looked - (waitedNow - waited))
  looked = now
  waited = waitedNow
}, LOOK_MS).unref()

process.on('message', (message) => {
  if (message !== 'loop') return
  process.send?.({ kind: 'loop', stoodMs, busyMs } satisfies LoopMessage)
  stoodMs = busyMs = 0
})
process.channel?.unref()

/** What the main thread has waited on a run queue so far: the second number of its schedstat. */
function waitedMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / NS_PER_MS
}
