import { execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { freePort } from '@dexfeed/test-setup/connections'
import { Client } from 'pg'
import { expect } from 'vitest'

const ROOT = '/usr/lib/postgresql'

/** The newest installed Postgres: the embedded one has no pg_dump. */
export const POSTGRES_BIN = (existsSync(ROOT) ? readdirSync(ROOT) : [])
  .sort((text, other) => Number(other) - Number(text))
  .map((version) => join(ROOT, version, 'bin'))
  .find((bin) => ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((tool) => existsSync(join(bin, tool))))

export interface Cluster {
  create(name: string): Promise<string>
}

export async function runTool(tool: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(join(POSTGRES_BIN ?? '', tool), [...args])
}

/** Starts a Postgres without dexfeed's databases and roles. */
export async function startCluster(): Promise<Cluster> {
  const folder = temporaryFolder()
  const [data, port] = [join(folder, 'data'), await freePort()]
  const account = serverAccount()
  chmodSync(folder, 0o755)
  mkdirSync(data, { mode: 0o700 })
  if (account !== null) chownSync(data, account.uid, account.gid)
  const bin = POSTGRES_BIN ?? ''
  const initialise = ['-D', data, '-U', 'dexfeed', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  execFileSync(join(bin, 'initdb'), initialise, { ...account, stdio: 'ignore' })
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'timezone=UTC',
  ]
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((text) => ['-c', text])], {
    ...account,
    stdio: 'ignore',
  })
  closeAfter(async () => {
    if (server.exitCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGINT')
    await ended
  })
  const url = (name: string) => `postgresql://dexfeed@127.0.0.1:${port}/${name}`
  await expect
    .poll(() =>
      query(url('postgres'), 'SELECT 1')
        .then(() => true)
        .catch(() => false),
    )
    .toBe(true)
  return {
    async create(name) {
      await query(url('postgres'), `CREATE DATABASE ${name}`)
      return url(name)
    },
  }
}

/** Postgres refuses to run as root, so use the account that its package has made. */
function serverAccount(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

async function query(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
