// What must be there before Turborepo can work: the packages of package-lock.json. Uses nothing but Node and npm.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const LOCK = join(root, '.data', 'prepare.lock')
const LOCK_RETRY_MS = 200

/** Works if there is something to do, and if so as the only process; others wait until it is done. */
export async function prepare(isStale, work) {
  if (!(await isStale())) return
  mkdirSync(join(root, '.data'), { recursive: true })
  while (!(await acquireLock())) await delay(LOCK_RETRY_MS)
  try {
    // Another process may have done it while we waited.
    if (await isStale()) await work()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

async function acquireLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  if (isAlive(lockHolder())) return false
  // Its holder died. Of several processes that see that at once, the last one to write has it.
  writeFileSync(LOCK, String(process.pid))
  await delay(LOCK_RETRY_MS)
  return lockHolder() === process.pid
}

function lockHolder() {
  // It may have been removed right now.
  return existsSync(LOCK) ? Number(readFileSync(LOCK, 'utf8')) : process.pid
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Compares what npm notes about the installed packages with what the lock file wants. */
export function packagesAreStale() {
  const noted = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(noted)) return true
  const installed = packagesOf(noted)
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).some(([path, wanted]) => {
    // Packages for other platforms are not installed, nor are optional peers.
    if (!path.includes('node_modules/') || wanted.optional || wanted.os || wanted.cpu || wanted.libc) return false
    const { version, link, resolved } = installed[path] ?? {}
    return version !== wanted.version || link !== wanted.link || (link && resolved !== wanted.resolved)
  })
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

/** `run` gives a command's exit code. */
export async function installPackages(run) {
  console.error('installing packages ...')
  // npm tells the scripts that it runs where it lies itself; it may not be on the PATH.
  const own = process.env.npm_execpath
  const [command, first] = own?.endsWith('.js') ? [process.execPath, [own]] : ['npm', []]
  const npm = (...args) =>
    run(command, [...first, ...args, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
  if ((await npm('ci')) === 0) return
  // A registry fails now and then, and some lack packages for other platforms, which only `npm ci` insists on.
  console.error('npm ci failed, trying npm install ...')
  if ((await npm('install', '--no-save')) !== 0) throw new Error('the packages could not be installed')
}
