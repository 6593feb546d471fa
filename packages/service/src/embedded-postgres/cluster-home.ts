import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../logger.ts'
import type { Account } from './postgres-account.ts'

/** Where root may keep what another account must enter; the second one is for systems with a read-only /var/lib. */
const SHARED_PLACES = ['/var/lib/dexfeed', '/var/tmp/dexfeed']

/** Names the folder that holds a cluster instead of the asked one. */
const POINTER = 'location'

/** The folder that was asked for, or, where a pointer in it says so, the one that is used in its place. */
export function knownHome(asked: string): string {
  try {
    return readFileSync(join(asked, POINTER), 'utf8').trim()
  } catch {
    return asked
  }
}

/**
 * The folder for a cluster: the asked one if `account` can enter it, else a new one outside, remembered in the asked
 * one by a pointer. (A clone may lie in a folder of mode 700, such as /root.)
 */
export function clusterHome(asked: string, account: Account, log: Logger): string {
  mkdirSync(asked, { recursive: true })
  const known = knownHome(asked)
  if (known !== asked) {
    if (!canEnter(known, account)) throw new Error(`${join(asked, POINTER)} names ${known}, which cannot be entered`)
    return known
  }
  if (account) chmodSync(asked, 0o755)
  if (canEnter(asked, account)) return asked
  const home = mkdtempSync(join(sharedPlace(), 'cluster-'))
  chmodSync(home, 0o755)
  writeFileSync(join(asked, POINTER), `${home}\n`)
  log.info({ asked, used: home }, 'the account of Postgres cannot enter the folder for its data: using another one')
  return home
}

/** A folder of ours that every account can enter and only we can write to. */
export function sharedPlace(): string {
  for (const folder of SHARED_PLACES) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 })
      const found = lstatSync(folder)
      // Somebody else may have put a folder of this name there, to feed us binaries.
      if (!found.isDirectory() || found.uid !== process.getuid?.()) continue
      chmodSync(folder, 0o755)
      return folder
    } catch {
      // Read-only: the next one.
    }
  }
  throw new Error(`none of ${SHARED_PLACES.join(', ')} can be used for the data of Postgres: set DATABASE_URL`)
}

function canEnter(folder: string, account: Account): boolean {
  const done = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...account, cwd: '/', stdio: 'ignore' })
  return done.status === 0
}
