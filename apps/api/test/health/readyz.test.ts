import type { Reader } from '@dexfeed/store'
import { describe, expect, it } from 'vitest'
import { NOON, openFixture } from '../api-fixture.ts'
import { network, openHealth } from './seeded-health.ts'

const health = openHealth()
const { get, query, seed } = health

/** Lists of all networks, which report whether they are complete. */
const ALL_NETWORKS = ['/api/swaps_24h', '/api/swaps_24h?limit=5', '/api/trade_volume_usd_7d']

/** Returns the reply of /readyz after the pools of the seeded networks are loaded, and their swaps are listed. */
async function ready() {
  const isLoading = ({ body }: { body: { error?: string } }) => /being (loaded|put together)/.test(body.error ?? '')
  await expect.poll(async () => isLoading(await get('/readyz'))).toBe(false)
  return get('/readyz')
}

describe('/readyz', () => {
  it('is 503 before any network is known', async () => {
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      body: { error: 'not ready: no network is indexed yet' },
    })
  })

  it('is 200 when every network is covered from its start', async () => {
    await seed(network('eth', '300-1000'))
    await seed(network('bsc', '990-1000', 990))
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  it('needs at most seven days of a longer window', async () => {
    await seed(network('eth', '327-1000', 10))
    expect((await ready()).status).toBe(200)
    await seed(network('eth', '328-1000', 10))
    expect((await ready()).status).toBe(503)
  })

  it('is 503 while a network has a gap, lags, or has no head, and names it', async () => {
    await seed(network('eth', '300-1000'))
    await seed(network('bsc', '300-500 502-1000'))
    expect((await ready()).body.error).toBe('not ready: bsc: a part of the last days is not indexed yet')
    await seed(network('bsc', '300-1000'))
    expect((await ready()).status).toBe(200)
    health.api().setTime(NOON + 121)
    expect((await ready()).body.error).toMatch(/^not ready: eth: .* 121 seconds old; bsc: /)
    health.api().setTime(NOON)
    const { head, ...headless } = network('polygon', '')
    expect(head).toBeDefined()
    await seed(headless)
    expect((await ready()).body.error).toBe('not ready: polygon: nothing is indexed yet')
  })

  it('waits for the configured networks, even before the database knows them', async () => {
    const waiting = await openFixture({ ownerUrl: health.api().ownerUrl, networks: ['eth', 'bsc'] })
    await seed(network('eth', '300-1000'))
    expect((await ready()).status).toBe(200)
    const reason = async () => (await waiting.get('/readyz')).body.error
    await expect.poll(reason).toBe('not ready: bsc: nothing is indexed yet')
    expect((await waiting.get('/status')).body.ready).toBe(false)
    const complete = (path: string) => async () => (await waiting.get(path)).headers.get('x-data-complete')
    for (const path of ALL_NETWORKS) expect(await complete(path)(), path).toBe('false')
    expect(await complete('/api/swaps_24h?network=eth')()).toBe('true')
    await seed(network('bsc', '300-1000'))
    await expect.poll(async () => (await waiting.get('/readyz')).status).toBe(200)
    expect((await waiting.get('/status')).body.ready).toBe(true)
    for (const path of ALL_NETWORKS) await expect.poll(complete(path)).toBe('true')
  })

  it('does not wait for a network that is no longer indexed', async () => {
    await seed(network('eth', '300-1000'))
    await seed({ ...network('bsc', ''), active: false })
    expect((await ready()).status).toBe(200)
  })
})

describe('/readyz', () => {
  const unread = (...places: (number | null)[]) =>
    query(
      `INSERT INTO unread_pool SELECT 1, ('\\x' || lpad(n::text, 40, '0'))::bytea, place
       FROM unnest($1::int[]) WITH ORDINALITY AS listed (place, n)`,
      [places],
    )

  it('waits for the pools with the most trades, and no others', async () => {
    await seed(network('eth', '300-1000'))
    await seed(network('bsc', '300-1000'))
    await unread(null, 101, 1_001)
    expect((await ready()).status).toBe(200)
    await query('DELETE FROM unread_pool')
    await unread(null, 500, 100)
    expect((await ready()).body.error).toBe('not ready: eth: the most traded pools are not all read yet')
    const { networks } = (await get('/status')).body
    expect(networks.map((record: Record<string, unknown>) => [record.ready, record.pools_without_state])).toEqual([
      [false, 2],
      [true, 0],
    ])
    const patient = await openFixture({ ownerUrl: health.api().ownerUrl, readyPools: 0 })
    await expect.poll(async () => (await patient.get('/readyz')).status).toBe(200)
  })
})

describe('/readyz', () => {
  it('waits for the list of swaps, as far back as swaps are stored', async () => {
    await seed(network('eth', '300-1000'))
    const { ownerUrl } = health.api()
    let isHeld = true
    const wrapReader = (reader: Reader): Reader => ({
      ...reader,
      listSnapshot: (signal, work) =>
        isHeld ? Promise.reject(new Error('the disk is full')) : reader.listSnapshot(signal, work),
    })
    const late = await openFixture({ ownerUrl, wrapReader })
    const error = async () => (await late.get('/readyz')).body.error
    await expect.poll(error).toBe('not ready: eth: the list is being put together')
    isHeld = false
    await expect.poll(error).toBe(undefined)
    // Later renderings may fail: the list has all it needs.
    isHeld = true
    await seed(network('eth', '200-1000', 200))
    await late.committed()
    expect(await error()).toBe(undefined)
  })
})

describe('blocks that wait for keys of pools', () => {
  const MINUTES = 60
  /** Since this many seconds before NOON. */
  const wait = (chainId: number, block: number, pool: string, seconds: number) =>
    query("INSERT INTO awaited_key VALUES ($1, decode($2, 'hex'), $3, to_timestamp($4))", [
      ...[chainId, pool, block, NOON - seconds],
    ])

  it('delay readiness for some minutes, and are reported for as long as they wait', async () => {
    await seed(network('eth', '300-500 502-998'))
    await seed(network('bsc', '300-1000'))
    await wait(1, 501, '4a01', 30 * MINUTES)
    await wait(1, 999, '4a02', 10 * MINUTES - 1)
    await wait(1, 1000, '4a01', 30 * MINUTES)
    await wait(1, 1000, '4a02', 10 * MINUTES - 1)
    // Below the start block.
    await wait(1, 299, '4a01', 90 * MINUTES)
    expect((await ready()).body.error).toBe('not ready: eth: a part of the last days is not indexed yet')
    const status = async () => (await get('/status')).body.networks[0]
    expect(await status()).toMatchObject({
      ready: false,
      awaiting_keys: { blocks: 3, pools: 2, since: '2026-11-21T11:30:00.000Z' },
    })
    health.api().setTime(NOON + 1)
    expect((await ready()).status).toBe(200)
    expect(await status()).toMatchObject({
      ready: true,
      gaps: [
        { from: 501, to: 501 },
        { from: 999, to: 1000 },
      ],
    })
    expect((await get('/status')).body.networks[1]).toMatchObject({ network: 'bsc', awaiting_keys: null })
  })

  it('excuse no other gap, and no other network', async () => {
    await seed(network('eth', '300-500 503-1000'))
    await wait(1, 501, '4a01', 30 * MINUTES)
    await wait(56, 502, '4a01', 30 * MINUTES)
    expect((await ready()).status).toBe(503)
  })
})
