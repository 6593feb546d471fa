import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

const THREADS = '/proc/self/task'

/** Lowers the priority of the process and, on Linux, that of each thread (garbage collection, compression). */
export function lowerPriority(niceness: number): void {
  setPriority(niceness)
  for (const thread of threads()) {
    try {
      setPriority(thread, niceness)
    } catch {
      // The thread has ended.
    }
  }
}

function threads(): number[] {
  try {
    return readdirSync(THREADS).map(Number)
  } catch {
    return []
  }
}
