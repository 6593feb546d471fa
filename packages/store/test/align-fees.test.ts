import type { Dex, Pool } from '@dexfeed/dex'
import { LeaseLost, openReader } from '@dexfeed/store'
import { beforeEach, expect, it } from 'vitest'
import { address, deployment, POOL } from './rows/sample.ts'
import { database, fill, lease, store, useStore } from './rows/scene.ts'

const [{ feeBps: _, ...FORK }] = deployment('polygon').dexes as [Dex]
const FEE_CALL = { function: 'swapFee', of: 'pair', denominator: 1000 } as const
/** A pool of another fork. */
const OTHER: Pool = { ...POOL, address: address(0xa1), dex: { ...POOL.dex, factory: address(0xf1) } }
const STATELESS: Pool = { ...POOL, address: address(0xa2) }

useStore('polygon', 3)

beforeEach(async () => {
  await fill(1, 9, [], { pools: [POOL, OTHER, STATELESS] })
  // The writer has reported the found pools.
  await database.prisma.unreadPool.deleteMany()
})

/** Runs `alignFees` with this fee configured for the fork. */
async function configure(fee: Pick<Dex, 'feeBps' | 'feeCall'>, epoch = lease.epoch, others: Dex[] = [OTHER.dex]) {
  const reorgs = async () => (await store.networkRow())?.reorgs ?? 0
  const before = await reorgs()
  await store.alignFees(epoch, [{ ...FORK, ...fee }, ...others])
  return {
    fees: Object.fromEntries((await store.loadPools()).map(({ address: pool, fee }) => [pool, fee])),
    states: (await store.loadPoolStates()).map(({ pool }) => pool).sort(),
    unread: (await openReader(database).unreadPools('polygon')).map((pool) => pool.address),
    rollbacks: (await reorgs()) - before,
  }
}

/** Stores a state of the pool, read with this fee or without a fee (null). */
async function read(pool: Pool, fee: number | null): Promise<void> {
  const fees = fee === null ? {} : { feeZeroForOne: fee, feeOneForZero: fee, feeExact: true }
  const key = { chainId: 137, pool: Buffer.from(pool.address.slice(2), 'hex') }
  await database.prisma.poolState.create({
    data: { ...key, revision: 1, blockNumber: 9, reserve0: 1, reserve1: 1, ...fees },
  })
  await database.prisma.unreadPool.deleteMany()
}

const feesOf = (fee: number) => ({ [POOL.address]: fee, [OTHER.address]: 3000, [STATELESS.address]: fee })
const BOTH = { states: [POOL.address, OTHER.address], unread: [], rollbacks: 0 }
const DELETED = { states: [OTHER.address], unread: [], rollbacks: 1 }

//  fee:      configured      reported by the pair      not known      another configured fee
//  state:    without one     with one                  none           without one: it stays
it('pools have the fee configured for their factory, and states read under another configuration are deleted', async () => {
  await read(OTHER, null)
  await read(POOL, null)
  expect(await configure({ feeBps: 30 })).toEqual({ fees: feesOf(3000), ...BOTH })
  expect(await configure({ feeCall: FEE_CALL })).toEqual({ fees: feesOf(0), ...DELETED, unread: [POOL.address] })
  await read(POOL, 2000)
  expect(await configure({ feeCall: FEE_CALL })).toEqual({ fees: feesOf(0), ...BOTH })
  expect(await configure({ feeBps: null })).toEqual({ fees: feesOf(0), ...DELETED })
  expect(await configure({ feeBps: null })).toEqual({ fees: feesOf(0), ...DELETED, rollbacks: 0 })
  await read(POOL, null)
  expect(await configure({ feeBps: 25 })).toEqual({ fees: feesOf(2500), ...BOTH, rollbacks: 1 })
})

it('a pool that is no longer quoted is not marked as unread, whatever was found of it', async () => {
  await store.invalidate([{ pool: POOL.address, blockNumber: 9 }])
  await configure({ feeCall: FEE_CALL })
  expect(await store.invalidatedPools()).toEqual([{ pool: POOL.address, blockNumber: 9 }])
  expect(await configure({ feeBps: null })).toMatchObject({ states: [], unread: [] })
  expect(await store.invalidatedPools()).toEqual([])
})

//  the other fork:    configured      left out: its events change nothing      configured again
it('states of a fork that is no longer configured are deleted, with their ticks and findings', async () => {
  await read(OTHER, null)
  await read(POOL, null)
  const key = { chainId: 137, pool: Buffer.from(OTHER.address.slice(2), 'hex') }
  await database.prisma.poolTick.create({ data: { ...key, revision: 1, blockNumber: 9, tick: 5, gross: 1, net: 1 } })
  await store.invalidate([{ pool: OTHER.address, blockNumber: 9 }])
  expect(await configure({ feeBps: 30 })).toEqual({ fees: feesOf(3000), ...BOTH, unread: [OTHER.address] })
  const left = await configure({ feeBps: 30 }, lease.epoch, [])
  expect(left).toEqual({ fees: feesOf(3000), states: [POOL.address], unread: [], rollbacks: 1 })
  expect(await store.invalidatedPools()).toEqual([])
  expect(await database.prisma.poolTick.count()).toBe(0)
  expect(await configure({ feeBps: 30 }, lease.epoch, [])).toEqual({ ...left, rollbacks: 0 })
  expect(await configure({ feeBps: 30 })).toEqual({ ...left, rollbacks: 0 })
})

it('another configuration is ignored if its process does not hold the lease', async () => {
  await read(POOL, null)
  await expect(configure({ feeCall: FEE_CALL }, lease.epoch - 1)).rejects.toThrow(LeaseLost)
  expect(await configure({ feeBps: 30 })).toEqual({ fees: feesOf(3000), ...BOTH, states: [POOL.address] })
})
