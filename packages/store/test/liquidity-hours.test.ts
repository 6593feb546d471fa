import { dayOf, HOUR_S } from '@dexfeed/dex'
import { openReader } from '@dexfeed/store'
import { describe, expect, it } from 'vitest'
import { curve, hash, header, headers, MIDNIGHT, POOL, pair, TOKEN, tick, V3 } from './rows/sample.ts'
import { database, follow, lease, store, useStore } from './rows/scene.ts'

useStore('eth', 3)

const pricesE18 = new Map([[TOKEN.address, 10n ** 18n]])

/** Stores a full hour after midnight, as of a block, and what the pool holds then. */
async function save(hours: number, blockNumber: number, held: bigint | null, since = 0): Promise<void> {
  const time = MIDNIGHT + hours * HOUR_S
  if (held !== null) await store.savePoolHours(time, [{ pool: POOL.address, amounts: [held, 1n] }])
  await store.saveHour({ time, blockNumber, since: MIDNIGHT + since * HOUR_S, pricesE18 })
}

async function held(from = -24, to = 24): Promise<string[]> {
  const selection = { network: 'eth', pool: POOL.address, interval: HOUR_S } as const
  const span = { from: MIDNIGHT + from * HOUR_S, to: MIDNIGHT + to * HOUR_S }
  const ends = await openReader(database).heldAtEnds({ ...selection, ...span })
  return ends.map(({ time, amounts }) => `${(time - MIDNIGHT) / HOUR_S + 1}: ${amounts[0]}`)
}

describe('the hours of a pool', () => {
  it('go on with its newest row, and end where the states are dropped', async () => {
    await follow(headers(1, 2), [], { finalNumber: 1 })
    await save(1, 1, 5n, 1)
    await save(2, 2, null, 1)
    expect(await held()).toEqual(['1: 5', '2: 5'])
    expect(await store.lastHour()).toEqual({
      time: MIDNIGHT + 2 * HOUR_S,
      blockNumber: 2,
      since: MIDNIGHT + HOUR_S,
      pricesE18,
    })
    await store.dropPoolStates(lease.epoch)
    expect(await store.lastHour()).toBeNull()
    await save(3, 3, null, 3)
    await save(4, 4, 6n, 3)
    expect(await held()).toEqual(['1: 5', '2: 5', '4: 6'])
    expect(await store.lastHour()).toMatchObject({ blockNumber: 4 })
  })

  it('are unknown if its state then was', async () => {
    await save(1, 1, 5n, 1)
    await store.savePoolHours(MIDNIGHT + 2 * HOUR_S, [{ pool: POOL.address, amounts: null }])
    await save(2, 2, null, 1)
    expect(await held()).toEqual(['1: 5'])
  })

  it('of orphaned blocks are deleted, and do not come back', async () => {
    await follow(headers(1, 4), [], { finalNumber: 4 })
    await save(1, 1, 5n, 1)
    await save(2, 3, 6n, 1)
    await store.rollBackBelowFinal(lease.epoch, header(2, MIDNIGHT + 2), [])
    expect(await held()).toEqual(['1: 5'])
    expect(await store.lastHour()).toBeNull()
    await save(2, 2, null, 2)
    expect(await held()).toEqual(['1: 5'])
  })

  it('are deleted if its state proves wrong', async () => {
    await save(1, 1, 5n, 1)
    await store.deleteInvalidHours()
    expect(await held()).toEqual(['1: 5'])
    await store.invalidate([{ pool: POOL.address, blockNumber: 1 }])
    await store.deleteInvalidHours()
    expect(await held()).toEqual([])
  })

  it('go on although the day of its last row is no longer kept', async () => {
    await save(-30, 1, 4n, -30)
    await save(-25, 2, 5n, -30)
    await save(1, 3, null, -30)
    await store.dropDaysBefore(dayOf(MIDNIGHT))
    expect(await held(-40)).toEqual(['1: 5'])
    expect(await database.prisma.poolHour.count()).toBe(1)
  })
})

//   block   1       2       3       4
//   pair    1               3 wrong
//   curve           2, of a tick that later ends
it('the pools at a block have the states and ticks of then, without those that were wrong', async () => {
  const poolStates = [pair(1, 7n), curve(2, 5n), pair(3, 9n)]
  const tickDeltas = [tick(2, 60, 5n), tick(3, 60, -5n)]
  await follow(
    headers(1, 4),
    [],
    { poolStates, tickDeltas, finalNumber: 4 },
    { pools: [POOL, { ...POOL, address: V3, tickSpacing: 60 }] },
  )
  const at = async (block: number) => {
    const pools = await store.poolsAt(block, [POOL.address, V3])
    return pools.map(({ pool, state, ticks }) => {
      const value = state?.kind === 'pair' ? state.reserve0 : state?.kind === 'concentrated' ? state.liquidity : null
      return `${pool.address === V3 ? 'curve' : 'pair'} ${value} ${[...(ticks ?? [])].map(({ gross }) => gross)}`.trim()
    })
  }
  expect(await at(1)).toEqual(['pair 7'])
  expect((await at(2)).sort()).toEqual(['curve 5 5', 'pair 7'])
  expect((await at(3)).sort()).toEqual(['curve 5', 'pair 9'])
  expect(await store.poolsChanged({ above: 1, to: 2 }, null, 10)).toEqual([V3])
  expect(await store.poolsChanged({ above: -1, to: 3 }, null, 1)).toEqual([POOL.address].sort().slice(0, 1))
  await store.invalidate([{ pool: POOL.address, blockNumber: 3 }])
  expect(await at(3)).toEqual(['curve 5'])
  const snapshot = { epoch: lease.epoch, headHash: hash(4), states: [{ ...pair(4, 8n), readAt: 4 }], ticks: [] }
  await store.commitPoolStates(snapshot)
  expect(await at(3)).toEqual(['curve 5'])
  expect((await at(4)).sort()).toEqual(['curve 5', 'pair 8'])
})

it('pruning stops at the given block', async () => {
  await follow(headers(1, 4), [], { poolStates: [1, 2, 3].map((number) => pair(number)), finalNumber: 4 })
  expect(await store.pruneStates(-1, 2)).toBe(2)
  expect(await store.loadPoolStates(2)).toEqual([pair(2)])
  expect(await store.pruneStates(2, 9)).toBe(4)
  expect(await store.loadPoolStates(2)).toEqual([])
})
