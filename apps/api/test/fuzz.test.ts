import { arePlacesFree, fuzzHttp } from '@dexfeed/test-setup/fuzz-http'
import { hexNumber, seedNetwork } from '@dexfeed/test-setup/seed'
import { expect, inject, test } from 'vitest'
import { NOON, openFixture } from './api-fixture.ts'

const SEED = inject('seed')
const CONNECTIONS = 80 * inject('scale')
/** Enough for the requests that run at a time, and few enough that a place which is never freed is soon missed. */
const PLACES = 128

test(`serves other clients and keeps no connection, whatever clients send (seed ${SEED})`, async () => {
  const { api } = await openFixture({
    maxConnections: PLACES,
    // The next sign of life detects a listener that half closed its connection and left.
    beatMs: 50,
    async fill(owner) {
      const start = { number: 1, time: NOON - 99 }
      await seedNetwork(owner, { network: 'bsc', wrapped: hexNumber(0xa), start, head: { number: 100, time: NOON } })
    },
  })
  const target = { url: api.url, witness: '/livez' }
  const paths = [
    '/livez',
    '/readyz',
    '/nothing',
    '/openapi.json',
    '/api/swaps_24h',
    '/v1/stream',
    '/v1/batch',
    '/v1/quotes',
  ] as const
  expect(await fuzzHttp({ ...target, seed: SEED, connections: CONNECTIONS, paths })).toEqual([])
  await expect.poll(() => arePlacesFree(target, PLACES - 16)).toBe(true)
})
