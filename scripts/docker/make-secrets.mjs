// Makes the passwords of the stack's own Postgres and Redis once. Writes the secrets of the operator's .env to files at
// each start. Each volume is mounted only where it is needed.
//
//   `/secrets/database`   owner of the database        postgres, migrate, indexer, backfill, lake
//   `/secrets/api`        a user that may only read,   migrate, api
//                         and the keys of clients
//   `/secrets/queue`      Redis                        redis, indexer, backfill
//   `/secrets/nodes`      nodes, archives, webhooks    indexer, backfill
//   `/secrets/lake`       keys of the bucket,          lake
//                         ClickHouse's password
//
// Postgres stores its passwords with the data. If these volumes are lost, set new passwords in Postgres.
import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

const [ROOT = '/secrets', SETTINGS = '/run/secrets/settings'] = process.argv.slice(2)
const OF_NODES = /^[A-Z0-9]+_(RPC_URL|HISTORY_URL|HISTORY_KEY)$|^ALERTS_SECRETS$/
/** Each service reads the files as another user. */
const MODE = 0o444

const database = password('database')
put('database/url', `postgresql://dexfeed:${database}@postgres:5432/dexfeed`)

put('api/url', `postgresql://dexfeed_reader:${password('api')}@postgres:5432/dexfeed`)

const queue = password('queue')
put('queue/url', `redis://default:${queue}@redis:6379`)
put('queue/users.acl', `user default on >${queue} ~* &* +@all`)

const given = Object.entries(parseEnv(readFileSync(SETTINGS, 'utf8')))
const ofNodes = new Map(given.filter(([name, value]) => OF_NODES.test(name) && value.trim() !== ''))
for (const name of readdirSync(join(ROOT, 'nodes'))) if (!ofNodes.has(name)) rmSync(join(ROOT, 'nodes', name))
for (const [name, value] of ofNodes) put(join('nodes', name), value.trim())
for (const name of ['LAKE_ACCESS_KEY_ID', 'LAKE_SECRET_ACCESS_KEY', 'CLICKHOUSE_PASSWORD'])
  put(join('lake', name), settingOf(name))
put('api/API_KEYS', settingOf('API_KEYS'))
console.log(`nodes, archives and webhooks: ${[...ofNodes.keys()].join(', ') || 'none is set'}`)

function settingOf(name) {
  return given.find(([each]) => each === name)?.[1].trim() ?? ''
}

function password(folder) {
  const file = join(ROOT, folder, 'password')
  const made = `${file}.${process.pid}`
  writeFileSync(made, randomBytes(24).toString('hex'), { mode: MODE, flush: true })
  try {
    // linkSync never replaces a password.
    linkSync(made, file)
    console.log(`made ${file}`)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(made)
  }
  return readFileSync(file, 'utf8')
}

function put(name, text) {
  const file = join(ROOT, name)
  writeFileSync(`${file}.new`, `${text}\n`, { mode: MODE })
  renameSync(`${file}.new`, file)
}
