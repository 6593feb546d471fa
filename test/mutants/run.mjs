// Runs the tests of each mutant. At least one must fail. README.md shows the use.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { readMutants } from './mutate.mjs'
import { configurations, openVitest, verdictOf } from './vitest.mjs'

/** Many times longer than a mutant's tests take. Some mutants never end. */
const TIME_LIMIT_MS = 180_000

const mutants = readMutants(process.argv.slice(2))
const files = [...new Set(mutants.flatMap(({ killedBy }) => killedBy))].sort()
const configOf = await configurations()
// The Postgres of this run also serves the tests of the mutants.
const baseline = await openVitest(configOf(files))
let killed = 0
try {
  const verdict = await verdictOf(baseline, files)
  if (verdict !== 'passed') throw new Error(`without a mutant, the tests must pass: ${verdict}`)
  console.log(`${files.length} files pass without a mutant.`)
  const { postgresUrl = '' } = baseline.getRootProject().getProvidedContext()
  for (const { id, killedBy } of mutants) {
    const begun = performance.now()
    const verdict = await judge(id, configOf(killedBy), postgresUrl)
    if (verdict.startsWith('killed')) killed++
    console.log(`${id} (${((performance.now() - begun) / 1000).toFixed(1)} s) ${verdict}`)
  }
} finally {
  await baseline.close()
}
console.log(`${killed} of ${mutants.length} mutants are killed.`)
process.exit(killed === mutants.length ? 0 : 1)

/** Runs judge.mjs in a process group, which can be killed whatever the mutant does. */
async function judge(...args) {
  const file = fileURLToPath(new URL('judge.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    process.kill(-child.pid, 'SIGKILL')
  }, TIME_LIMIT_MS)
  await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  return isLate ? 'error: the tests do not end' : (output.trim().split('\n').at(-1) ?? '')
}
