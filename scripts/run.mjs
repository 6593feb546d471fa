// Entry of every npm command. Uses nothing but Node, so that it works on a fresh clone: installs the packages,
// generates the database client and bundles the programs where one of them is missing or out of date, then runs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('..', import.meta.url).pathname
const [command, ...args] = process.argv.slice(2)
const at = (...path) => join(root, ...path)

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`dexfeed needs Node 20.19 or newer, this is ${process.versions.node}`)
  process.exit(1)
}
process.chdir(root)
await prepare()

if (command === 'check') await check()
else if (command === 'test') process.exit(run('vitest', ['run', ...args]))
else {
  const { PROGRAMS } = await import('./build.mjs')
  if (!(command in PROGRAMS)) {
    console.error(`unknown command ${command}; there are: ${[...Object.keys(PROGRAMS), 'test', 'check'].join(', ')}`)
    process.exit(1)
  }
  process.argv.splice(1, 2, at('dist', `${command}.js`))
  await import(at('dist', `${command}.js`))
}

/** Installs, generates and bundles what is missing. One process at a time; the others wait for it. */
async function prepare() {
  const steps = [
    { stale: () => stampOf('install') !== hashOf('package-lock.json') || !existsSync(at('node_modules')), run: install },
    { stale: () => stampOf('client') !== hashOf('prisma/schema.prisma') || !existsSync(at('packages/store/src/generated')), run: generate },
    { stale: bundleIsStale, run: bundlePrograms },
  ]
  for (const step of steps) {
    if (!(await step.stale())) continue
    await withLock(async () => {
      if (await step.stale()) await step.run()
    })
  }
}

function install() {
  console.error('installing packages ...')
  const done = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 2], cwd: root })
  if (done.status !== 0) fail('npm ci failed')
  stamp('install', hashOf('package-lock.json'))
}

function generate() {
  // The generator asks for a schema engine that it does not run; any executable will do and nothing is downloaded.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' }
  const done = spawnSync(process.execPath, [at('node_modules/prisma/build/index.js'), 'generate'], { env, encoding: 'utf8', cwd: root })
  if (done.status !== 0) fail(`prisma generate failed\n${done.stdout}${done.stderr}`)
  stamp('client', hashOf('prisma/schema.prisma'))
}

async function bundleIsStale() {
  const { newestSource, PROGRAMS } = await import('./build.mjs')
  const built = Object.keys(PROGRAMS).map((name) => at('dist', `${name}.js`))
  if (!built.every((file) => existsSync(file))) return true
  return newestSource() > Math.min(...built.map((file) => statSync(file).mtimeMs))
}

async function bundlePrograms() {
  const { bundle } = await import('./build.mjs')
  await bundle()
}

async function check() {
  const steps = [
    ['biome', ['check', '.']],
    ['tsc', ['--noEmit', '-p', 'tsconfig.json']],
    ['turbo', ['boundaries']],
    ['oxlint', ['--type-aware', '--deny-warnings']],
  ]
  for (const [tool, toolArgs] of steps) {
    const status = run(tool, toolArgs)
    if (status !== 0) fail(`${tool} found problems`)
  }
}

function run(tool, toolArgs) {
  return spawnSync(at('node_modules/.bin', tool), toolArgs, { stdio: 'inherit', cwd: root }).status ?? 1
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(at(file))).digest('hex')
}

function stampFile(name) {
  return at('node_modules', `.dexfeed-${name}`)
}

function stampOf(name) {
  return existsSync(stampFile(name)) ? readFileSync(stampFile(name), 'utf8') : ''
}

function stamp(name, value) {
  writeFileSync(stampFile(name), value)
}

async function withLock(work) {
  const lock = at('.data', 'prepare.lock')
  mkdirSync(at('.data'), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (!isAlive(Number(readFileSync(lock, 'utf8')))) rmSync(lock, { force: true })
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  try {
    await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
