import { bestRoute } from '@dexfeed/dex'
import { type Database, openDatabase, openIndexerStore, openReader, type Reader } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, expect, inject, test } from 'vitest'
import { AMOUNT, MarketWriter, registerMarket, TOKENS } from '../../test/market/market-writer.ts'
import { LiveMarketFollower } from './live-market.ts'

// Pools between any two of four tokens. One follower sees every commit, another only some; both must quote like one
// that starts now.

let database: Database
let reader: Reader

beforeAll(async () => {
  database = await openDatabase(await testDatabase(), { applicationName: 'test-live-market', max: 6 })
  closeAfter(() => database.close())
  // Small pages, so that most reads take several. Two blocks make a pool idle.
  reader = openReader(database, { marketPageRows: 3, idlePoolS: 20 })
})

/** Returns every quote of a follower's market. */
function quotesOf(follower: LiveMarketFollower) {
  const live = follower.current ?? expect.fail('the network is indexed')
  const routes = TOKENS.flatMap((sell) =>
    TOKENS.flatMap((buy) =>
      // One amount that crosses ticks, and one that stays between two.
      [4n * AMOUNT, AMOUNT / 1_000n].map((amount) => {
        const route = bestRoute(live.market, { sell, buy, amountIn: amount })
        return route && [route.amountOut, ...route.hops.map((hop) => hop.pool.address)]
      }),
    ),
  )
  const { revision, reorgs, head } = live.network
  return { revision, reorgs, head, routes, held: heldBy(follower) }
}

/** Returns the pools of its market, with the number of their ticks. */
function heldBy({ current }: LiveMarketFollower) {
  return new Map([...(current?.market.pools() ?? [])].map(({ pool, ticks }) => [pool.address, ticks?.size]))
}

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
const step = fc.record({
  kind: fc.constantFrom(
    'commit',
    'commit',
    'commit',
    'rollback',
    'rollback',
    'snapshot',
    'invalidate',
    'settle',
    'drop',
  ),
  draws: fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 5 }),
  depth: fc.integer({ min: 1, max: 6 }),
  isSeen: fc.boolean(),
})

/**
 * Found at random (seed -1868516051). The second follower sees neither that the last pool is invalid, nor the snapshot
 * that makes it valid again, before a rollback of that snapshot. In the second example it only sees the snapshot after
 * the rollback, which has other ticks than the first state.
 */
const MISSED_SNAPSHOTS = [
  [
    { kind: 'invalidate', draws: [5] },
    { kind: 'commit', draws: [2, 4, 0] },
    { kind: 'snapshot', draws: [5] },
    { kind: 'commit', draws: [3, 2, 1] },
    { kind: 'rollback', draws: [0, 3], depth: 2, isSeen: true },
  ],
  [
    { kind: 'invalidate', draws: [5] },
    { kind: 'commit', draws: [2, 4, 0] },
    { kind: 'snapshot', draws: [11] },
    { kind: 'rollback', draws: [0] },
    { kind: 'snapshot', draws: [11], isSeen: true },
  ],
].map((steps): [Step[]] => [steps.map((each) => ({ depth: 1, isSeen: false, ...each }) as Step)])

/** Takes these steps; after each, both followers must quote like a new one. Returns what occurred. */
async function follow(steps: readonly Step[]) {
  const seen = { routes: 0, left: 0, returned: 0 }
  await database.pool.query(`TRUNCATE network, pool, pool_state, pool_tick, invalidated_pool, network_rollback, block,
    covered_range, swap, token_move, day_total, day_trader, day_address_count, token, listed_symbol`)
  const store = openIndexerStore(database, 'eth')
  await registerMarket(store)
  const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
  try {
    let loads = 0
    const market = (...of: Parameters<Reader['market']>) => {
      loads++
      return reader.market(...of)
    }
    const counting = { ...reader, market }
    const [every, some] = [new LiveMarketFollower('eth', counting), new LiveMarketFollower('eth', reader)]
    const writer = new MarketWriter(store, lease.epoch)
    await writer.commit([1, 2, 3, 4, 5])
    await Promise.all([every.refresh(), some.refresh()])
    const drops = steps.filter(({ kind }) => kind === 'drop').length
    for (const { kind, draws, depth, isSeen } of steps) {
      const [draw = 0] = draws
      if (kind === 'commit') await writer.commit(draws)
      else if (kind === 'rollback') await writer.commit(draws, depth)
      else if (kind === 'snapshot') await writer.snapshot(draw)
      else if (kind === 'invalidate') await writer.invalidate(draw)
      else if (kind === 'settle') await writer.settle(draw)
      else await writer.drop()
      if (kind === 'drop') await writer.commit(draws)
      const before = heldBy(every)
      await every.refresh()
      const after = heldBy(every)
      seen.left += [...before.keys()].filter((pool) => !after.has(pool)).length
      seen.returned += [...after.keys()].filter((pool) => !before.has(pool)).length
      if (isSeen) await some.refresh()
      const fresh = new LiveMarketFollower('eth', reader)
      await fresh.refresh()
      const quotes = quotesOf(fresh)
      expect(quotesOf(every)).toEqual(quotes)
      if (isSeen) expect(quotesOf(some)).toEqual(quotes)
      seen.routes += quotes.routes.filter((route) => route !== null && route.length > 2).length
    }
    // A load at the beginning, and one each time all states are gone: never because of a rollback.
    expect(loads).toBe(1 + drops)
  } finally {
    await lease.release()
  }
  return seen
}

test('a market that follows all commits, or some, quotes like one that is read from the start', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => void (await follow(steps))),
    { numRuns: 4 * inject('scale'), examples: MISSED_SNAPSHOTS },
  )
}, 180_000)

/** Final blocks without a change make five pools idle; two of them return, one in a block that is rolled back. */
const IDLE: Step[] = [
  ...Array.from({ length: 5 }, () => [
    { kind: 'commit', draws: [0] },
    { kind: 'settle', draws: [3] },
  ]).flat(),
  { kind: 'commit', draws: [1] },
  { kind: 'rollback', draws: [2], isSeen: true },
].map((each) => ({ depth: 1, isSeen: false, ...each }) as Step)

test('pools that become idle leave the market, and return with their next change', async () => {
  const { routes, left, returned } = await follow(IDLE)
  expect(routes).toBeGreaterThan(0)
  expect([left, returned]).toEqual([6, 3])
})
