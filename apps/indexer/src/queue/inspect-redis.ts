import { SECOND } from '@dexfeed/dex'
import { Redis } from 'ioredis'

export interface RedisFacts {
  version: string
  evictionPolicy: string | null
  isPersistent: boolean
}

const RESPONSE_MS = 5 * SECOND

/** @throws Error if Redis does not respond within 5 seconds */
export async function inspectRedis(redisUrl: string): Promise<RedisFacts> {
  const redis = new Redis(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  redis.on('error', () => undefined)
  // Ends all waits for a silent Redis.
  const late = setTimeout(() => redis.disconnect(), RESPONSE_MS)
  try {
    await redis.connect()
    const info = await redis.info()
    const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null
    // Providers often forbid CONFIG. Then the last snapshot's time shows whether there are any.
    const schedule = await redis.config('GET', 'save').catch(() => null)
    const snapshots = Array.isArray(schedule) ? schedule[1] !== '' : field('rdb_last_save_time') !== '0'
    return {
      version: field('redis_version') ?? 'unknown',
      evictionPolicy: field('maxmemory_policy'),
      isPersistent: field('aof_enabled') === '1' || snapshots,
    }
  } finally {
    clearTimeout(late)
    redis.disconnect()
  }
}
