import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { expect, onTestFailed, onTestFinished } from 'vitest'

/** A test that a busy machine makes slow does not fail. */
export const LIMIT_MS = 180_000

/** `npm run bench` without npm. Gives the figures of its last line; nothing of its files is left. If the test fails, prints the table. */
export async function runBench(...args: string[]): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-bench-'))
  // The account of Postgres must enter it.
  chmodSync(folder, 0o755)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: folder }
  const program = spawn(process.execPath, ['scripts/run.mjs', 'bench', ...args], { cwd: projectRoot(), env })
  onTestFinished(() => {
    program.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  let output = ''
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  onTestFailed(() => console.error(output))
  let errors = ''
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = await once(program, 'close')
  expect(code, errors).toBe(0)
  expect(readdirSync(folder)).toEqual([])
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}
