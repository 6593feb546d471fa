import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, SECOND } from '@dexfeed/dex'
import { isProcessAlive, processStartTime } from './process-alive.ts'

const RETRY_MS = 50
/** A lock file that stays empty for this long was left by a crash. */
const WRITE_MS = 5 * SECOND

/**
 * Runs `work` while holding the lock `file`. The file names the holder's process, so the lock of a dead one is taken
 * over immediately. (npm packages renew their lock files by a timer, which creating a cluster blocks for too long.) A
 * dead lock is removed under a second lock and after a second check: it may be the next holder's by then.
 */
export async function withFileLock<T>(file: string, work: () => T | Promise<T>, timeoutMs = 2 * MINUTE): Promise<T> {
  const token = `${process.pid} ${processStartTime(process.pid)} ${randomBytes(8).toString('hex')}`
  const deadline = Date.now() + timeoutMs
  while (!create(file, token)) {
    const holder = read(file)
    if (holder !== null && isDead(file, holder)) {
      await withFileLock(`${file}.removal`, () => {
        if (read(file) === holder) rmSync(file, { force: true })
      })
    } else {
      if (Date.now() > deadline)
        throw new Error(`gave up waiting for ${file}, held by process ${holder?.split(' ')[0]}`)
      await delay(RETRY_MS)
    }
  }
  try {
    return await work()
  } finally {
    if (read(file) === token) rmSync(file, { force: true })
  }
}

function create(file: string, token: string): boolean {
  try {
    writeFileSync(file, token, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function isDead(file: string, holder: string): boolean {
  if (holder === '') {
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    return written !== undefined && Date.now() - written > WRITE_MS
  }
  const [pid, startTime] = holder.split(' ')
  return !isProcessAlive(Number(pid)) || processStartTime(Number(pid)) !== startTime
}
