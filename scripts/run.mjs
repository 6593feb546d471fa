// Entry point of every npm command. Installs packages on a fresh clone, forwards signals and reads .env, which
// Turborepo does not. Programs run directly, from bundles that Turborepo has updated.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadEnvFile, missingNetwork } from './env-file.mjs'
import { installPackages, packagesAreStale, prepare } from './prepare.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each program is dist/<command>.js in one of these. `apps/web` is the API's web page. */
const PROGRAMS = ['apps/indexer', 'apps/api', 'apps/mcp', 'apps/lake', 'apps/web', 'scripts', 'lab']

/** Programs whose settings come from the environment, and so from .env. */
const WITH_SETTINGS = [
  'start',
  'indexer',
  'api',
  'migrate',
  'backfill',
  'verify',
  'explain',
  'export',
  'doctor',
  'status',
  'mcp',
  'lake',
  'lake:clickhouse',
  'query',
]

const CHECKS = ['check', 'lint', 'lint:types', 'boundaries', 'structure', 'commits', 'unused']

/** Continue with tasks that do not depend on a failed one; show only new output. */
const ALL = ['--continue=dependencies-successful', '--output-logs=new-only']

/** No telemetry, no check for updates. */
const QUIET = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' }

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) fail(`dexfeed needs Node 20.19 or newer, this is ${process.version}`)

const [command, ...args] = process.argv.slice(2)
// Imported by path, because the package name does not resolve before installation.
const { helpIfRequested } = await import(new URL('../packages/service/src/command-help.mjs', import.meta.url))
helpIfRequested(command, args)
process.chdir(root)
if (WITH_SETTINGS.includes(command)) loadEnvFile('.env', process.env)
const missing = missingNetwork(command, process.env)
if (missing !== null) fail(missing)
try {
  await prepare(packagesAreStale, () => installPackages((npm, npmArgs) => run(npm, npmArgs, 2)))
  if (command === 'build') process.exitCode = await turbo('build', ...ALL, ...args)
  else if (command === 'check') process.exitCode = await turbo(...CHECKS, ...ALL, ...args)
  else if (command === 'test') process.exitCode = await test('vitest.config.ts')
  else if (command === 'test:long') process.exitCode = await test('vitest.long.config.ts')
  else if (command === 'release') process.exitCode = await release()
  else if (command === 'test:unit') process.exitCode = await unitTest()
  else await runProgram()
} catch (error) {
  fail(error.message)
}

/** Builds the programs, then runs a configuration's tests: all, or those named on the command line. */
async function test(config) {
  const built = await turbo('build', '--output-logs=errors-only')
  return built || runTests(config)
}

async function unitTest() {
  const generated = await turbo('generate', '--output-logs=errors-only')
  return generated || runTests('vitest.unit.config.ts')
}

/** Takes `--seed N` or `--seed new`; vitest gets the other arguments. The test setup prints the seed. */
function runTests(config) {
  const at = args.indexOf('--seed')
  if (at >= 0) {
    const [, seed] = args.splice(at, 2)
    if (seed !== 'new' && !/^\d{1,9}$/.test(seed ?? ''))
      throw new Error('--seed takes a number of up to 9 digits, or new')
    process.env.SEED = seed === 'new' ? String(randomInt(1e9)) : seed
  }
  return run(tool('vitest'), ['run', '--config', config, ...args])
}

async function release() {
  return (await turbo('build', ...ALL)) || run(tool('changeset'), ['publish', ...args])
}

async function runProgram() {
  const isFirst = !isBundled()
  if (isFirst) await refuseWrongSettings()
  const say = () => console.error('building the programs, about a minute; the next start skips this ...')
  if (isFirst) say()
  await prepare(bundlesAreStale, async () => {
    if (!isFirst) say()
    const { code, output } = await capture('build', '--output-logs=errors-only', '--log-prefix=none')
    if (code !== 0) throw new Error(`${output}the programs could not be bundled`)
  })
  const bundle = `${command.replace(':', '-')}.js`
  const file = PROGRAMS.map((workspace) => join(root, workspace, 'dist', bundle)).find(existsSync)
  if (file === undefined) throw new Error(`unknown command ${command}; see the scripts in package.json`)
  process.setSourceMapsEnabled(true)
  process.argv.splice(1, 2, file)
  await import(pathToFileURL(file).href)
}

/** Programs check their settings themselves, but only after a minute of building. */
async function refuseWrongSettings() {
  const { settingsProblems } = await import('./check-settings.mjs')
  const problems = await settingsProblems(command, process.env)
  if (problems.length > 0) fail(problems.join('\n'))
}

function isBundled() {
  return PROGRAMS.every((workspace) => existsSync(join(workspace, 'dist', '.hash')))
}

/** Asks Turborepo, so that a bundle in use is not rewritten needlessly. */
async function bundlesAreStale() {
  const { code, output } = await capture('build', '--dry=json')
  if (code !== 0) throw new Error(output)
  const made = PROGRAMS.map((workspace) => join(workspace, 'dist', '.hash'))
  const hashes = new Map(JSON.parse(output).tasks.map((task) => [`${task.directory}#${task.task}`, task.hash]))
  return made.some(
    (file, at) => !existsSync(file) || readFileSync(file, 'utf8') !== hashes.get(`${PROGRAMS[at]}#build`),
  )
}

async function capture(...turboArgs) {
  let output = ''
  const code = await run(tool('turbo'), ['run', ...turboArgs], 'pipe', (text) => {
    output += text
  })
  return { code, output }
}

function turbo(...turboArgs) {
  return run(tool('turbo'), ['run', ...turboArgs])
}

/**
 * Runs a command in its own process group, so that it gets a signal only once even if the terminal sends it to all.
 * Returns its exit code.
 */
async function run(file, fileArgs, stdout = 'inherit', onOutput = undefined) {
  const env = { ...process.env, ...QUIET, PATH: pathWithNpm() }
  const child = spawn(file, fileArgs, { stdio: ['ignore', stdout, 'inherit'], cwd: root, env, detached: true })
  child.stdout?.setEncoding('utf8').on('data', onOutput)
  let received
  const handOn = (signal) => {
    received = signal
    if (child.exitCode === null) process.kill(-child.pid, signal)
  }
  for (const signal of SIGNALS) process.on(signal, handOn)
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  for (const signal of SIGNALS) process.off(signal, handOn)
  // Turborepo ends with code 0 after a signal, so send the signal to this process, too.
  if (received) process.kill(process.pid, received)
  return code ?? 1
}

function tool(name) {
  return join(root, 'node_modules', '.bin', name)
}

/** Turborepo finds npm on the PATH; the npm that runs this script may be elsewhere. */
function pathWithNpm() {
  const bin = join(root, 'node_modules', '.bin')
  const { PATH = '', npm_execpath: npm } = process.env
  const folders = [...PATH.split(delimiter), bin]
  if (npm?.endsWith('.js') && existsSync(bin) && !folders.some((folder) => existsSync(join(folder, 'npm')))) {
    rmSync(tool('npm'), { force: true })
    symlinkSync(npm, tool('npm'))
  }
  return folders.join(delimiter)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
