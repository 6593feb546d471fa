import { queryOnce } from '@dexfeed/test-setup'
import { hasRedis, type RedisServer, runRedis, startRedis } from '@dexfeed/test-setup/redis-server'
import type { QueuePlace } from '../../src/queue/queue.ts'

export interface TestPlace {
  at(databaseUrl: string): QueuePlace
  /** Loses all jobs, as a flush does. */
  flush(databaseUrl: string): Promise<void>
  stop(): Promise<void>
}

/** Both kinds of queues; Redis if the machine has it. */
export const QUEUE_KINDS = [
  { kind: 'Postgres', missing: false },
  { kind: 'Redis', missing: !hasRedis() },
] as const

export async function openTestPlace(kind: (typeof QUEUE_KINDS)[number]['kind']): Promise<TestPlace> {
  const redis: RedisServer | null = kind === 'Redis' ? await startRedis() : null
  return {
    at: (databaseUrl) => ({ databaseUrl, redisUrl: redis?.url ?? null }),
    async flush(databaseUrl) {
      if (redis !== null) await runRedis(redis.url, 'FLUSHALL')
      else await loseJobs(databaseUrl)
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
