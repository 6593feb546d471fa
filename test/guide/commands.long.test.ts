import { temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { freePort } from '@dexfeed/test-setup/connections'
import { beforeAll, expect, it, vi } from 'vitest'
import { runNode } from '../run-node.ts'
import { commandLines } from './examples.ts'

const MINUTE_MS = 60_000
/** Five days ago is final and within the history of the local chains. */
const DAY = new Date(Date.now() - 5 * 24 * 60 * MINUTE_MS).toISOString().slice(0, 10)

/** Commands that do not end, take long, or need the internet. */
const ELSEWHERE = [
  'install',
  'test',
  'demo',
  'devnet',
  'start',
  'indexer',
  'api',
  'mcp',
  'compare',
  'bench',
  'simulate',
]

let settings: Record<string, string>
let hash: string

function npmRun(command: string, args: readonly string[]) {
  const { exitCode, stdout, stderr } = runNode(['scripts/run.mjs', command, ...args], settings)
  return { exitCode, output: () => stdout() + stderr() }
}

beforeAll(async () => {
  settings = { LIST_CACHE_DIR: temporaryFolder() }
  const dir = temporaryFolder()
  const devnet = npmRun('devnet', ['--port-base', String(await freePort()), '--dir', dir])
  await vi.waitFor(() => expect(devnet.output()).toContain('DEX_CONFIG='), { timeout: 3 * MINUTE_MS })
  for (const [, name = '', value = ''] of devnet.output().matchAll(/^(\w+_RPC_URL|DEX_CONFIG)=(.*)$/gm)) {
    settings[name] = value
  }
  const port = String(await freePort())
  settings = { ...settings, DATABASE_URL: await testDatabase(), PORT: port, LOG_LEVEL: 'warn' }
  npmRun('start', [])
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  const isReady = async () => expect((await get('/readyz')).status).toBe(200)
  await vi.waitFor(isReady, { timeout: 5 * MINUTE_MS, interval: 500 })
  const [row] = (await (await get('/api/swaps_24h?network=eth&limit=1')).json()) as { tx_hash: string }[]
  hash = row?.tx_hash ?? ''
}, 10 * MINUTE_MS)

/** Returns an example's required arguments, with values for the local chains. */
function filled(line: string): string[] {
  const [, rest = ''] = line.replace(/ \[[^\]]*\]+/g, '').split(/ -- (.*)/)
  const text = rest
    .replace(/--from \d{4}-\S+ --to \S+/, `--from ${DAY} --to ${DAY}`)
    .replace(/--from [N\d]+ --to [M\d]+/, '--from 1 --to 20')
    .replace(/--days \S+/, '--days 1')
    .replace(/--day \S+/, `--day ${DAY}`)
    .replace(/--tx \S+/, `--tx ${hash}`)
    .replace(/DIR/, temporaryFolder())
  return text.split(' ').filter((word) => word !== '')
}

const lines = commandLines('npm')
  .map(([page, line]) => ({ page, line, name: /npm (?:run )?(?:-s )?(\S+)/.exec(line)?.[1] ?? '' }))
  .filter(({ name }) => !ELSEWHERE.includes(name))

it.each(lines)(
  '$page: $line succeeds on the local chains',
  async ({ line, name }) => {
    const args = filled(line)
    const { exitCode, output } = npmRun(name, args)
    expect(await exitCode, `${args.join(' ')}\n${output()}`).toBe(0)
  },
  10 * MINUTE_MS,
)
