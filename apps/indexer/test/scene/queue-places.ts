import { queryOnce } from '@dexfeed/test-setup'
import { hasRedis, type RedisServer, runRedis, startRedis } from '@dexfeed/test-setup/redis-server'
import type { QueuePlace } from '../../src/queue/queue.ts'

export interface TestPlace {
  at(databaseUrl: string): QueuePlace
  /** Loses all jobs, as a flush does. */
  flush(databaseUrl: string): Promise<void>
  /** Ends the locks of jobs under way, as happens some seconds after their workers died. */
  unlock(databaseUrl: string): Promise<void>
  stop(): Promise<void>
}

/** Both kinds of queues. Redis is missing if the machine does not have it. */
export const QUEUE_KINDS = [
  { kind: 'Postgres', missing: false },
  { kind: 'Redis', missing: !hasRedis() },
] as const

const DELETE_LOCKS = `for _, lock in ipairs(redis.call('KEYS', '*:lock')) do redis.call('DEL', lock) end`

export async function openTestPlace(kind: (typeof QUEUE_KINDS)[number]['kind']): Promise<TestPlace> {
  const redis: RedisServer | null = kind === 'Redis' ? await startRedis() : null
  return {
    at: (databaseUrl) => ({ databaseUrl, redisUrl: redis?.url ?? null }),
    async flush(databaseUrl) {
      if (redis !== null) await runRedis(redis.url, 'FLUSHALL')
      else await loseJobs(databaseUrl)
    },
    async unlock(databaseUrl) {
      if (redis !== null) await runRedis(redis.url, 'EVAL', DELETE_LOCKS, '0')
      else await queryOnce(databaseUrl, `UPDATE dexfeed_queue.job SET locked_until_ms = 0 WHERE state = 'active'`)
    },
    stop: async () => redis?.stop(),
  }
}

async function loseJobs(databaseUrl: string): Promise<void> {
  const rows = await queryOnce<{ name: string }>(
    databaseUrl,
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
     WHERE schemaname = 'dexfeed_queue' AND tablename LIKE '%job%'`,
  )
  if (rows.length > 0) await queryOnce(databaseUrl, `TRUNCATE ${rows.map(({ name }) => name).join(', ')} CASCADE`)
}
