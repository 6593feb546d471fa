import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Mutants whose tests are short and need no database. */
const SAMPLE = [
  'receipts-root',
  'log-of-another-block',
  'removed-log',
  'eip-55',
  'cursor-of-another-list',
  'first-tick-above',
  'closed-loop',
  'value-is-capped',
  'newest-common-ancestor',
  'skipped-blocks-stay-open',
  'rate-limit',
  'connections-of-a-client',
]

it('a sample of the mutants is killed', async () => {
  const file = fileURLToPath(new URL('run.mjs', import.meta.url))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...SAMPLE], { env })
  expect(stdout).toContain(`${SAMPLE.length} of ${SAMPLE.length} mutants are killed.`)
}, 600_000)
