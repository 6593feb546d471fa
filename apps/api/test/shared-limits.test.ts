import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { closeAfter } from '@dexfeed/test-setup'
import { hasRedis, type RedisServer, startRedis } from '@dexfeed/test-setup/redis-server'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { RateLimit } from '../src/http/limits/rate-limit.ts'
import { redisExchange } from '../src/http/limits/redis-exchange.ts'
import { shareLimits } from '../src/http/limits/shared-limits.ts'
import { Shares } from '../src/http/limits/shares.ts'
import { type ApiFixture, openFixture } from './api-fixture.ts'

const LIMIT = 60

/** Two APIs on one database, with the lines that they log. */
async function openTwo(redisUrl: string) {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'info' }, sink)
  const both = { rateLimitPerS: LIMIT, redisUrl, log }
  const one = await openFixture(both)
  const two = await openFixture({ ...both, ownerUrl: one.ownerUrl })
  return { one, two, told: () => lines.filter((line) => line.includes('limits ')) }
}

/** Asks both at far more than the limit; how many were let through in the last `seconds`, and every other status. */
async function flood(apis: readonly ApiFixture[], warmS: number, seconds: number) {
  const began = performance.now()
  let passed = 0
  const others = new Set<number>()
  const isOver = () => performance.now() - began > 1_000 * (warmS + seconds)
  const asking = apis.map(async (api) => {
    while (!isOver()) {
      const { status } = await api.get('/nothing')
      if (status !== 404) others.add(status)
      else if (performance.now() - began > 1_000 * warmS) passed++
      await delay(2)
    }
  })
  await Promise.all(asking)
  return { perSecond: passed / seconds, others }
}

describe.skipIf(!hasRedis())('two APIs with one Redis', () => {
  let redis: RedisServer

  beforeAll(async () => {
    redis = await startRedis()
  })

  it('let a client through as often together as one would alone', async () => {
    const { one, two } = await openTwo(redis.url)
    const { perSecond, others } = await flood([one, two], 2, 4)
    // Each for itself they would let through twice as many; windows that begin within give or take a part.
    expect(perSecond).toBeGreaterThan(0)
    expect(perSecond).toBeLessThan(1.6 * LIMIT)
    expect(others).toEqual(new Set([429]))
    // A client that asks one of them alone has all of it, as soon as the other has forgotten.
    await expect
      .poll(async () => Number((await one.get('/nothing')).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1]), {
        timeout: 10_000,
      })
      .toBeGreaterThan(0.9 * LIMIT)
  }, 30_000)

  it('give a client its share of lists once', async () => {
    const [one, two] = [0, 1].map(() => new Shares({ total: 9, perClient: 2 })) as [Shares, Shares]
    for (const lists of [one, two]) {
      const sharing = shareLimits(
        redisExchange(redis.url),
        { rates: new RateLimit(0), lists },
        pino({ level: 'silent' }),
      )
      closeAfter(() => sharing.stop())
    }
    const places = [one.take('a', 'lists'), one.take('a', 'lists')]
    const takeAtTwo = (client: string) => {
      try {
        two.take(client, 'lists')()
        return 'taken'
      } catch (error) {
        return (error as Error).message
      }
    }
    await expect.poll(() => takeAtTwo('a')).toBe('too many lists are being sent to you')
    expect(takeAtTwo('b')).toBe('taken')
    for (const giveUp of places) giveUp()
    await expect.poll(() => takeAtTwo('a')).toBe('taken')
  })

  it('go on each for itself where it goes away, and say so once', async () => {
    const own = await startRedis()
    const { one, two, told } = await openTwo(own.url)
    await flood([one, two], 0, 1)
    expect(told()).toEqual([])
    await own.stop()
    const { others } = await flood([one, two], 0, 2)
    expect(others).toEqual(new Set([429]))
    // Once by each of the two.
    await expect.poll(() => told().length).toBe(2)
  }, 30_000)

  it('begin where there is none yet', async () => {
    const { one, told } = await openTwo('redis://127.0.0.1:1')
    expect((await one.get('/livez')).status).toBe(200)
    await expect.poll(() => told().length).toBe(2)
  })
})
