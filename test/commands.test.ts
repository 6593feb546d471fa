import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { run as status } from '@dexfeed/indexer/commands/status'
import { serveHttp } from '@dexfeed/lab/node/rpc/serve'
import { isProcessAlive } from '@dexfeed/service'
import { closeAfter, emptyDatabase, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { freePort } from '@dexfeed/test-setup/connections'
import { runCommand } from '@dexfeed/test-setup/run-command'
import { expect, inject, test } from 'vitest'
import { runNode } from './run-node.ts'

const CLOSED = '127.0.0.1:1'
const RPC = { ETH_RPC_URL: `http://${CLOSED}/v3/SECRET` }
const DATABASE_URL = `postgres://user:SECRET@${CLOSED}/dexfeed`
const APPS = { indexer: 'apps/indexer', api: 'apps/api', scripts: 'scripts' }
const HASH = `0x${'99'.repeat(32)}`

const run = (command: string, settings: Record<string, string>) => runNode(['scripts/run.mjs', command], settings)
const runBundle = (
  app: keyof typeof APPS,
  command: string,
  args: readonly string[],
  settings: Record<string, string>,
) => runNode([`${APPS[app]}/dist/${command}.js`, ...args], settings)

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

test('a wrong environment ends npm start with code 1 and one line per problem, without secrets', async () => {
  const dexConfig = join(temporaryFolder(), 'dex.json')
  writeFileSync(dexConfig, '{"eth": {"dexes": 1}')
  const { exitCode, stdout, stderr } = run('start', {
    DATABASE_URL: 'mysql://user:SECRET@host/SECRET',
    ETH_RPC_URL: 'wss://host/SECRET',
    BSC_RPC_URL: 'SECRET',
    NETWORKS: 'eth,nowhere',
    DEX_CONFIG: dexConfig,
    PORT: '70000',
    LOG_FORMAT: 'text',
  })
  expect(await exitCode).toBe(1)
  const lines = linesOf(stderr())
  const names = ['DATABASE_URL', 'ETH_RPC_URL', 'BSC_RPC_URL', 'NETWORKS', 'DEX_CONFIG', 'PORT']
  expect(lines.map((line) => line.split(':')[0])).toEqual(names)
  expect(stdout() + stderr()).not.toContain('SECRET')
})

test('npm start without any RPC URL says what to copy', async () => {
  const { exitCode, stdout, stderr } = run('start', {})
  expect(await exitCode).toBe(1)
  expect(stdout()).toBe('')
  expect(stderr()).toContain('cp .env.example .env')
})

test('npm start finds a used port before it touches the database', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfter(() => server.close())
  const { port } = server.address() as AddressInfo
  const settings = { ...RPC, DATABASE_URL, PORT: String(port) }
  const { exitCode, stderr } = runBundle('scripts', 'start', [], settings)
  expect(await exitCode).toBe(1)
  expect(linesOf(stderr()).map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 'fatal',
      msg: expect.stringMatching(`^PORT: .*another program uses port ${port}`),
    }),
  ])
})

test('npm run status says where it looked, and what is there', async () => {
  const server = await serveHttp((_body, _request, response) => void response.end('<html>'))
  closeAfter(server.close)
  const other = await runCommand(status, [], { PORT: new URL(server.url).port })
  expect(other).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not the status of a dexfeed API') })
  const free = await freePort()
  const closed = await runCommand(status, ['--url', `http://127.0.0.1:${free}`], {})
  expect(closed.stderr).toBe(
    `status: http://127.0.0.1:${free}/status does not respond, nothing listens there: PORT and HOST, or --url, say where the API runs\n`,
  )
})

