import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

const THREADS = '/proc/self/task'

/**
 * Lowers the priority of the whole process: on Linux a priority is a thread's, and threads that are there already (those
 * that collect garbage or compress) would stay before everybody else.
 *
 * @param niceness as of `nice`, 0 to 19, the higher the less
 */
export function lowerPriority(niceness: number): void {
  setPriority(niceness)
  for (const thread of threads()) {
    try {
      setPriority(thread, niceness)
    } catch {
      // It has ended meanwhile.
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
