import { checksumAddress } from '@dexfeed/contract'
import { hexNumber, type SeedNetwork, seedNetwork } from '@dexfeed/test-setup/seed'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'

/** Lists of all networks, which report whether they are complete. */
const ALL_NETWORKS = ['/api/swaps_24h', '/api/swaps_24h?limit=5', '/api/trade_volume_usd_7d']
const WRAPPED = hexNumber(1)
let api: ApiFixture

beforeAll(async () => {
  api = await openFixture()
})

beforeEach(async () => {
  await api.owner.query('TRUNCATE network, covered_range, unread_pool, awaited_key, venue_coverage, unread_venue')
  api.setTime(NOON)
})

/** A network with a block every 15 minutes. Block 1000 is at NOON, so block 328 is seven days old. */
const timeOf = (block: number) => NOON - (1000 - block) * 900
const network = (name: SeedNetwork['network'], covered: [number, number][], start = 300): SeedNetwork => ({
  ...{ network: name, wrapped: WRAPPED, start: { number: start, time: timeOf(start) } },
  ...{ head: { number: 1000, time: timeOf(1000) }, final: 990 },
  covered: covered.map(([from, to]) => [from, to, timeOf(from), timeOf(to)] as const),
})

/** Returns the reply after the API has noticed the seeded rows. */
async function get(path: string) {
  await api.committed()
  return api.get(path)
}

/** Returns the reply of /readyz after the pools of the seeded networks are loaded. */
async function ready() {
  await expect
    .poll(async () => {
      const active = await api.owner.query('SELECT name FROM network WHERE active')
      return active.rows.every(({ name }) => api.api.feed.market(name))
    })
    .toBe(true)
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
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    await seedNetwork(api.owner, network('bsc', [[990, 1000]], 990))
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  it('needs at most seven days of a longer window', async () => {
    await seedNetwork(api.owner, network('eth', [[327, 1000]], 10))
    expect((await ready()).status).toBe(200)
    await seedNetwork(api.owner, network('eth', [[328, 1000]], 10))
    expect((await ready()).status).toBe(503)
  })

  it('is 503 while a network has a gap, lags, or has no head, and names it', async () => {
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    await seedNetwork(
      api.owner,
      network('bsc', [
        [300, 500],
        [502, 1000],
      ]),
    )
    expect((await ready()).body.error).toBe('not ready: bsc: a part of the last days is not indexed yet')
    await seedNetwork(api.owner, network('bsc', [[300, 1000]]))
    expect((await ready()).status).toBe(200)
    api.setTime(NOON + 121)
    expect((await ready()).body.error).toMatch(/^not ready: eth: .* 121 seconds old; bsc: /)
    api.setTime(NOON)
    const { head, ...headless } = network('polygon', [])
    expect(head).toBeDefined()
    await seedNetwork(api.owner, headless)
    expect((await ready()).body.error).toBe('not ready: polygon: nothing is indexed yet')
  })

  it('waits for the configured networks, even before the database knows them', async () => {
    const waiting = await openFixture({ ownerUrl: api.ownerUrl, networks: ['eth', 'bsc'] })
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    expect((await ready()).status).toBe(200)
    const reason = async () => (await waiting.get('/readyz')).body.error
    await expect.poll(reason).toBe('not ready: bsc: nothing is indexed yet')
    expect((await waiting.get('/status')).body.ready).toBe(false)
    const complete = (path: string) => async () => (await waiting.get(path)).headers.get('x-data-complete')
    for (const path of ALL_NETWORKS) expect(await complete(path)(), path).toBe('false')
    expect(await complete('/api/swaps_24h?network=eth')()).toBe('true')
    await seedNetwork(api.owner, network('bsc', [[300, 1000]]))
    await expect.poll(async () => (await waiting.get('/readyz')).status).toBe(200)
    expect((await waiting.get('/status')).body.ready).toBe(true)
    for (const path of ALL_NETWORKS) await expect.poll(complete(path)).toBe('true')
  })

  it('does not wait for a network that is no longer indexed', async () => {
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    await seedNetwork(api.owner, { ...network('bsc', []), active: false })
    expect((await ready()).status).toBe(200)
  })
})

describe('/readyz', () => {
  const unread = (...places: (number | null)[]) =>
    api.owner.query(
      `INSERT INTO unread_pool SELECT 1, ('\\x' || lpad(n::text, 40, '0'))::bytea, place
       FROM unnest($1::int[]) WITH ORDINALITY AS listed (place, n)`,
      [places],
    )

  it('waits for the pools with the most trades, and no others', async () => {
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    await seedNetwork(api.owner, network('bsc', [[300, 1000]]))
    await unread(null, 101, 1_001)
    expect((await ready()).status).toBe(200)
    await api.owner.query('DELETE FROM unread_pool')
    await unread(null, 500, 100)
    expect((await ready()).body.error).toBe('not ready: eth: the most traded pools are not all read yet')
    const { networks } = (await get('/status')).body
    expect(networks.map((one: Record<string, unknown>) => [one.ready, one.pools_without_state])).toEqual([
      [false, 2],
      [true, 0],
    ])
    const patient = await openFixture({ ownerUrl: api.ownerUrl, readyPools: 0 })
    await expect.poll(async () => (await patient.get('/readyz')).status).toBe(200)
  })
})

