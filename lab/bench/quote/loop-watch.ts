// Preloaded into a program to watch its event loop.
import { readFileSync } from 'node:fs'
import { serveParent } from '../remote.ts'

const LOOK_MS = 2
const NS_PER_MS = 1e6

let looked = performance.now()
let waited = waitedMs()
let [blockedMs, busyMs] = [0, 0]

setInterval(() => {
  const now = performance.now()
  const waitedNow = waitedMs()
  blockedMs = Math.max(blockedMs, now - looked)
  busyMs = Math.max(busyMs, now - looked - (waitedNow - waited))
  looked = now
  waited = waitedNow
}, LOOK_MS).unref()

const functions = {
  /** Returns the longest block of the event loop since the last call, with and without waits for a CPU. */
  longestStop() {
    const longest = { blockedMs, busyMs }
    blockedMs = 0
    busyMs = 0
    return longest
  },
}
export type LoopFunctions = typeof functions

serveParent(functions)
process.channel?.unref()

/** Returns the milliseconds on a run queue: the second number in schedstat. */
function waitedMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / NS_PER_MS
}
