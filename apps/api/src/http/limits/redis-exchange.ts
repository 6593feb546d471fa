import { SECOND } from '@dexfeed/dex'
import { Redis } from 'ioredis'
import type { Exchange } from './shared-limits.ts'

const PREFIX = 'dexfeed:limits:'
/** What was said so long ago no longer counts: its process has ended. */
const LIFE_MS = 2 * SECOND
const ANSWER_MS = SECOND
/**
 * Longer than a name is looked up that nobody answers for: a look-up holds a thread also when nobody waits for it any
 * more, Node has two for all names, and the database's name needs one.
 */
const CONNECT_MS = 60 * SECOND
const MOST_RETRY_MS = 2 * SECOND

/** In one go, by the server's own clock. */
const SAY = `
local now = tonumber(redis.call('TIME')[1])
redis.call('SET', KEYS[1] .. ARGV[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60)
local others = {}
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if name ~= ARGV[1] then
    local said = redis.call('GET', KEYS[1] .. name)
    if said then others[#others + 1] = said end
  end
end
return others`

/** Processes that meet in a Redis. It need not be there yet, and may go away. */
export function redisExchange(url: string): Exchange {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_MS,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => Math.min(100 * times, MOST_RETRY_MS),
  })
  let cause: unknown = null
  const tried = new Promise<void>((resolve) => {
    redis
      .once('ready', resolve)
      .once('error', () => resolve())
      .once('end', resolve)
    setTimeout(resolve, ANSWER_MS).unref()
  })
  // Who asks is told; without a listener it would be written to the console.
  redis.on('error', (error) => {
    cause = error
  })
  redis.on('ready', () => {
    cause = null
  })
  return {
    async say(name, text) {
      await tried
      if (redis.status !== 'ready') throw new Error(`Redis is not there (${redis.status})`, { cause })
      return (await redis.eval(SAY, 1, PREFIX, name, text, LIFE_MS)) as string[]
    },
    close: () => redis.disconnect(),
  }
}
