import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { SECOND } from '@dexfeed/dex'
import { Client } from 'pg'
import { withFileLock } from '../file-lock.ts'
import type { Logger } from '../logger.ts'
import { isProcessAlive, processStartTime } from '../process-alive.ts'
import { clusterHome, knownHome, sharedPlace } from './cluster-home.ts'
import { nativeFolder, postgresPackage } from './native-folder.ts'
import { type Account, postgresAccount } from './postgres-account.ts'
import {
  type Postmaster,
  postgresEnvironment,
  runningPostmaster,
  startPostmaster,
  stopPostmaster,
  tellToStop,
} from './postmaster.ts'

const USER = 'dexfeed'
const DATABASE = 'dexfeed'

const SETTINGS = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  wal_compression: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '500' }

export interface EmbeddedPostgresOptions {
  home: string
  log: Logger
  /** If false, writes are faster, but a power failure may corrupt the data. */
  durable?: boolean
}

export interface EmbeddedPostgres {
  url: string
  home: string
  pid: number
  release(): Promise<void>
}

/**
 * Starts a Postgres server on the loopback interface, or joins the running one. Several processes share a cluster: the
 * first starts it, the last stops it. A server whose users were all killed is taken over.
 *
 * Uses only the binaries of the npm package. The package's class starts a server for one process only, and fails for
 * root in a folder that other accounts cannot enter, or if npm refused to run its install script.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const account = postgresAccount(join(knownHome(options.home), 'data'))
  const home = clusterHome(options.home, account, log)
  const copies = account ? sharedPlace : () => home
  const lock = join(home, 'lock')
  return withFileLock(lock, async () => {
    const user = joinCluster(home)
    try {
      const server = await openCluster({ home, account, copies, durable: options.durable ?? true, log })
      const url = await openDatabase(home, server)
      // An exiting process cannot wait, so the last user only tells the server to stop.
      const atExit = () => {
        if (existsSync(home) && leaveCluster(home, user) === 0) tellToStop(server.pid)
      }
      process.once('exit', atExit)
      let released: Promise<void> | null = null
      const release = async () => {
        await withFileLock(lock, () => leave(home, user, log))
        process.off('exit', atExit)
      }
      return {
        url,
        home,
        pid: server.pid,
        release: () => {
          released ??= release()
          return released
        },
      }
    } catch (error) {
      await leave(home, user, log)
      throw error
    }
  })
}

export async function stopAbandonedPostgres(asked: string, log: Logger): Promise<string> {
  const home = knownHome(asked)
  if (existsSync(join(home, 'users'))) await withFileLock(join(home, 'lock'), () => leave(home, null, log))
  return home
}

interface Cluster {
  home: string
  account: Account
  copies: () => string
  durable: boolean
  log: Logger
}

async function openCluster(cluster: Cluster): Promise<Postmaster> {
  const { home, account, log } = cluster
  const dataDir = join(home, 'data')
  const running = await runningPostmaster(dataDir)
  if (running) {
    log.info({ pid: running.pid, port: running.port }, 'using the embedded Postgres that is running already')
    return running
  }
  const native = nativeFolder(postgresPackage(), account, cluster.copies, log)
  if (!existsSync(dataDir)) createCluster(home, native, account)
  const settings = cluster.durable ? SETTINGS : { ...SETTINGS, ...NOT_DURABLE }
  const logFile = join(home, 'postgres.log')
  const server = await startPostmaster({ native, dataDir, account, logFile, settings })
  log.info({ pid: server.pid, port: server.port, data: dataDir }, 'embedded Postgres is ready')
  return server
}

async function leave(home: string, user: string | null, log: Logger): Promise<void> {
  if (leaveCluster(home, user) > 0) return
  const dataDir = join(home, 'data')
  const running = await runningPostmaster(dataDir)
  if (!running) return
  await stopPostmaster(dataDir, running.pid)
  log.info({ pid: running.pid }, 'embedded Postgres has stopped')
}

/** Creates the cluster under another name first, so that an interrupted run leaves no partial one. */
function createCluster(home: string, native: string, account: Account): void {
  for (const name of readdirSync(home)) {
    if (name.startsWith('data.new')) rmSync(join(home, name), { recursive: true, force: true })
  }
  const folder = join(home, 'data.new')
  mkdirSync(folder, { mode: 0o700 })
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
  for (const path of [folder, passwordFile]) if (account) chownSync(path, account.uid, account.gid)
  chmodSync(passwordFile, 0o600)
  const args = ['-D', folder, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C']
  const done = spawnSync(join(native, 'bin', 'initdb'), [...args, '--no-sync', '--no-instructions'], {
    ...account,
    cwd: '/',
    env: postgresEnvironment(),
    encoding: 'utf8',
  })
  if (done.status !== 0) throw new Error(`initdb failed: ${(done.stderr || done.error?.message || '').trim()}`)
  renameSync(folder, join(home, 'data'))
}

async function openDatabase(home: string, server: Postmaster): Promise<string> {
  const password = readFileSync(join(home, 'password'), 'utf8').trim()
  const url = (database: string) => `postgresql://${USER}:${password}@127.0.0.1:${server.port}/${database}`
  const client = new Client({ connectionString: url('postgres'), connectionTimeoutMillis: 10 * SECOND })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
  return url(DATABASE)
}

function joinCluster(home: string): string {
  const folder = join(home, 'users')
  mkdirSync(folder, { recursive: true })
  const name = `${process.pid}-${processStartTime(process.pid)}-${randomBytes(4).toString('hex')}`
  writeFileSync(join(folder, name), '')
  return name
}

function leaveCluster(home: string, name: string | null): number {
  const folder = join(home, 'users')
  if (name !== null) rmSync(join(folder, name), { force: true })
  let left = 0
  for (const other of readdirSync(folder)) {
    const [pid, startTime] = other.split('-')
    if (isProcessAlive(Number(pid)) && processStartTime(Number(pid)) === startTime) left += 1
    else rmSync(join(folder, other), { force: true })
  }
  return left
}
