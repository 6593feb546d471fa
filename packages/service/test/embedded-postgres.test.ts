import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, expect, test } from 'vitest'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  stopAbandonedPostgres,
} from '../src/embedded-postgres/embedded-postgres.ts'
import { createLogger } from '../src/logger.ts'
import { isProcessAlive } from '../src/process-alive.ts'
import { openPrograms } from './program.ts'

const log = createLogger({ name: 'test', level: 'silent' })
const AS_ROOT = process.getuid?.() === 0

/** Starts a server on the folder in its first argument and prints its process id. Runs until it gets a message. */
const USER = `
import { startEmbeddedPostgres, createLogger } from './index.ts'
const postgres = await startEmbeddedPostgres({
  home: process.argv[2] ?? '', durable: false, log: createLogger({ name: 'user', level: 'silent' })
})
console.log('postgres ' + postgres.pid)
process.on('message', async (wish) => { if (wish === 'exit') process.exit(0); await postgres.release(); process.disconnect() })
`

const places: Place[] = []
const programs = openPrograms()
let started: EmbeddedPostgres[] = []

interface Place {
  folder: string
  home: string
}

/** Shared by most tests, because creating a cluster takes longer than everything else. Each test leaves it stopped. */
const { home } = emptyPlace()

afterEach(async () => {
  programs.kill()
  for (const postgres of started) await postgres.release()
  started = []
  for (const { home } of places) await stopAbandonedPostgres(home, log)
})

afterAll(async () => {
  programs.close()
  for (const { folder, home } of places) {
    const used = await stopAbandonedPostgres(home, log)
    for (const path of [used, folder]) rmSync(path, { recursive: true, force: true })
  }
})

/** Returns a folder for a cluster that does not exist yet. */
function emptyPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-cluster-'))
  chmodSync(folder, 0o755)
  const place = { folder, home: join(folder, 'postgres') }
  places.push(place)
  return place
}

async function start(at = home): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ home: at, durable: false, log })
  started.push(postgres)
  return postgres
}

