// Entry of every npm command. Works on a fresh clone: makes ready what is missing or out of date, then runs.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { prepare } from './prepare.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Programs that take their settings from the environment, and so from the file .env. The demo brings its own. */
const WITH_SETTINGS = ['start', 'indexer', 'api', 'migrate', 'backfill', 'verify', 'explain']

const CHECKS = [
  ['biome', 'check', '--error-on-warnings', '.'],
  ['tsc', '--noEmit', '--project', 'tsconfig.json'],
  ['turbo', 'boundaries'],
  ['oxlint', '--type-aware', '--deny-warnings'],
]

/** Turbo would tell its makers and ask for newer versions. */
const QUIET = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' }

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) fail(`dexfeed needs Node 20.19 or newer, this is ${process.version}`)

const [command, ...args] = process.argv.slice(2)
process.chdir(root)
try {
  if (command === 'check') await check()
  else if (command === 'test') await test()
  else await runProgram()
} catch (error) {
  fail(error.message)
}

async function check() {
  await prepare(['packages', 'client'])
  const failed = CHECKS.filter(([tool, ...toolArgs]) => run(tool, toolArgs) !== 0).map(([tool]) => tool)
  if (failed.length > 0) fail(`not passed: ${failed.join(', ')}`)
  console.log(`passed: ${CHECKS.map(([tool]) => tool).join(', ')}`)
}

async function test() {
  await prepare(['packages', 'client', 'bundles'])
  process.exitCode = run('vitest', ['run', ...args])
}

async function runProgram() {
  await prepare(['packages', 'client', 'bundles'])
  const { PROGRAMS } = await import('./build.mjs')
  if (!(command in PROGRAMS)) {
    throw new Error(`unknown command ${command}; there are ${[...Object.keys(PROGRAMS), 'test', 'check'].join(', ')}`)
  }
  if (WITH_SETTINGS.includes(command) && existsSync('.env')) process.loadEnvFile('.env')
  process.setSourceMapsEnabled(true)
  const file = join(root, 'dist', `${command}.js`)
  process.argv.splice(1, 2, file)
  await import(pathToFileURL(file).href)
}

function run(tool, toolArgs) {
  console.log(`> ${[tool, ...toolArgs].join(' ')}`)
  const env = { ...process.env, ...QUIET }
  return spawnSync(join(root, 'node_modules/.bin', tool), toolArgs, { stdio: 'inherit', cwd: root, env }).status ?? 1
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