/** Processes show their exit code, where they write, and that they end. */
const UNREACHABLE: [app: keyof typeof APPS, command: string, ...args: string[]][] = [
  ['indexer', 'backfill', '--network', 'eth', '--from', '1', '--to', '2'],
  ['indexer', 'status'],
  ['api', 'export', '--network', 'eth', '--day', '2026-01-01', '--out', '.'],
  ['api', 'compare', '--network', 'eth', '--url', `http://${CLOSED}`, '--with', 'dexscreener'],
]
const STARTED: typeof UNREACHABLE = [
  ['indexer', 'verify', '--network', 'eth'],
  ['indexer', 'explain', '--network', 'eth', '--tx', HASH],
  ['scripts', 'start'],
  ['scripts', 'migrate'],
  ['indexer', 'indexer'],
  ['api', 'api'],
]
const PROGRAMS = inject('scale') > 1 ? [...UNREACHABLE, ...STARTED] : UNREACHABLE

test.each(PROGRAMS)('an unreachable server ends a program of %s with one line: %s', async (app, command, ...args) => {
  const { exitCode, stdout, stderr } = runBundle(app, command, args, { ...RPC, DATABASE_URL, PORT: '1' })
  expect(await exitCode).toBe(1)
  const lines = linesOf(stderr()).filter((line) => !line.includes('"level":"warn"'))
  expect(lines).toEqual([expect.stringMatching(/127\.0\.0\.1:1|does not respond/)])
  expect(stdout() + stderr()).not.toContain('SECRET')
})

test.each(['indexer', 'api'] as const)(
  'npm run %s refuses a database that is not migrated, naming the command',
  async (command) => {
    const settings = { ...RPC, DATABASE_URL: await emptyDatabase(), PORT: String(await freePort()) }
    const { exitCode, stderr } = runBundle(command, command, [], settings)
    expect(await exitCode).toBe(1)
    expect(linesOf(stderr())).toEqual([expect.stringContaining('npm run migrate')])
  },
)

test('npm run migrate reports what it applied, and the second time that there is nothing to do', async () => {
  const settings = { DATABASE_URL: await emptyDatabase(), LOG_LEVEL: 'warn' }
  const first = runBundle('scripts', 'migrate', [], settings)
  expect(await first.exitCode).toBe(0)
  expect(first.stdout()).toMatch(/^applied \d+_init$/m)
  const second = runBundle('scripts', 'migrate', [], settings)
  expect(await second.exitCode).toBe(0)
  expect(linesOf(second.stdout())).toEqual(['the database is up to date'])
})

test('npm run doctor reports everything to be changed, and ends with code 1', async () => {
  const settings = { ...RPC, DATABASE_URL, LIST_CACHE_DIR: temporaryFolder() }
  const { exitCode, stdout, stderr } = runBundle('indexer', 'doctor', [], settings)
  expect(await exitCode).toBe(1)
  const wrong = linesOf(stdout()).filter((line) => line.startsWith('fail'))
  expect(wrong.map((line) => line.slice(6, 21).trim())).toEqual(['database', "the API's login", 'eth http://127.'])
  expect(linesOf(stdout()).at(-1)).toMatch(/^3 must be fixed, \d could be improved$/)
  expect(stdout() + stderr()).not.toContain('SECRET')
})

test('npm start runs indexer and API, even if the node is down, npm run status reports it, and SIGTERM stops both', async () => {
  const port = await freePort()
  const settings = { ...RPC, DATABASE_URL: await testDatabase(), PORT: String(port), LOG_LEVEL: 'debug' }
  const { child, exitCode, stdout } = runBundle('scripts', 'start', [], settings)
  const live = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(live).toBe(200)
  const logged = linesOf(stdout()).map((line) => JSON.parse(line) as { msg: string; pid: number })
  const pids = logged.filter(({ msg }) => msg === 'started').map(({ pid }) => pid)
  expect(pids.map(isProcessAlive)).toEqual([true, true])
  const shown = await runCommand(status, [], { PORT: String(port) })
  expect(shown).toMatchObject({ exitCode: 1, stderr: '' })
  expect(linesOf(shown.stdout).at(-1)).toBe('not ready')
  child.kill('SIGTERM')
  expect(await exitCode).toBe(0)
  expect(pids.map(isProcessAlive)).toEqual([false, false])
  expect(stdout()).not.toContain('SECRET')
})
