import { constants } from 'node:fs'
import { access, mkdir, statfs } from 'node:fs/promises'
import { assertMigrated, DatabaseNotMigrated, openDatabase } from '@dexfeed/store'
import { reasonOf } from '../loops/loop.ts'
import { EvictingRedis, refuseEviction } from '../queue/queue.ts'
import type { Finding } from './finding.ts'

const GB = 1_000_000_000
/** The lists of one day on the largest networks. */
const LEAST_FREE_BYTES = 10 * GB

/** Checks a database with the user of a URL. `null`: the embedded one, which starts with the programs. */
export async function checkDatabase(about: string, url: string | null, isApi: boolean): Promise<Finding> {
  if (url === null) {
    const message = isApi ? 'uses the database with reduced rights' : 'is the embedded one, under .data/'
    return { verdict: 'ok', about, message }
  }
  try {
    const database = await openDatabase(url, { applicationName: 'dexfeed-doctor', max: 1, readOnly: true })
    try {
      await assertMigrated(database)
    } finally {
      await database.close()
    }
    return { verdict: 'ok', about, message: 'responds and is up to date' }
  } catch (error) {
    const isOld = error instanceof DatabaseNotMigrated
    const advice = isOld || isApi ? 'npm run migrate' : 'check DATABASE_URL, and whether Postgres runs'
    return { verdict: isOld ? 'warn' : 'fail', about, message: reasonOf(error), advice }
  }
}

/** Checks the queue's Redis. */
export async function checkQueue(redisUrl: string | null): Promise<Finding> {
  const about = 'queue'
  if (redisUrl === null) return { verdict: 'ok', about, message: 'is kept in Postgres' }
  try {
    await refuseEviction(redisUrl)
    return { verdict: 'ok', about, message: 'Redis responds and keeps all jobs' }
  } catch (error) {
    const isWrong = error instanceof EvictingRedis
    const advice = isWrong ? 'set maxmemory-policy noeviction' : 'check REDIS_URL, and whether Redis runs'
    return { verdict: 'fail', about, message: isWrong ? error.message : 'Redis does not respond', advice }
  }
}

/** Checks a folder that the programs write to. */
export async function checkFolder(about: string, folder: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const message = `${folder} can be written to, ${Math.floor(free / GB)} GB are free`
    if (free >= LEAST_FREE_BYTES) return { verdict: 'ok', about, message }
    return {
      verdict: 'warn',
      about,
      message,
      advice: `a busy day takes ${LEAST_FREE_BYTES / GB} GB: make room, or name another`,
    }
  } catch (error) {
    return {
      verdict: 'fail',
      about,
      message: reasonOf(error),
      advice: 'set LIST_CACHE_DIR to a folder that you can write to',
    }
  }
}
