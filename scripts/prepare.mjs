// Installs the packages in package-lock.json, which Turborepo needs, using only Node and npm.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const LOCK = join(root, '.data', 'prepare.lock')
const LOCK_RETRY_MS = 200

/** Runs `work` if `isStale` returns true, in one process at a time; others wait. */
export async function prepare(isStale, work) {
  if (!(await isStale())) return
  mkdirSync(join(root, '.data'), { recursive: true })
  while (!(await acquireLock())) await delay(LOCK_RETRY_MS)
  try {
    // Another process may have done it.
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
  // The holder died. If several processes see that, the last to write gets the lock.
  writeFileSync(LOCK, String(process.pid))
  await delay(LOCK_RETRY_MS)
  return lockHolder() === process.pid
}

function lockHolder() {
  // The lock may be gone by now.
  return existsSync(LOCK) ? Number(readFileSync(LOCK, 'utf8')) : process.pid
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Returns whether npm's record of installed packages differs from the lock file. */
export function packagesAreStale() {
  const noted = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(noted)) return true
  const installed = packagesOf(noted)
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).some(([path, locked]) => {
    // Packages for other platforms and optional peers are not installed.
    if (!path.includes('node_modules/') || locked.optional || locked.os || locked.cpu || locked.libc) return false
    const { version, link, resolved } = installed[path] ?? {}
    return version !== locked.version || link !== locked.link || (link && resolved !== locked.resolved)
  })
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

/** `run` runs a command and returns its exit code. */
export async function installPackages(run) {
  console.error('installing packages ...')
  // npm may not be on the PATH, but it tells scripts its path.
  const npmPath = process.env.npm_execpath
  const [command, first] = npmPath?.endsWith('.js') ? [process.execPath, [npmPath]] : ['npm', []]
  const npm = (...args) =>
    run(command, [...first, ...args, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
  if ((await npm('ci')) === 0) return
  // A registry may fail briefly, or lack packages for other platforms, which only `npm ci` needs.
  console.error('npm ci failed, trying npm install ...')
  if ((await npm('install', '--no-save')) !== 0) throw new Error('the packages could not be installed')
}
