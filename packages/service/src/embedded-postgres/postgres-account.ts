import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** Null means the account of this process. */
export type Account = { uid: number; gid: number } | null

const NAMES = ['postgres', 'dexfeed-postgres']

/** Returns the account for Postgres, which refuses root: the owner of existing data, `postgres`, or a new one. */
export function postgresAccount(dataDir: string): Account {
  if (process.getuid?.() !== 0) return null
  const owner = statSync(dataDir, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of NAMES) {
    const account = accountOf(name)
    if (account) return account
  }
  return createAccount('dexfeed-postgres') ?? accountOf('nobody') ?? fail()
}

function accountOf(name: string): Account {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number.parseInt(output('id', [flag, name]) ?? '', 10))
  return uid !== undefined && gid !== undefined && uid > 0 && gid >= 0 ? { uid, gid } : null
}

function createAccount(name: string): Account {
  // Debian and Fedora have useradd; Alpine and BusyBox have adduser.
  if (output('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name]) === null) {
    output('adduser', ['-S', '-D', '-H', '-s', '/bin/false', name])
  }
  return accountOf(name)
}

function output(command: string, args: string[]): string | null {
  const done = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return done.status === 0 ? done.stdout.trim() : null
}

function fail(): never {
  throw new Error('Postgres does not run as root and no other account could be made for it: set DATABASE_URL')
}
