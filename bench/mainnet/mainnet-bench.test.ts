import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { expect, it, onTestFinished } from 'vitest'

/** A test that a busy machine makes slow does not fail. */
const LIMIT_MS = 180_000

/** `npm run bench` without npm. Gives the figures of its last line. */
async function bench(...args: string[]): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-mainnet-'))
  // The account of Postgres must enter it.
  chmodSync(folder, 0o755)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: folder }
  const program = spawn(process.execPath, ['scripts/run.mjs', 'bench', 'mainnet', ...args], { cwd: projectRoot(), env })
  onTestFinished(() => {
    program.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  let output = ''
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  let errors = ''
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = await once(program, 'close')
  expect(code, errors).toBe(0)
  expect(readdirSync(folder)).toEqual([])
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}

const SMALL = ['--days', '0.001', '--pools', '20', '--cycle', '32', '--block-transactions', '6', '--block-swaps', '4']
const SHORT = ['--block-logs', '20', '--minutes', '0.1', '--warm-up', '4', '--latency', '0']

it(
  'follows a made network by the real programs, and ends with its figures as one JSON object',
  async () => {
    const figures = await bench('--preset', 'bsc', ...SMALL, ...SHORT, '--rate', '0')
    expect(figures).toMatchObject({ bench: 'mainnet', bsc_head_refused: 0, bsc_history_refused: 0 })
    for (const name of [
      'bsc_head_lag_p99_ms',
      'bsc_head_items_per_block',
      'bsc_pools',
      'indexer_rss_mb',
      'api_rss_mb',
    ]) {
      expect(figures[name], name).toBeGreaterThan(0)
    }
  },
  LIMIT_MS,
)
