// Makes the passwords of the stack's own Postgres and Redis, once, into volumes that only those see who need them:
//
//   /secrets/database   owner of the database    postgres, migrate, indexer
//   /secrets/api        a user that may only read    migrate, api
//   /secrets/queue      Redis                        redis, indexer
//
// They belong to the data: who loses these volumes has to set the passwords anew.
import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/secrets'
/** The services read them as users of their own. */
const MODE = 0o444

const database = password('database')
put('database/url', `postgresql://dexfeed:${database}@postgres:5432/dexfeed`)

put('api/url', `postgresql://dexfeed_reader:${password('api')}@postgres:5432/dexfeed`)

const queue = password('queue')
put('queue/url', `redis://default:${queue}@redis:6379`)
put('queue/users.acl', `user default on >${queue} ~* &* +@all`)

/** The password of a folder, made where there is none. */
function password(folder) {
  const file = join(ROOT, folder, 'password')
  const made = `${file}.${process.pid}`
  writeFileSync(made, randomBytes(24).toString('hex'), { mode: MODE, flush: true })
  try {
    // Never replaces one that is there.
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
