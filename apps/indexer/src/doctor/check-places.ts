import {
  assertMigrated,
  type ChangedSetting,
  changedSettings,
  type DatabaseFacts,
  DatabaseNotMigrated,
  databaseFacts,
  openDatabase,
  openReader,
  READER_ROLE,
  type SchemaDrift,
  schemaDrift,
} from '@dexfeed/store'
import { reasonOf } from '../loops/loop.ts'
import { inspectRedis } from '../queue/inspect-redis.ts'
import type { Finding } from './finding.ts'

/** The first version that can detach partitions concurrently. */
const MIN_POSTGRES = 14
/** Connections held by the indexer, four history processes and the API together, with three networks. */
const CONNECTIONS = 80
/** BullMQ needs this version. */
const MIN_REDIS = [6, 2]

type Fault = Omit<Finding, 'about'>

export interface Login {
  about: string
  url: string | null
  variable: 'DATABASE_URL' | 'API_DATABASE_URL'
  isApi: boolean
}

export async function checkDatabase({ about, url, variable, isApi }: Login): Promise<Finding> {
  if (url === null) {
    const message = isApi ? 'uses the embedded database with reduced rights' : 'is the embedded one, under .data/'
    return { verdict: 'ok', about, message }
  }
  const role = isApi && variable === 'DATABASE_URL' ? READER_ROLE : null
  try {
    const database = await openDatabase(url, { applicationName: 'dexfeed-doctor', max: 1, readOnly: true, role })
    try {
      await assertMigrated(database)
      if (database.role !== role) return { about, ...WITHOUT_ROLE }
      const judged = judgeDatabase(await databaseFacts(database), isApi)
      if (isApi || judged.verdict !== 'ok') return { about, ...judged }
      const fault = judgeSchema(await schemaDrift(database)) ?? judgeRows(await openReader(database).networks())
      return { about, ...(fault ?? judgeSettings(await changedSettings(url))) }
    } finally {
      await database.close()
    }
  } catch (error) {
    const isOld = error instanceof DatabaseNotMigrated
    const check = `check ${variable}, and whether Postgres runs`
    const created = variable === 'API_DATABASE_URL' ? '; npm run migrate creates this user' : ''
    const advice = isOld ? 'npm run migrate' : check + created
    const meaning = isOld ? 'indexer and API refuse it' : 'nothing can be stored or served'
    return { verdict: isOld ? 'warn' : 'fail', about, message: reasonOf(error), meaning, advice }
  }
}

const WITHOUT_ROLE: Fault = {
  verdict: 'warn',
  message: `reads as the owner: there is no role ${READER_ROLE}, or the owner may not use it`,
  meaning: 'only read-only transactions keep the API from writing',
  advice: 'npm run migrate; it logs what the owner lacks',
}

/** dexfeed's sessions reset all settings except `default_transaction_read_only`. */
function judgeSettings(changed: readonly ChangedSetting[]): Fault {
  if (changed.some(({ name }) => name === 'default_transaction_read_only')) {
    return {
      verdict: 'fail',
      message: 'refuses writes: default_transaction_read_only is on',
      meaning: 'nothing can be indexed. Hosted databases turn it on when the disk is full',
      advice: 'make room, then ALTER DATABASE … RESET default_transaction_read_only',
    }
  }
  const message = 'responds and is up to date'
  if (changed.length === 0) return { verdict: 'ok', message }
  const list = changed.map(({ name, value }) => `${name} (${value})`).join(', ')
  return { verdict: 'ok', message: `${message}. It changes ${list}; dexfeed's sessions set their own` }
}

