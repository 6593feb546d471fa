import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { expect, onTestFailed, onTestFinished } from 'vitest'

/** Long enough for a busy machine. */
export const LIMIT_MS = 180_000

export async function runBench(...args: string[]): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-bench-'))
  // Postgres may run as another user, who needs access.
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
