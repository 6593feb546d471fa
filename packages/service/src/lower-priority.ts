import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

const THREADS = '/proc/self/task'

/**
 * Lowers the priority of the whole process. On Linux a priority belongs to a thread, so the existing threads (garbage
 * collection, compression) would keep theirs.
 * @param niceness as of `nice`, from 0 to 19 (the lowest priority)
 */
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
