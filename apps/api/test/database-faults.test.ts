import { closeAfter } from '@dexfeed/test-setup'
import { hexNumber, seedNetwork, seedTokens } from '@dexfeed/test-setup/seed'
import { openTcpProxy, type TcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, type FixtureOptions, NOON, openFixture } from './api-fixture.ts'
import { seedPair } from './seed-market.ts'
import { listenToEvents } from './stream/listener.ts'

const A = hexNumber(0xa)
const B = hexNumber(0xb)
const HASTY = { silentMs: 200, checkMs: 400, marginMs: 200, keepAliveMs: 50, idleSessionMs: 2_000 }
const QUOTE = '/api/quote?sellToken=A&buyToken=B&network=eth'

let api: ApiFixture
let proxy: TcpProxy

afterEach(() => proxy.restore())

async function open(options: FixtureOptions = {}): Promise<void> {
  api = await openFixture({
    ...options,
    way: async (url) => {
      proxy = await openTcpProxy(url)
      return proxy.url
    },
    fill: async (owner) => {
      await seedNetwork(owner, {
        network: 'eth',
        wrapped: A,
        start: { number: 1, time: NOON - 99 },
        head: { number: 100, time: NOON },
        covered: [[0, 100, NOON - 99, NOON]],
      })
      await seedTokens(owner, 'eth', [
        { address: A, symbol: 'A', name: 'A', decimals: 18, symbols: ['A'] },
        { address: B, symbol: 'B', name: 'B', decimals: 18, symbols: ['B'] },
      ])
      await seedPair(owner, { network: 'eth', address: hexNumber(0x900) }, [A, 10n ** 24n], [B, 10n ** 24n])
    },
  })
}

const within = (ms: number) => ({ signal: AbortSignal.timeout(ms) })

async function expectOutage(): Promise<void> {
  expect((await api.get('/livez')).status).toBe(200)
  expect((await api.get('/readyz', within(2_000))).status).toBe(503)
}

async function expectNotNow(): Promise<void> {
  const paths = ['/api/swaps_24h', '/api/swaps_24h?limit=5', '/api/trade_volume_usd_7d', '/status']
  for (const { status, body, headers } of await Promise.all(paths.map((path) => api.get(path)))) {
    expect(status).toBe(503)
    expect(body).toEqual({ error: 'the database is not available now' })
    expect(headers.get('retry-after')).toBe('1')
  }
}

/** Checks that the API notices changes of the database again. */
async function expectHearing(): Promise<void> {
  await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
  await seedNetwork(api.owner, {
    network: 'eth',
    wrapped: A,
    start: { number: 1, time: NOON - 99 },
    head: { number: 101, time: NOON },
    covered: [[0, 101, NOON - 99, NOON]],
  })
  await expect.poll(async () => (await api.get(QUOTE)).headers.get('x-indexed-block')).toBe('eth=101')
}

describe('a database that', () => {
  it('is gone: not ready within 2 s, 503 if it is needed, prices from memory; recovers when it is back', async () => {
    await open()
    expect((await api.get('/readyz')).status).toBe(200)
    expect((await api.get(QUOTE)).status).toBe(200)
    const listeners = [await listenToEvents(api.api.url)]
    await proxy.cut()
    await expectOutage()
    await expectNotNow()
    // Not even whether there is such a protocol can be read.
    listeners.push(await listenToEvents(api.api.url, { query: 'protocol=seeded' }))
    for (const listener of listeners) listener.close()
    expect((await api.get(QUOTE)).status).toBe(200)
    api.setTime(NOON + 121)
    expect((await api.get(QUOTE)).status).toBe(503)
    api.setTime(NOON)
    await proxy.restore()
    await expectHearing()
  })

  it('hangs: not ready within 2 s', async () => {
    await open({ max: 2 })
    proxy.freeze()
    await expectOutage()
  })

  it('falls silent: 503 if it is needed, prices from memory; recovers when it is back', async () => {
    await open({ statementTimeoutMs: 300, connectTimeoutMs: 500, patience: HASTY })
    expect((await api.get(QUOTE)).status).toBe(200)
    proxy.freeze()
    await expectNotNow()
    expect((await api.get(QUOTE)).status).toBe(200)
    await proxy.restore()
    await expectHearing()
    await expect.poll(async () => (await api.get('/api/swaps_24h')).status).toBe(200)
  })

  it('is too slow: 503, and the connection is free again', async () => {
    await open({ statementTimeoutMs: 200, max: 2 })
    await api.owner.query('BEGIN')
    await api.owner.query('LOCK TABLE network, day_total IN ACCESS EXCLUSIVE MODE')
    const replies = await Promise.all(['/api/swaps_24h', '/api/trade_volume_usd_7d'].map((path) => api.get(path)))
    for (const { status, headers } of replies) {
      expect(status).toBe(503)
      expect(headers.get('retry-after')).toBe('1')
    }
    await api.owner.query('ROLLBACK')
    await expect.poll(async () => (await api.get('/api/swaps_24h')).status).toBe(200)
  })

  it('has no free connection: 503 after the time to wait for one', async () => {
    await open({ max: 1, connectTimeoutMs: 500 })
    const held = await api.database.pool.connect()
    const release = closeAfter(() => held.release())
    expect((await api.get('/api/trade_volume_usd_7d')).status).toBe(503)
    await release()
    expect((await api.get('/api/trade_volume_usd_7d')).status).toBe(200)
  })

  it('fails in an unexpected way: 500 without details', async () => {
    await open()
    await api.owner.query('ALTER TABLE day_total RENAME TO elsewhere')
    const { status, text } = await api.get('/api/trade_volume_usd_7d')
    expect(status).toBe(500)
    expect(text).toBe('{"error":"internal error"}')
  })
})

describe('the role of the API', () => {
  beforeAll(() => open())

  it.each([
    ['INSERT INTO day_address_count VALUES (now(), 1, 1)'],
    ['UPDATE network SET revision = 0'],
    ['DELETE FROM swap'],
    ['TRUNCATE pool'],
    ['DROP TABLE swap'],
    ['CREATE TABLE mine (a int)'],
    ["SELECT pg_read_file('/etc/passwd')"],
    ["COPY network TO '/tmp/x'"],
  ])('may not %s, even if the session is no longer read-only', async (sql) => {
    expect(api.database.role).toBe('dexfeed_api')
    const client = await api.database.pool.connect()
    closeAfter(() => client.release(true))
    await expect(client.query(sql)).rejects.toThrow(/read-only|permission denied|must be/)
    await client.query('SET default_transaction_read_only = off')
    await expect(client.query(sql)).rejects.toThrow(/permission denied|must be owner/)
  })
})
