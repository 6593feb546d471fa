import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isProcessAlive } from '@dexfeed/service'
import { emptyDatabase, testDatabase } from '@dexfeed/test-setup'
import { freePort } from '@dexfeed/test-setup/connections'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Nothing listens on this address. */
const CLOSED = '127.0.0.1:1'
const RPC = { ETH_RPC_URL: `http://${CLOSED}/v3/SECRET` }

interface Run {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  exitCode: Promise<number | null>
}

let folder: string
let runs: Run[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dexfeed-commands-'))
  runs = []
})

afterEach(async () => {
  for (const { child } of runs) child.kill('SIGTERM')
  await Promise.all(runs.map(({ exitCode }) => exitCode))
  rmSync(folder, { recursive: true })
})

/** Runs `npm run <command>` without npm, in an environment with only these variables. */
function run(command: string, settings: Record<string, string>): Run {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: '', ...settings }
  const child = spawn(process.execPath, ['scripts/run.mjs', command], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  const exitCode = once(child, 'close').then(([code]) => code as number | null)
  const started = { child, stdout: () => written.stdout, stderr: () => written.stderr, exitCode }
  runs.push(started)
  return started
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

test('a wrong environment ends npm start with code 1 and one line per problem, without secrets', async () => {
  const dexConfig = join(folder, 'dex.json')
  writeFileSync(dexConfig, '{"eth": {"dexes": 1}')
  const { exitCode, stdout, stderr } = run('start', {
    DATABASE_URL: 'mysql://user:SECRET@host/SECRET',
    ETH_RPC_URL: 'wss://host/SECRET',
    BSC_RPC_URL: 'SECRET',
    NETWORKS: 'eth,bsc,polygon,base',
    DEX_CONFIG: dexConfig,
    PORT: '70000',
  })
  expect(await exitCode).toBe(1)
  const lines = linesOf(stderr())
  const names = ['DATABASE_URL', 'ETH_RPC_URL', 'BSC_RPC_URL', 'NETWORKS', 'DEX_CONFIG', 'PORT']
  expect(lines.map((line) => line.split(':')[0])).toEqual(names)
  expect(stdout() + stderr()).not.toContain('SECRET')
})

test.each(['start', 'migrate', 'indexer', 'api'])(
  'an unreachable database ends npm run %s with one line',
  async (command) => {
    const url = `postgres://user:SECRET@${CLOSED}/dexfeed`
    const { exitCode, stdout, stderr } = run(command, { ...RPC, DATABASE_URL: url })
    expect(await exitCode).toBe(1)
    expect(linesOf(stderr())).toEqual([expect.stringContaining(CLOSED)])
    expect(stdout() + stderr()).not.toContain('SECRET')
  },
)

test.each(['indexer', 'api'])(
  'npm run %s refuses a database that is not migrated, naming the command',
  async (command) => {
    const { exitCode, stderr } = run(command, { ...RPC, DATABASE_URL: await emptyDatabase() })
    expect(await exitCode).toBe(1)
    expect(linesOf(stderr())).toEqual([expect.stringContaining('npm run migrate')])
  },
)

test('npm run migrate reports what it applied, and the second time that there is nothing to do', async () => {
  const DATABASE_URL = await emptyDatabase()
  const first = run('migrate', { DATABASE_URL, LOG_LEVEL: 'warn' })
  expect(await first.exitCode).toBe(0)
  expect(first.stdout()).toMatch(/^applied \d+_init$/m)
  const second = run('migrate', { DATABASE_URL, LOG_LEVEL: 'warn' })
  expect(await second.exitCode).toBe(0)
  expect(linesOf(second.stdout())).toEqual(['the database is up to date'])
})

test('npm run doctor reports everything to be changed, and ends with code 1', async () => {
  const url = `postgres://user:SECRET@${CLOSED}/dexfeed`
  const { exitCode, stdout, stderr } = run('doctor', { ...RPC, DATABASE_URL: url, LIST_CACHE_DIR: folder })
  expect(await exitCode).toBe(1)
  const wrong = linesOf(stdout()).filter((line) => line.startsWith('fail'))
  expect(wrong.map((line) => line.slice(6, 20).trim())).toEqual(['database', 'eth http://127'])
  expect(linesOf(stdout()).at(-1)).toMatch(/^2 must be changed, \d may be$/)
  expect(stdout() + stderr()).not.toContain('SECRET')
})

test('npm run status reports the networks of a running API, or that no API runs', async () => {
  const away = run('status', { PORT: String(await freePort()) })
  expect(await away.exitCode).toBe(1)
  expect(linesOf(away.stderr())).toEqual([
    expect.stringMatching(/^status: http:\/\/127.0.0.1:\d+\/status could not be read/),
  ])
  const port = String(await freePort())
  const api = run('api', { DATABASE_URL: await testDatabase(), PORT: port, LIST_CACHE_DIR: folder, LOG_LEVEL: 'info' })
  await expect.poll(() => api.stdout(), { timeout: 30_000 }).toContain('listening')
  const shown = run('status', { PORT: port })
  expect(await shown.exitCode).toBe(1)
  expect(linesOf(shown.stdout())).toEqual(['not ready'])
})

test('npm start runs indexer and API, even if the node is down, and SIGTERM stops both', async () => {
  const port = await freePort()
  const settings = { ...RPC, DATABASE_URL: await testDatabase(), PORT: String(port), LOG_LEVEL: 'debug' }
  const { child, exitCode, stdout } = run('start', settings)
  const live = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(live, { timeout: 30_000 }).toBe(200)
  const logged = linesOf(stdout()).map((line) => JSON.parse(line) as { msg: string; pid: number })
  const pids = logged.filter(({ msg }) => msg === 'started').map(({ pid }) => pid)
  expect(pids.map(isProcessAlive)).toEqual([true, true])
  child.kill('SIGTERM')
  expect(await exitCode).toBe(0)
  expect(pids.map(isProcessAlive)).toEqual([false, false])
  expect(stdout()).not.toContain('SECRET')
})