async function query(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

const pidOf = (line: string) => Number(line.split(' ')[1])

// This test comes first, when the shared folder has only what an interrupted start left.
test('processes that start at the same time on an incomplete cluster make one, and share its server', async () => {
  mkdirSync(home)
  writeFileSync(join(home, 'data.new'), '')
  const users = await Promise.all([1, 2, 3].map(() => programs.start(USER, [home])))
  const pids = await Promise.all(users.map(async (user) => pidOf(await user.line('postgres'))))
  expect(new Set(pids).size).toBe(1)
  for (const user of users) user.process.send('leave')
  expect(await Promise.all(users.map((user) => user.end()))).toEqual([0, 0, 0])
  expect(isProcessAlive(pids[0] ?? 0)).toBe(false)
})

test('the data survive a restart', async () => {
  const first = await start()
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS value')
  await first.release()
  expect(isProcessAlive(first.pid)).toBe(false)
  const second = await start()
  expect(await query(second.url, 'SELECT value FROM kept')).toBe(42)
})

test('text is UTF-8, sorted by bytes, and the clock is UTC', async () => {
  const { url } = await start()
  expect(await query(url, 'SHOW server_encoding')).toBe('UTF8')
  expect(await query(url, 'SELECT datcollate FROM pg_database WHERE datname = current_database()')).toBe('C')
  expect(await query(url, 'SHOW timezone')).toBe('UTC')
})

test('the server listens only on the loopback interface and requires the password', async () => {
  const { url } = await start()
  expect(await query(url, 'SHOW listen_addresses')).toBe('127.0.0.1')
  expect(await query(url, 'SHOW unix_socket_directories')).toBe('')
  expect(statSync(join(home, 'password')).mode & 0o777).toBe(0o600)
  const wrong = new URL(url)
  wrong.password = 'guess'
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
})

test('writes are durable by default', async () => {
  const durable = await startEmbeddedPostgres({ home, log })
  started.push(durable)
  expect(await query(durable.url, 'SHOW fsync')).toBe('on')
  await durable.release()
  expect(await query((await start()).url, 'SHOW fsync')).toBe('off')
})

// first  ---start==========leave
// second      ----join===============leave -> the server stops
test('the first process starts the server and the last one stops it', async () => {
  const first = await programs.start(USER, [home])
  const pid = pidOf(await first.line('postgres'))
  const second = await programs.start(USER, [home])
  expect(pidOf(await second.line('postgres'))).toBe(pid)
  first.process.send('leave')
  expect(await first.end()).toBe(0)
  expect(isProcessAlive(pid)).toBe(true)
  second.process.send('leave')
  expect(await second.end()).toBe(0)
  expect(isProcessAlive(pid)).toBe(false)
})

test('a new process adopts the server of a killed process, and stops it', async () => {
  const killed = await programs.start(USER, [home])
  const pid = pidOf(await killed.line('postgres'))
  killed.process.kill('SIGKILL')
  expect(await killed.end()).toBe('SIGKILL')
  expect(isProcessAlive(pid)).toBe(true)
  const next = await start()
  expect(next.pid).toBe(pid)
  await next.release()
  expect(isProcessAlive(pid)).toBe(false)
})

test('a process that ends without releasing stops the server, unless another one uses it', async () => {
  const [one, two] = [await programs.start(USER, [home]), await programs.start(USER, [home])]
  const [pid] = [pidOf(await one.line('postgres')), await two.line('postgres')]
  one.process.send('exit')
  expect(await one.end()).toBe(0)
  expect(isProcessAlive(pid)).toBe(true)
  two.process.send('exit')
  expect(await two.end()).toBe(0)
  await expect.poll(() => isProcessAlive(pid)).toBe(false)
})

test('a signal to the process group of the program does not reach the server', async () => {
  const user = await programs.start(USER, [home])
  const pid = pidOf(await user.line('postgres'))
  process.kill(-user.pid, 'SIGINT')
  expect(await user.end()).toBe('SIGINT')
  expect(isProcessAlive(pid)).toBe(true)
})

test('a server that was killed is started again with all committed data', async () => {
  const durable = await startEmbeddedPostgres({ home, log })
  started.push(durable)
  await query(durable.url, 'CREATE TABLE committed AS SELECT 42 AS value')
  process.kill(durable.pid, 'SIGKILL')
  await durable.release()
  const next = await start()
  expect(next.pid).not.toBe(durable.pid)
  expect(await query(next.url, 'SELECT value FROM committed')).toBe(42)
})

test('a stale pid file with the id of another process does not prevent a start', async () => {
  const first = await start()
  const pidFile = readFileSync(join(home, 'data/postmaster.pid'), 'utf8')
  await first.release()
  writeFileSync(join(home, 'data/postmaster.pid'), pidFile.replace(String(first.pid), String(process.ppid)))
  const second = await start()
  expect(await query(second.url, 'SELECT 1')).toBe(1)
})

test('releasing twice releases once', async () => {
  const [first, second] = [await start(), await start()]
  await first.release()
  await first.release()
  expect(await query(second.url, 'SELECT 1')).toBe(1)
})

test.runIf(AS_ROOT)(
  'as root, a folder that the account of Postgres cannot enter is replaced, and stays so',
  async () => {
    const { folder, home } = emptyPlace()
    chmodSync(folder, 0o700)
    const first = await start(home)
    expect(first.home).not.toBe(home)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(existsSync(join(home, 'data'))).toBe(false)
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS value')
    await first.release()
    const second = await start(home)
    expect(second.home).toBe(first.home)
    expect(await query(second.url, 'SELECT value FROM kept')).toBe(42)
  },
)

test.runIf(AS_ROOT)('as root, the server does not run as root', async () => {
  const { pid } = await start()
  expect(statSync(`/proc/${pid}`).uid).not.toBe(0)
})
