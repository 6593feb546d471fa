import { readFileSync } from 'node:fs'

/** Whether a process with this id runs; one that has ended but was not reaped does not. */
export function isProcessAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return statFields(pid)?.[0] !== 'Z'
}

/**
 * A text that stays the same while a process lives and differs for another process that gets its id later.
 * Empty where the system does not say (no /proc).
 */
export function processStartTime(pid: number): string {
  return statFields(pid)?.[19] ?? ''
}

/** Fields of /proc/<pid>/stat from the third one (the state) on: the second one may hold blanks. */
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
