import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, fchownSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE } from '@dexfeed/dex'
import { isProcessAlive, processStartTime } from '../process-alive.ts'
import type { Account } from './postgres-account.ts'

const POLL_MS = 20
/** Far more than recovery after a crash needs, which reads at most max_wal_size. */
const READY_MS = 3 * MINUTE
const STOP_MS = MINUTE

export interface Postmaster {
  pid: number
  port: number
  status: string
}

export interface PostmasterOptions {
  native: string
  dataDir: string
  account: Account
  logFile: string
  settings: Readonly<Record<string, string>>
}

/** Returns the server that runs on a data folder, or null. Waits for one that is stopping. */
export async function runningPostmaster(dataDir: string): Promise<Postmaster | null> {
  const deadline = Date.now() + STOP_MS
  for (;;) {
    const found = readPostmaster(dataDir)
    if (!found || !isPostmaster(found.pid, dataDir)) return null
    if (found.status !== 'stopping') return waitReady(dataDir, found.pid)
    if (Date.now() > deadline) throw new Error(`Postgres (process ${found.pid}) does not come to an end`)
    await delay(POLL_MS)
  }
}

export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const attempts = 5
  for (let attempt = 1; ; attempt++) {
    removeStalePidFile(options.dataDir)
    const started = await tryStart(options)
    if (typeof started !== 'string') return started
    // Retry if another process took the port, or if backends of a killed server still hold its memory.
    const passes = /could not bind|pre-existing shared memory block|Address already in use/.test(started)
    if (!passes || attempt === attempts) throw new Error(`Postgres does not start: ${started} (${options.logFile})`)
    await delay(500)
  }
}

export async function stopPostmaster(dataDir: string, pid: number): Promise<void> {
  const startTime = processStartTime(pid)
  tellToStop(pid)
  const deadline = Date.now() + STOP_MS
  let forced = false
  while (isPostmaster(pid, dataDir) && readPostmaster(dataDir)?.pid === pid) {
    if (!forced && Date.now() > deadline) {
      signal(pid, 'SIGQUIT')
      forced = true
    }
    await delay(POLL_MS)
  }
  // A process that is ending has no command line any more, but may still hold its files for a moment.
  const isEnding = () => startTime !== '' && isProcessAlive(pid) && processStartTime(pid) === startTime
  while (isPostmaster(pid, dataDir) || isEnding()) await delay(POLL_MS)
}

export function tellToStop(pid: number): void {
  signal(pid, 'SIGINT')
}

async function tryStart(options: PostmasterOptions): Promise<Postmaster | string> {
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    ...options.settings,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openLog(options)
  const child = spawn(join(options.native, 'bin', 'postgres'), ['-D', options.dataDir, ...args], {
    ...options.account,
    cwd: '/',
    env: postgresEnvironment(),
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended: { cause?: string } = {}
  child.once('error', ({ message }) => {
    ended.cause = message
  })
  child.once('exit', (code) => {
    ended.cause = `exit code ${code}`
  })
  child.unref()
  const deadline = Date.now() + READY_MS
  while (ended.cause === undefined) {
    const found = readPostmaster(options.dataDir)
    if (found && found.pid === child.pid && found.status === 'ready') return found
    if (Date.now() > deadline) throw new Error(`Postgres does not become ready (${options.logFile})`)
    await delay(POLL_MS)
  }
  return lastFatal(options.logFile) ?? ended.cause
}

function openLog({ logFile, account }: PostmasterOptions): number {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.old`)
  const log = openSync(logFile, 'w', 0o600)
  if (account) fchownSync(log, account.uid, account.gid)
  return log
}

async function waitReady(dataDir: string, pid: number): Promise<Postmaster> {
  const deadline = Date.now() + READY_MS
  for (;;) {
    const found = readPostmaster(dataDir)
    if (found?.pid === pid && found.status === 'ready') return found
    if (!isProcessAlive(pid)) throw new Error(`Postgres ended while it was starting (data in ${dataDir})`)
    if (Date.now() > deadline) throw new Error(`Postgres (process ${pid}) does not become ready (data in ${dataDir})`)
    await delay(POLL_MS)
  }
}

/**
 * Reads postmaster.pid. Its lines: process id, data folder, start time, port, socket folder, address, memory key,
 * status.
 */
function readPostmaster(dataDir: string): Postmaster | null {
  let lines: string[]
  try {
    lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return null
  }
  const pid = Number(lines[0])
  const port = Number(lines[3])
  return pid && port ? { pid, port, status: lines[7]?.trim() ?? '' } : null
}

function isPostmaster(pid: number, dataDir: string): boolean {
  if (!isProcessAlive(pid)) return false
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(dataDir)
  } catch {
    if (process.platform === 'linux') return false
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(dataDir)
  }
}

/** Removes the pid file of a dead server, because Postgres would take any process with that id for the server. */
function removeStalePidFile(dataDir: string): void {
  const found = readPostmaster(dataDir)
  if (found && !isPostmaster(found.pid, dataDir)) rmSync(join(dataDir, 'postmaster.pid'), { force: true })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended.
  }
}

function lastFatal(logFile: string): string | undefined {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n')
  return lines.filter((line) => /FATAL|PANIC|could not bind/.test(line)).at(-1)
}

/** Passes on nothing from this process, because Postgres would obey PGDATA, PGPORT and the like. */
export function postgresEnvironment(): Record<string, string> {
  return { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
