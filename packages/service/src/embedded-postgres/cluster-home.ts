import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../logger.ts'
import { makeFolder } from '../make-folder.ts'
import type { Account } from './postgres-account.ts'

/** Folders for root that other accounts can enter. The second one is for systems with a read-only /var/lib. */
const SHARED_PLACES = ['/var/lib/dexfeed', '/var/tmp/dexfeed']

const POINTER = 'location'

export function knownHome(asked: string): string {
  try {
    return readFileSync(join(asked, POINTER), 'utf8').trim()
  } catch {
    return asked
  }
}

/**
 * Returns the folder for a cluster: `asked`, or a new folder elsewhere if `account` cannot enter it (a clone may be
 * below a folder of mode 700, such as /root). A pointer file in `asked` records the new folder.
 */
export function clusterHome(asked: string, account: Account, log: Logger): string {
  makeFolder(asked)
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
  log.info(
    { asked, used: home },
    'the account of Postgres cannot enter the configured data folder: using another folder',
  )
  return home
}

export function sharedPlace(): string {
  for (const folder of SHARED_PLACES) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 })
      const found = lstatSync(folder)
      // If another account made the folder, we would run its binaries.
      if (!found.isDirectory() || found.uid !== process.getuid?.()) continue
      chmodSync(folder, 0o755)
      return folder
    } catch {
      // The folder is read-only: try the next one.
    }
  }
  throw new Error(`none of ${SHARED_PLACES.join(', ')} can be used for the data of Postgres: set DATABASE_URL`)
}

function canEnter(folder: string, account: Account): boolean {
  const done = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...account, cwd: '/', stdio: 'ignore' })
  return done.status === 0
}
