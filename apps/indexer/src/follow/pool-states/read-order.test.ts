import type { Pool, PoolAddress } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { swapIn } from '../../../test/scene/made-values.ts'
import { PendingSnapshots, PoolRanks, READ_FIRST } from './read-order.ts'

const seen = (...pools: PoolAddress[]) => [{ blockNumber: 1, events: pools.map((pool) => swapIn(pool)) }]
const order = (ranks: PoolRanks) => [...ranks.places.keys()]

test('stored trades and later ones count together, each trade once', async () => {
  const ranks = new PoolRanks()
  ranks.note(seen('0xa', '0xb', '0xb'))
  expect(order(ranks)).toEqual(['0xb', '0xa'])
  await ranks.count(async () => {
    ranks.note(seen('0xc'))
    return [
      { pool: '0xa', trades: 3 },
      { pool: '0xb', trades: 2 },
    ]
  })
  expect([...ranks.places]).toEqual([
    ['0xa', 1],
    ['0xb', 2],
    ['0xc', 3],
  ])
  await ranks.count(async () => [
    { pool: '0xa', trades: 3 },
    { pool: '0xb', trades: 4 },
    { pool: '0xc', trades: 1 },
  ])
  expect(order(ranks)).toEqual(['0xb', '0xa', '0xc'])
})

test('a count that fails loses nothing', async () => {
  const ranks = new PoolRanks()
  ranks.note(seen('0xa'))
  await expect(ranks.count(() => Promise.reject(new Error('no database')))).rejects.toThrow()
  expect(order(ranks)).toEqual(['0xa'])
})

test('the most traded pools are read first, alone after a failure, and never before their commit', () => {
  const pending = new PendingSnapshots()
  const pool = (address: PoolAddress): Pool => {
    const factory = `0x${'f'.repeat(40)}` as const
    const dex = { name: 'one', kind: 'uniswap-v2', factory, feeBps: 30 } as Pool['dex']
    return { address, dex, token0: '0x01', token1: '0x02', fee: 3000, tickSpacing: null }
  }
  for (const address of ['0xa', '0xb', '0xc', '0xd'] as const) pending.add(pool(address))
  const places = new Map<PoolAddress, number>([
    ['0xc', 1],
    ['0xb', 2],
    ['0xd', 3],
  ])
  const selected = () => pending.select(({ address }) => address !== '0xb', places, 1).map(({ address }) => address)
  expect(selected()).toEqual(['0xc', '0xd', '0xa'])
  pending.noteOutcome(false)
  expect(selected()).toEqual(['0xc'])
  pending.noteOutcome(true)
  expect(selected()).toHaveLength(3)
})

test('pools with many words come last, except the most traded', () => {
  const pending = new PendingSnapshots()
  const dex = { name: 'one', kind: 'uniswap-v3', factory: `0x${'f'.repeat(40)}` } as Pool['dex']
  const tokens = { token0: '0x01', token1: '0x02' } as const
  const spacings = { '0xa': 1, '0xb': 60, '0xc': 1, '0xd': 60, '0xe': 1, '0xf': 60 } as const
  for (const [address, tickSpacing] of Object.entries(spacings)) {
    pending.add({ address: address as PoolAddress, dex, ...tokens, fee: 100, tickSpacing })
  }
  const places = new Map<PoolAddress, number>([
    ['0xc', READ_FIRST],
    ['0xa', READ_FIRST + 1],
    ['0xb', READ_FIRST + 2],
  ])
  const read: PoolAddress[][] = []
  while (pending.size > 0) {
    const selected = pending.select(() => true, places, 4_000).map(({ address }) => address)
    read.push(selected)
    for (const address of selected) pending.delete(address)
  }
  expect(read).toEqual([['0xc'], ['0xb', '0xd', '0xf'], ['0xa'], ['0xe']])
})
