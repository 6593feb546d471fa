import { readFileSync } from 'node:fs'

/** Returns whether a process is running. One that has ended but is not reaped does not count. */
export function isProcessAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return statFields(pid)?.[0] !== 'Z'
}

/** Returns a text that a later process with the same id does not have; empty without /proc. */
export function processStartTime(pid: number): string {
  return statFields(pid)?.[19] ?? ''
}

/** Returns the fields of /proc/<pid>/stat from the third, the state, on. The second may contain spaces. */
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
