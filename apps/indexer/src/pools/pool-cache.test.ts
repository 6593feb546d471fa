import { type Address, type Pool, ZERO_ADDRESS } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { addressesOf, madeDeployment, pairDex, pairPool, tokenOf } from '../../test/scene/made-values.ts'
import { PoolCache } from './pool-cache.ts'

const [FACTORY, A, B, C, WRAPPED] = addressesOf('fa', '0a', '0b', '0c', 'ee')
const dex = pairDex(FACTORY)
const deployment = madeDeployment({
  wrappedNative: WRAPPED,
  dexes: [dex],
  tokens: [{ address: C, symbol: 'CUR', name: 'Curated', decimals: 2 }],
})
const [FIRST, SECOND] = [pairPool('0x01', dex, A, B), pairPool('0x02', dex, B, C)]
const addresses = (list: readonly { address: Address }[]) => list.map(({ address }) => address)

function knownPools(stored: readonly Pool[] = []): PoolCache {
  return new PoolCache(deployment, { pools: stored, tokens: [] })
}

test('new pools and tokens are committed with the rows that refer to them, until a commit succeeds', async () => {
  const known = knownPools()
  for (const address of [A, B]) known.tokens.add(tokenOf(address))
  known.addVerified([FIRST, SECOND])
  const commit = (isCommitted: boolean) =>
    known.saveWith([FIRST.address, FIRST.address], { from: 7, trades: [] }, async () => {
      if (!isCommitted) throw new Error('the database is away')
    })
  await expect(commit(false)).rejects.toThrow('the database is away')
  expect(known.isSaved(FIRST.address)).toBe(false)
  expect(await commit(true)).toEqual({ from: 7, trades: [], pools: [FIRST], tokens: [tokenOf(A), tokenOf(B)] })
  expect(known.isSaved(FIRST.address)).toBe(true)
  expect(await commit(true)).toEqual({ from: 7, trades: [], pools: [], tokens: [] })
  // Its tokens are already stored: one is curated, one was saved before.
  const second = await known.saveWith([SECOND.address], {}, async () => undefined)
  expect(second).toEqual({ pools: [SECOND], tokens: [] })
})

test('rows name the wrapper of the native coin in its place', () => {
  expect(knownPools().tokensOf(pairPool('0x03', dex, ZERO_ADDRESS, A))).toEqual([WRAPPED, A])
})

test('a token that only rows name is missing until it responds, and is committed with these rows', async () => {
  const known = knownPools()
  const [EARLY, LATE] = ['0xea', '0x1a'].map((start) => `${start.padEnd(42, '1')}` as Address) as [Address, Address]
  known.tokens.add(tokenOf(EARLY))
  known.tokens.expect([EARLY, LATE])
  expect(known.tokens.missing()).toEqual([LATE])
  const end = (of: Address) => ({ token: of, amount: 1n, native: false })
  const trades = [{ sell: end(EARLY), buy: end(LATE) }]
  expect(await known.saveWith([], { trades }, async () => undefined)).toMatchObject({ tokens: [tokenOf(EARLY)] })
  expect(await known.saveWith([], { trades }, async () => undefined)).toMatchObject({ tokens: [] })
  known.tokens.add(tokenOf(LATE))
  expect(known.tokens.missing()).toEqual([])
  expect(await known.tokens.saveLate(async (late) => late)).toEqual([tokenOf(LATE)])
})

test('a pool that is verified twice at the same time is saved once', async () => {
  const known = knownPools()
  known.addVerified([FIRST])
  await known.saveWith([FIRST.address], {}, async () => undefined)
  known.addVerified([FIRST])
  expect(known.isSaved(FIRST.address)).toBe(true)
})

test('each reader gets all pools once, including those that other processes stored', () => {
  const known = knownPools([FIRST])
  const read = known.poolReader()
  expect(addresses(read())).toEqual([FIRST.address])
  expect(read()).toEqual([])
  known.addStored({ pools: [FIRST, SECOND], tokens: [] })
  expect(addresses(read())).toEqual([SECOND.address])
  expect(addresses(known.poolReader()())).toEqual([FIRST.address, SECOND.address])
})

test('a pool that a rollback deletes is new again, and the block that creates a pool always stores it', async () => {
  const known = knownPools([FIRST])
  const save = (created: readonly Pool[]) =>
    known.saveWith(
      [FIRST.address],
      { creations: created.map(({ address: pool }) => ({ pool })) },
      async () => undefined,
    )
  expect(await save([])).toMatchObject({ pools: [] })
  expect(await save([FIRST])).toMatchObject({ pools: [FIRST] })
  known.forget([FIRST.address, SECOND.address])
  expect(known.pools.has(FIRST.address)).toBe(false)
  known.addVerified([FIRST])
  expect(known.isSaved(FIRST.address)).toBe(false)
  expect(await save([])).toMatchObject({ pools: [FIRST] })
})
