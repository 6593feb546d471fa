import {
  type Database,
  type IndexerStore,
  openDatabase,
  openIndexerStore,
  openReader,
  type Reader,
} from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { MarketWriter, POOLS, registerMarket } from '../../test/market/market-writer.ts'
import { LiveMarketFollower } from './live-market.ts'

// The indexer reads a pool from the chain while the API reads the database:
//
//   indexer   unread ............ state stored, no longer unread
//   API             market read                                  unread pools read
//
// The resulting market must hold the pool, or know that it is missing.
const V3 = 1
const POOL = POOLS[V3] ?? POOLS[0]

let database: Database
let store: IndexerStore
let writer: MarketWriter
let epoch: number

beforeEach(async () => {
  database = await openDatabase(await testDatabase(), { applicationName: 'test-unread-race', max: 6 })
  closeAfter(() => database.close())
  store = openIndexerStore(database, 'eth')
  await registerMarket(store)
  const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
  closeAfter(() => lease.release())
  epoch = lease.epoch
  writer = new MarketWriter(store, epoch)
  await writer.commit([0])
  await store.changeUnreadPools(epoch, { unread: [{ pool: pool().address, place: 1 }], read: null })
})

const pool = () => POOL ?? expect.fail()

async function readFromChain(): Promise<void> {
  await writer.snapshot(V3)
  await store.changeUnreadPools(epoch, { unread: [], read: [pool().address] })
}

/** Stops the follower's clock. Returns a function that moves it on, so that unread pools are read again. */
function standingClock(): () => void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return () => void vi.advanceTimersByTime(10_000)
}

/** A reader that finds the pool read from the chain as soon as the named query has returned. */
function overtaken(name: 'market' | 'marketChanges'): Reader {
  const reader = openReader(database)
  const query = reader[name] as (...parameters: unknown[]) => Promise<unknown>
  let isDone = false
  return {
    ...reader,
    [name]: async (...parameters: unknown[]) => {
      const result = await query(...parameters)
      if (!isDone) await readFromChain()
      isDone = true
      return result
    },
  }
}

function isKnownOrMissed({ current }: LiveMarketFollower) {
  const { market, unread } = current ?? expect.fail('the network is indexed')
  return [market.pool(pool().address) !== null, unread.mightCarry(market, pool().token0, pool().token1)]
}

test.each(['market', 'marketChanges'] as const)(
  'a pool that is read from the chain during %s is held, or known as missing',
  async (name) => {
    const pass = standingClock()
    const follower = new LiveMarketFollower('eth', overtaken(name))
    await follower.refresh()
    expect(isKnownOrMissed(follower)).toEqual([false, true])
    if (name === 'marketChanges') {
      await writer.commit([0])
      pass()
      await follower.refresh()
      expect(isKnownOrMissed(follower)).toEqual([false, true])
    }
    pass()
    await follower.refresh()
    expect(isKnownOrMissed(follower)[0]).toBe(true)
  },
)

test('an invalidated pool is missing as soon as it is no longer held', async () => {
  await readFromChain()
  standingClock()
  const follower = new LiveMarketFollower('eth', openReader(database))
  await follower.refresh()
  expect(isKnownOrMissed(follower)).toEqual([true, false])
  await writer.invalidate(V3)
  await follower.refresh()
  expect(isKnownOrMissed(follower)).toEqual([false, true])
})

test('so is one that is invalidated during the first load of the market', async () => {
  await readFromChain()
  const reader = openReader(database)
  const unreadPools: Reader['unreadPools'] = async (network) => {
    const unread = await reader.unreadPools(network)
    await writer.invalidate(V3)
    return unread
  }
  const follower = new LiveMarketFollower('eth', { ...reader, unreadPools })
  await follower.refresh()
  expect(isKnownOrMissed(follower)).toEqual([false, true])
})
