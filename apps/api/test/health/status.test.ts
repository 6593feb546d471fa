import { checksumAddress } from '@dexfeed/contract'
import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { describe, expect, it } from 'vitest'
import { NOON } from '../api-fixture.ts'
import { network, openHealth } from './seeded-health.ts'

const health = openHealth()
const { get, query, seed } = health

describe('/status', () => {
  it('reports head, lag and gaps of every network', async () => {
    await seed(network('bsc', '400-500 600-1000'))
    await seed(network('eth', '300-1000'))
    await query(
      `UPDATE network SET chain_head_number = 1007, degraded = 'no endpoint responds: https://rpc.example/v3/***',
         unproven_since = '2026-11-21T11:30:00Z',
         budget_shortfall = 'https://rpc.example/*** takes 5 items a second, the head needs some 7.9'
       WHERE name = 'bsc'`,
    )
    await query(`INSERT INTO unknown_header VALUES (56, 990, '{laterRoot}', '2026-11-21T11:00Z', 'now')`)
    await query('INSERT INTO backfill_rate VALUES (56, 12.5, now())')
    health.api().setTime(NOON + 30)
    const { status, body } = await get('/status')
    expect(status).toBe(200)
    expect(body.ready).toBe(false)
    expect(body.networks.map((each: { network: string; ready: boolean }) => [each.network, each.ready])).toEqual([
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
      old_rows: null,
      degraded: 'no endpoint responds: ***',
      unproven: '2026-11-21T11:30:00.000Z',
      unknown_headers: { from_block: 990, fields: ['laterRoot'], since: '2026-11-21T11:00:00.000Z' },
      pools_without_state: 0,
      awaiting_keys: null,
      unread_venues: null,
      budget_shortfall: '*** takes 5 items a second, the head needs some 7.9',
      endpoints: [],
      queue: null,
    })
  })

  it('reports rows of older rules, which do not make the network unready', async () => {
    await seed(network('eth', '300-1000'))
    await query(`
      UPDATE covered_range SET from_block = 600;
      INSERT INTO covered_range SELECT chain_id, 200, 599, from_time, from_time, 0 FROM covered_range`)
    await query('INSERT INTO backfill_rate VALUES (1, 50, now())')
    const { body } = await get('/status')
    expect(body.networks[0]).toMatchObject({
      ready: true,
      covered: [{ from: 200, to: 1000 }],
      gaps: [],
      backfill: { blocks_per_s: null, eta_seconds: 0 },
      old_rows: { blocks: 300, eta_seconds: 6 },
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
    await seed(network('eth', '300-1000'))
    await query('UPDATE network SET degraded = $1', [degraded])
    expect((await get('/status')).body.networks[0].degraded).toBe(said)
  })

  it('reports no missing proofs if blocks are proven', async () => {
    await seed(network('eth', '300-1000'))
    expect((await get('/status')).body.networks[0]).toMatchObject({ unproven: null, unknown_headers: null })
  })

  it('reports which venues to add next', async () => {
    await seed(network('eth', '300-1000'))
    const [emitter, other, topic] = [`0x${'ab'.repeat(20)}`, `0x${'01'.repeat(20)}`, `0x${'77'.repeat(32)}`] as const
    const bytea = (hex: string) => `\\x${hex.slice(2)}`
    const counted = (receipts: number, unread: number) =>
      query(
        `INSERT INTO venue_coverage VALUES (1, $1, $2)
         ON CONFLICT (chain_id) DO UPDATE SET receipts = $1, unread = $2`,
        [receipts, unread],
      )
    await counted(30, 8)
    await query('INSERT INTO unread_venue VALUES (1, $1, $3, 1), (1, $2, $3, 7), (56, $1, $3, 9)', [
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
    await query('TRUNCATE unread_venue')
    expect((await get('/status')).body.networks[0].unread_venues).toEqual({ receipts: 40, unread_share: 0, venues: [] })
  })

  it('reports the requests to endpoints and the jobs of the last minute, and nothing older', async () => {
    await seed(network('eth', '300-1000'))
    const unknown = { endpoints: [], queue: null }
    expect((await get('/status')).body.networks[0]).toMatchObject(unknown)
    const database = await openDatabase(health.api().ownerUrl, { applicationName: 'health-test' })
    closeAfter(() => database.close())
    const use = { endpoint: 2, items: 40, refused: 1, failed: 2 }
    const queue = { waiting: 3, taken: 1, failed: 0, workers: null }
    await openIndexerStore(database, 'bsc').setActivity({ endpoints: [], queue: null })
    const store = openIndexerStore(database, 'eth')
    await store.setActivity({ endpoints: [{ ...use, budgetPerS: 2.5 }], queue })
    const shown = { endpoints: [{ ...use, budget_per_s: 2.5 }], queue }
    expect((await get('/status')).body.networks[0]).toMatchObject(shown)
    await store.setActivity({ endpoints: [{ ...use, budgetPerS: null }], queue: null })
    expect((await get('/status')).body.networks[0]).toMatchObject({
      endpoints: [{ ...use, budget_per_s: null }],
      queue: null,
    })
    await query(`UPDATE network_activity SET reported_at = now() - interval '61 seconds'`)
    expect((await get('/status')).body.networks[0]).toMatchObject(unknown)
  })

  it('is an empty list before any network is known', async () => {
    expect((await get('/status')).body).toEqual({ ready: false, networks: [], unindexed_days: [] })
  })
})
