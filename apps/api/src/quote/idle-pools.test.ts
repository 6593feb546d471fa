import { bestRoute } from '@dexfeed/dex'
import { type Database, openDatabase, openIndexerStore, openReader, type Reader } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { beforeEach, expect, test } from 'vitest'
import { AMOUNT, MarketWriter, POOLS, registerMarket } from '../../test/market/market-writer.ts'
import { LiveMarketFollower } from './live-market.ts'

// Two blocks without an event make a pool idle. Block 6 is the final block and the head:
//
//   block        1  2  3  4  5  6
//   first pool   x  x  x  x  x  x
//   V3 pool      x                    idle, like all others
const [FIRST, V3] = [0, 1]
const V3_POOL = POOLS[V3] ?? POOLS[0]

let database: Database
let idle: Reader
let writer: MarketWriter
let release: () => Promise<void>

beforeEach(async () => {
  database = await openDatabase(await testDatabase(), { applicationName: 'test-idle-pools', max: 6 })
  closeAfter(() => database.close())
  idle = openReader(database, { marketPageRows: 3, idlePoolS: 20 })
  const store = openIndexerStore(database, 'eth')
  await registerMarket(store)
  const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
  release = () => lease.release()
  closeAfter(release)
  writer = new MarketWriter(store, lease.epoch)
  // The last draw names the pool; earlier draws decide about its ticks.
  await writer.commit([FIRST, V3, 2, 3, 4, 5])
  await writer.snapshot(V3)
})

async function follower(reader = idle): Promise<LiveMarketFollower> {
  const follower = new LiveMarketFollower('eth', reader)
  await follower.refresh()
  return follower
}

/** Five blocks in which only the first pool is traded; all become final. */
async function letIdle(...followers: LiveMarketFollower[]): Promise<void> {
  for (let block = 0; block < 5; block++) {
    await writer.commit([FIRST])
    await writer.settle(3)
    for (const liveMarketFollower of followers) await liveMarketFollower.refresh()
  }
}

function held({ current }: LiveMarketFollower): (string | undefined)[] {
  return [...(current?.market.pools() ?? [])].map(({ pool }) => pool.address).sort()
}

/** Returns what the V3 pool gives for an amount that crosses its ticks. */
function overTicks({ current }: LiveMarketFollower): bigint | undefined {
  const { token0, token1, address } = V3_POOL ?? expect.fail()
  const route = current && bestRoute(current.market, { sell: token1, buy: token0, amountIn: AMOUNT / 500n, maxHops: 1 })
  expect(route?.hops[0]?.pool.address ?? address).toBe(address)
  return route?.amountOut
}

test('an idle pool leaves memory, and its routes with it', async () => {
  const seeing = await follower()
  expect(held(seeing)).toHaveLength(POOLS.length)
  await letIdle(seeing)
  expect(held(seeing)).toEqual([POOLS[FIRST]?.address])
  expect(overTicks(seeing)).toBeUndefined()
})

test('it returns whole with its next event, immediately in every process', async () => {
  const [seeing, whole] = [await follower(), await follower(openReader(database))]
  await letIdle(seeing)
  const absent = await follower()
  expect(held(absent)).toEqual([POOLS[FIRST]?.address])
  // An event that touches two of its four ticks, and reports no other.
  await writer.commit([V3 + POOLS.length])
  await Promise.all([seeing, absent, whole].map((liveMarketFollower) => liveMarketFollower.refresh()))
  const started = await follower()
  for (const liveMarketFollower of [seeing, absent, started]) {
    expect(held(liveMarketFollower)).toEqual([POOLS[FIRST]?.address, V3_POOL?.address].sort())
    const ticks = (of: LiveMarketFollower) =>
      [...(of.current?.market.pools() ?? [])].find(({ pool }) => pool.address === V3_POOL?.address)?.ticks?.size
    expect(ticks(liveMarketFollower)).toBe(4)
    expect(ticks(liveMarketFollower)).toBe(ticks(whole))
    expect(overTicks(liveMarketFollower)).toBeGreaterThan(0n)
    expect(overTicks(liveMarketFollower)).toBe(overTicks(whole))
  }
})

test('a pool that returned with an orphaned block leaves again, and returns as it was', async () => {
  const seeing = await follower()
  await letIdle(seeing)
  await writer.commit([V3 + POOLS.length])
  await seeing.refresh()
  const first = overTicks(seeing)
  await writer.commit([FIRST], 1)
  await seeing.refresh()
  expect(held(seeing)).toEqual([POOLS[FIRST]?.address])
  await writer.commit([V3 + POOLS.length])
  await seeing.refresh()
  expect(overTicks(seeing)).toBe(first)
  expect(overTicks(seeing)).toBe(overTicks(await follower(openReader(database))))
})

test('without an idle time no pool is idle', async () => {
  const seeing = await follower(openReader(database, { idlePoolS: 0 }))
  await letIdle(seeing)
  expect(held(seeing)).toHaveLength(POOLS.length)
})