describe('blocks that wait for keys of pools', () => {
  const MINUTES = 60
  /** Since this many seconds before NOON. */
  const wait = (chainId: number, block: number, pool: string, seconds: number) =>
    api.owner.query("INSERT INTO awaited_key VALUES ($1, decode($2, 'hex'), $3, to_timestamp($4))", [
      ...[chainId, pool, block, NOON - seconds],
    ])

  it('delay readiness for some minutes, and are reported for as long as they wait', async () => {
    await seedNetwork(
      api.owner,
      network('eth', [
        [300, 500],
        [502, 998],
      ]),
    )
    await seedNetwork(api.owner, network('bsc', [[300, 1000]]))
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
    api.setTime(NOON + 1)
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
    await seedNetwork(
      api.owner,
      network('eth', [
        [300, 500],
        [503, 1000],
      ]),
    )
    await wait(1, 501, '4a01', 30 * MINUTES)
    await wait(56, 502, '4a01', 30 * MINUTES)
    expect((await ready()).status).toBe(503)
  })
})

describe('/status', () => {
  it('reports head, lag and gaps of every network', async () => {
    await seedNetwork(
      api.owner,
      network('bsc', [
        [400, 500],
        [600, 1000],
      ]),
    )
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    await api.owner.query(
      `UPDATE network SET chain_head_number = 1007, degraded = 'no endpoint responds: https://rpc.example/v3/***',
         unproven_since = '2026-11-21T11:30:00Z',
         budget_shortfall = 'https://rpc.example/*** takes 5 items a second, the head needs some 7.9'
       WHERE name = 'bsc'`,
    )
    await api.owner.query(`INSERT INTO unknown_header VALUES (56, 990, '{laterRoot}', '2026-11-21T11:00Z', 'now')`)
    await api.owner.query('INSERT INTO backfill_rate VALUES (56, 12.5, now())')
    api.setTime(NOON + 30)
    const { status, body } = await get('/status')
    expect(status).toBe(200)
    expect(body.ready).toBe(false)
    expect(body.networks.map((one: { network: string; ready: boolean }) => [one.network, one.ready])).toEqual([
      ['eth', true],
      ['bsc', false],
    ])
    expect(body.networks[1]).toEqual({
      network: 'bsc',
      ready: false,
      chain_head: 1007,
      indexed_block: 1000,
      indexed_block_time: '2026-11-21T12:00:00.000Z',
      final_block: 990,
      lag_blocks: 7,
      lag_seconds: 30,
      start_block: 300,
      covered: [
        { from: 400, to: 500 },
        { from: 600, to: 1000 },
      ],
      gaps: [
        { from: 300, to: 399 },
        { from: 501, to: 599 },
      ],
      backfill: { done_blocks: 492, total_blocks: 691, blocks_per_s: 12.5, eta_seconds: 16 },
      degraded: 'no endpoint responds: ***',
      unproven: '2026-11-21T11:30:00.000Z',
      unknown_headers: { from_block: 990, fields: ['laterRoot'], since: '2026-11-21T11:00:00.000Z' },
      pools_without_state: 0,
      awaiting_keys: null,
      unread_venues: null,
      budget_shortfall: '*** takes 5 items a second, the head needs some 7.9',
    })
  })

  it.each([
    ['connect ECONNREFUSED 10.1.2.3:8545', 'connect ECONNREFUSED ***'],
    ['connect ECONNREFUSED ::1:8545; none usable', 'connect ECONNREFUSED ***; none usable'],
    ['getaddrinfo ENOTFOUND node.internal', 'getaddrinfo ENOTFOUND ***'],
    ['getaddrinfo EAI_AGAIN node.internal', 'getaddrinfo EAI_AGAIN ***'],
    ['connect EHOSTUNREACH 10.1.2.3:443 - Local (10.9.8.7:51000)', 'connect EHOSTUNREACH *** - Local (***)'],
    [
      "IP does not match certificate's altnames: Host: a.b. is not in: DNS:c.d",
      "IP does not match certificate's altnames: ***",
    ],
    ['the nodes keep no block 1000 (0.5 s)', 'the nodes keep no block 1000 (0.5 s)'],
  ])('hides endpoint hosts in %j', async (degraded, said) => {
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    await api.owner.query('UPDATE network SET degraded = $1', [degraded])
    expect((await get('/status')).body.networks[0].degraded).toBe(said)
  })

  it('reports no missing proofs if blocks are proven', async () => {
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    expect((await get('/status')).body.networks[0]).toMatchObject({ unproven: null, unknown_headers: null })
  })

  it('reports which venues to add next', async () => {
    await seedNetwork(api.owner, network('eth', [[300, 1000]]))
    const [emitter, other, topic] = [`0x${'ab'.repeat(20)}`, `0x${'01'.repeat(20)}`, `0x${'77'.repeat(32)}`] as const
    const bytea = (hex: string) => `\\x${hex.slice(2)}`
    const counted = (receipts: number, unread: number) =>
      api.owner.query(
        `INSERT INTO venue_coverage VALUES (1, $1, $2)
         ON CONFLICT (chain_id) DO UPDATE SET receipts = $1, unread = $2`,
        [receipts, unread],
      )
    await counted(30, 8)
    await api.owner.query('INSERT INTO unread_venue VALUES (1, $1, $3, 1), (1, $2, $3, 7), (56, $1, $3, 9)', [
      ...[other, emitter, topic].map(bytea),
    ])
    expect((await get('/status')).body.networks[0].unread_venues).toEqual({
      receipts: 30,
      unread_share: 0.2667,
      venues: [
        { emitter: checksumAddress(emitter), topic, receipts: 7 },
        { emitter: checksumAddress(other), topic, receipts: 1 },
      ],
    })
    await counted(40, 0)
    await api.owner.query('TRUNCATE unread_venue')
    expect((await get('/status')).body.networks[0].unread_venues).toEqual({
      ...{ receipts: 40, unread_share: 0, venues: [] },
    })
  })

  it('is an empty list before any network is known', async () => {
    expect((await get('/status')).body).toEqual({ ready: false, networks: [] })
  })
})
