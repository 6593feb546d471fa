// Makes a clone ready to run: packages, database client, bundles. Uses nothing but Node and npm.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...path) => join(root, ...path)

const LOCK_RETRY_MS = 200
/** A lock file without content is being written; one that stays so was left by a crash. */
const LOCK_WRITE_MS = 5_000

const CLIENT = 'packages/store/src/generated'
const CLIENT_STAMP = at('node_modules', '.dexfeed-client')

const STEPS = {
  packages: { isStale: packagesAreStale, run: installPackages },
  client: { isStale: clientIsStale, run: generateClient },
  bundles: {
    isStale: async () => (await import('./build.mjs')).isStale(),
    run: async () => (await import('./build.mjs')).bundle(),
  },
}

/** Does the named steps that are not done yet. One process at a time works, others wait for it. */
export async function prepare(names) {
  for (const { isStale, run } of names.map((name) => STEPS[name])) {
    if (!(await isStale())) continue
    await withLock(async () => {
      // Another process may have done it while we waited.
      if (await isStale()) await run()
    })
  }
}

/** Compares what npm notes about the installed packages with what the lock file wants. */
function packagesAreStale() {
  const noted = at('node_modules', '.package-lock.json')
  if (!existsSync(noted)) return true
  const installed = packagesOf(noted)
  return Object.entries(packagesOf(at('package-lock.json'))).some(([path, wanted]) => {
    // Packages for other platforms are not installed, nor are optional peers.
    if (!path.includes('node_modules/') || wanted.optional || wanted.os || wanted.cpu || wanted.libc) return false
    const { version, link, resolved } = installed[path] ?? {}
    return version !== wanted.version || link !== wanted.link || (link && resolved !== wanted.resolved)
  })
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function installPackages() {
  console.error('installing packages ...')
  // npm tells the scripts that it runs where it lies itself; it may not be on the PATH.
  const own = process.env.npm_execpath
  const [command, first] = own?.endsWith('.js') ? [process.execPath, [own]] : ['npm', []]
  const npm = (...args) => {
    const all = [...first, ...args, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
    return spawnSync(command, all, { stdio: ['ignore', 2, 2], cwd: root }).status === 0
  }
  if (npm('ci')) return
  // A registry fails now and then, and some lack packages for other platforms, which only `npm ci` insists on.
  console.error('npm ci failed, trying npm install ...')
  if (!npm('install', '--no-save')) throw new Error('the packages could not be installed')
}

function clientIsStale() {
  const stamp = existsSync(CLIENT_STAMP) ? readFileSync(CLIENT_STAMP, 'utf8') : ''
  return stamp !== schemaHash() || !existsSync(at(CLIENT, 'client.ts'))
}

function generateClient() {
  // The generator asks for a schema engine that it does not run; with any executable it downloads nothing.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' }
  const prisma = at('node_modules', 'prisma', 'build', 'index.js')
  const done = spawnSync(process.execPath, [prisma, 'generate'], { env, cwd: root, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`prisma generate failed\n${done.stdout}${done.stderr}`)
  writeFileSync(CLIENT_STAMP, schemaHash())
}

function schemaHash() {
  return createHash('sha256')
    .update(readFileSync(at('prisma/schema.prisma')))
    .digest('hex')
}

/** Like packages/service/src/file-lock.ts, which is not there to be run before the packages are installed. */
async function withLock(work, file = at('.data', 'prepare.lock')) {
  mkdirSync(at('.data'), { recursive: true })
  const token = `${process.pid} ${Date.now()}`
  while (!create(file, token)) {
    const holder = read(file)
    if (holder !== null && isDead(file, holder)) {
      await withLock(() => {
        if (read(file) === holder) rmSync(file, { force: true })
      }, `${file}.removal`)
    } else await delay(LOCK_RETRY_MS)
  }
  try {
    await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function create(file, token) {
  try {
    writeFileSync(file, token, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function isDead(file, holder) {
  if (holder === '') {
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    return written !== undefined && Date.now() - written > LOCK_WRITE_MS
  }
  try {
    process.kill(Number(holder.split(' ')[0]), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepare(process.argv.slice(2))
