import { openReader } from '@dexfeed/store'
import { readMarket } from '@dexfeed/test-setup/read-market'
import { expect, it } from 'vitest'
import { versionOf } from './rows/read-changes.ts'
import { curve, hash, headers, POOL, pair, tick, V3 } from './rows/sample.ts'
import { database, follow, lease, store, useStore } from './rows/scene.ts'

useStore('eth', 3)

/** Commits blocks 1 to `last`; block 1 has wrong states of both pools. */
async function wrongSince1(last: number): Promise<void> {
  const changes = { poolStates: [pair(1, 666n), curve(1, 666n)], tickDeltas: [tick(1, -60, 666n), tick(1, 60, 666n)] }
  await follow(headers(1, last), [], changes, { pools: [POOL, { ...POOL, address: V3 }] })
}

/** Commits a state of the V3 pool at block `head` that was read from the chain at block `readAt`. */
async function commitRead(head: number, readAt: number) {
  const at = { epoch: lease.epoch, headHash: hash(head) }
  return store.commitPoolStates({ ...at, states: [{ ...curve(head, 7n), readAt }], ticks: [tick(head, 60, 7n)] })
}

const wrongAt = (blockNumber: number) => ({ pool: V3, blockNumber })
const invalidated = async () => (await store.invalidatedPools()).map(({ pool }) => pool)
const stored = async () => store.committedStates([V3])

it('a pool found wrong is valid again only after a snapshot of a later block than the finding', async () => {
  await wrongSince1(4)
  await store.invalidate([wrongAt(3)])
  expect(await commitRead(4, 2)).toEqual([V3])
  expect(await commitRead(4, 3)).toEqual([V3])
  expect(await invalidated()).toEqual([V3])
  expect(await store.loadPoolStates()).toContainEqual(curve(1, 666n))
  expect(await commitRead(4, 4)).toEqual([])
  expect(await invalidated()).toEqual([])
  expect(await stored()).toMatchObject({ head: { number: 4 }, states: [curve(4, 7n)], ticks: [tick(4, 60, 7n)] })
})

it('of two findings the one at the later block counts, in any order', async () => {
  await wrongSince1(4)
  await store.invalidate([wrongAt(3), wrongAt(2)])
  await store.invalidate([wrongAt(1)])
  expect(await store.invalidatedPools()).toEqual([wrongAt(3)])
})

// 1 (wrong) - 2 - 3 (read again)
//              `- 3'              the state of 1 does not come back, and the pool is invalid again
it('a rollback of the snapshot does not bring the wrong state back, nor leaves the pool valid', async () => {
  await wrongSince1(3)
  await store.invalidate([wrongAt(2)])
  await commitRead(3, 3)
  await follow(headers(3, 3, 1), [], { rollbackTo: 2 })
  expect(await store.loadPoolStates()).toEqual([pair(1, 666n)])
  expect(await stored()).toMatchObject({ states: [], ticks: [] })
  expect(await store.invalidatedPools()).toEqual([wrongAt(2)])
})

it('a finding is kept until the snapshot after it is final', async () => {
  const kept = () => database.prisma.invalidatedPool.count()
  await wrongSince1(3)
  await store.invalidate([wrongAt(1)])
  await commitRead(3, 2)
  expect(await invalidated()).toEqual([])
  await store.noteFinal(lease.epoch, 2)
  const pruned = await store.pruneStates(0)
  expect([pruned, await kept()]).toEqual([2, 1])
  await store.noteFinal(lease.epoch, 3)
  expect([await store.pruneStates(pruned), await kept()]).toEqual([3, 0])
})

it('a pool that is found wrong again is invalid again', async () => {
  await wrongSince1(4)
  await store.invalidate([wrongAt(1)])
  await commitRead(4, 3)
  await store.invalidate([wrongAt(2)])
  expect(await store.invalidatedPools()).toEqual([wrongAt(2)])
})

it('the versions of a pool that was never invalidated stay, for a rollback', async () => {
  await wrongSince1(3)
  await commitRead(3, 3)
  await follow(headers(3, 3, 1), [], { rollbackTo: 2 })
  expect(await store.loadPoolStates()).toContainEqual(curve(1, 666n))
})

it('readers see the invalidated pools in the same snapshot as their states', async () => {
  const reader = openReader(database)
  await wrongSince1(4)
  const market = (await readMarket(reader, 'eth')) ?? expect.fail()
  expect(market.invalidated).toEqual([])
  await store.invalidate([wrongAt(3)])
  expect(await readMarket(reader, 'eth')).toMatchObject({ invalidated: [V3] })
  expect(await reader.marketChanges('eth', versionOf(market.network))).toMatchObject({ invalidated: [V3], states: [] })
  expect((await reader.unreadPools('eth')).map((pool) => pool.address)).toEqual([V3])
  await commitRead(4, 4)
  const changes = await reader.marketChanges('eth', versionOf(market.network))
  expect(changes).toMatchObject({ invalidated: [], states: [curve(4, 7n)] })
  expect(changes?.ticks).toContainEqual({ ...tick(4, -60, 0n), net: 0n })
})

it('the stored states of pools are of one block, without the invalidated pools', async () => {
  await wrongSince1(2)
  await store.invalidate([wrongAt(2)])
  expect(await store.poolsWithState(null, 10)).toEqual([POOL.address, V3].sort())
  expect(await store.committedStates([POOL.address, V3])).toEqual({
    head: expect.objectContaining({ number: 2, hash: hash(2) }),
    states: [pair(1, 666n)],
    ticks: [],
  })
})

it('pools with a state are listed in the order of their addresses, after any of them', async () => {
  await wrongSince1(1)
  const [first, second] = [POOL.address, V3].sort()
  expect(await store.poolsWithState(null, 1)).toEqual([first])
  expect(await store.poolsWithState(first ?? null, 1)).toEqual([second])
  expect(await store.poolsWithState(second ?? null, 1)).toEqual([])
})

it('invalidated pools are deleted when all states are', async () => {
  await wrongSince1(2)
  await store.invalidate([wrongAt(2)])
  await store.dropPoolStates(lease.epoch)
  expect(await invalidated()).toEqual([])
})

it('pools are listed if changes would leave a tick below zero, or above what a pool holds, as of any block', async () => {
  await wrongSince1(2)
  expect(await store.overdrawnPools(2, [tick(3, 60, -666n)])).toEqual([])
  expect(await store.overdrawnPools(2, [tick(3, 60, -600n), tick(4, 60, -67n)])).toEqual([V3])
  expect(await store.overdrawnPools(2, [tick(3, 60, 1n), tick(4, 60, -667n)])).toEqual([])
  expect(await store.overdrawnPools(0, [tick(1, 60, -1n)])).toEqual([V3])
  expect(await store.overdrawnPools(2, [tick(3, 60, 2n ** 127n - 667n)])).toEqual([])
  expect(await store.overdrawnPools(2, [tick(3, 60, 2n ** 127n - 666n)])).toEqual([V3])
  expect(await store.overdrawnPools(2, [{ ...tick(3, 60, 1n), net: 2n ** 127n }])).toEqual([V3])
})

it('the last compared pool is stored', async () => {
  expect(await store.checkedPool()).toBeNull()
  await store.setCheckedPool(POOL.address)
  await store.setCheckedPool(V3)
  expect(await store.checkedPool()).toBe(V3)
  await store.setCheckedPool(null)
  expect(await store.checkedPool()).toBeNull()
})