export function judgeDatabase(facts: DatabaseFacts, isApi: boolean): Fault {
  const { majorVersion, isReplica, freeConnections } = facts
  if (majorVersion < MIN_POSTGRES) {
    const advice = `update Postgres to ${MIN_POSTGRES} or newer`
    return { verdict: 'fail', message: `is Postgres ${majorVersion}`, meaning: 'old days cannot be removed', advice }
  }
  if (isReplica && !isApi) {
    const advice = 'name the primary in DATABASE_URL; a replica can serve the API (API_DATABASE_URL)'
    return { verdict: 'fail', message: 'is a replica, which refuses writes', meaning: 'nothing can be indexed', advice }
  }
  if (freeConnections < CONNECTIONS) {
    const message = `has ${freeConnections} free connections`
    const meaning = `indexer, history processes and API use up to ${CONNECTIONS} together`
    return { verdict: 'warn', message, meaning, advice: 'raise max_connections' }
  }
  return { verdict: 'ok', message: 'responds and is up to date' }
}

const INDEX = /^\w+ index /

function judgeSchema({ missing, unexpected }: SchemaDrift): Fault | null {
  if (missing.length === 0) return null
  // An operator may add indexes for their own queries.
  const others = unexpected.filter((line) => !INDEX.test(line))
  const instead = others.length > 0 ? `; instead it has ${others.join(', ')}` : ''
  const message = `differs from what the migrations made: it lacks ${missing.join(', ')}${instead}`
  if (missing.every((line) => INDEX.test(line))) {
    // Drop it first: an interrupted build leaves an invalid index under that name.
    const advice = missing
      .map((line) => line.replace(/^.*?(CREATE .*?INDEX (\w+) .*)$/, 'DROP INDEX IF EXISTS $2; $1'))
      .join('; ')
    return { verdict: 'warn', message, meaning: 'some reads and commits scan whole tables', advice }
  }
  const meaning = 'statements fail, or store what they should refuse'
  return { verdict: 'fail', message, meaning, advice: 'undo that change, or restore a backup' }
}

function judgeRows(networks: readonly { network: string; oldBlocks: number }[]): Fault | null {
  const old = networks.filter(({ oldBlocks }) => oldBlocks > 0)
  if (old.length === 0) return null
  const blocks = old.map(({ network, oldBlocks }) => `${oldBlocks} of ${network}`).join(', ')
  return {
    verdict: 'warn',
    message: `responds; an older version derived the rows of some blocks by different rules: ${blocks}`,
    meaning: 'these rows are served as they are until they are derived again',
    advice: 'let the indexer run: it derives them again, newest first (npm run status shows the progress)',
  }
}

export async function checkQueue(redisUrl: string | null): Promise<Finding> {
  const about = 'queue'
  if (redisUrl === null) return { verdict: 'ok', about, message: 'is kept in Postgres' }
  try {
    return { about, ...judgeRedis(await inspectRedis(redisUrl)) }
  } catch {
    const advice = 'check REDIS_URL, and whether Redis runs'
    return { verdict: 'fail', about, message: 'Redis does not respond', meaning: 'history is not filled in', advice }
  }
}

function judgeRedis({ version, evictionPolicy, isPersistent }: Awaited<ReturnType<typeof inspectRedis>>): Fault {
  if (evictionPolicy !== null && evictionPolicy !== 'noeviction') {
    return {
      verdict: 'fail',
      message: `this Redis evicts keys when its memory is full (maxmemory-policy ${evictionPolicy})`,
      meaning: 'it would drop jobs, and the indexer refuses it',
      advice: 'set maxmemory-policy noeviction',
    }
  }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor = 0, minMinor = 0] = MIN_REDIS
  if (major < minMajor || (major === minMajor && minor < minMinor)) {
    const advice = `update Redis to ${MIN_REDIS.join('.')} or newer`
    return { verdict: 'fail', message: `Redis ${version} is too old`, meaning: 'the queue does not work', advice }
  }
  if (isPersistent) return { verdict: 'ok', message: 'Redis responds and keeps all jobs' }
  return {
    verdict: 'ok',
    message: 'Redis responds; it loses its data on a restart, and the indexer then queues the missing blocks again',
  }
}
