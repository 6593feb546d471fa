import type { PoolEvent } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { movedOn } from './moved-snapshots.ts'
import { PoolStateTracker } from './pool-state-tracker.ts'

const POOL = '0xcc'
const OTHER = '0xdd'

function mint(pool: typeof POOL | typeof OTHER, tickLower: number, tickUpper: number, delta: bigint): PoolEvent {
  return {
    ...{ type: 'liquidity', family: 'concentrated', pool, transactionIndex: 0, logIndex: 0 },
    ...{ tickLower, tickUpper, delta },
  }
}

const state = { kind: 'concentrated', sqrtPriceX96: 1n, tick: 5, liquidity: 100n } as const
const snapshot = {
  states: [{ pool: POOL, blockNumber: 10, state }],
  ticks: [
    { pool: POOL, blockNumber: 10, tick: 0, gross: 100n, net: 100n },
    { pool: POOL, blockNumber: 10, tick: 60, gross: 100n, net: -100n },
  ],
} as const

const moved = (...events: PoolEvent[]) =>
  movedOn(
    { states: [...snapshot.states], ticks: [...snapshot.ticks] },
    [
      { blockNumber: 11, events },
      { blockNumber: 12, events: [] },
    ],
    12,
    new PoolStateTracker(),
  )

test('a snapshot without events since is that of the later block', () => {
  expect(moved(mint(OTHER, 0, 60, 7n))).toEqual({
    states: snapshot.states.map((at) => ({ ...at, blockNumber: 12, readAt: 10 })),
    ticks: snapshot.ticks.map((at) => ({ ...at, blockNumber: 12 })),
  })
})

test('events since move its state and its ticks, and end ticks that nothing is left of', () => {
  const { states, ticks } = moved(mint(POOL, 0, 120, 7n), mint(POOL, 0, 60, -100n))
  expect(states).toEqual([{ pool: POOL, blockNumber: 12, state: { ...state, liquidity: 7n }, readAt: 10 }])
  expect(ticks).toEqual([
    { pool: POOL, blockNumber: 12, tick: 0, gross: 7n, net: 7n },
    { pool: POOL, blockNumber: 12, tick: 120, gross: 7n, net: -7n },
  ])
})

test('one that an event cannot have followed is none', () => {
  expect(moved(mint(POOL, 0, 60, -101n))).toEqual({ states: [], ticks: [] })
})

test('one that says of less liquidity in range than an event takes is none, though the ticks have enough', () => {
  const [at] = snapshot.states
  const since = [{ blockNumber: 11, events: [mint(POOL, 0, 60, -60n)] }]
  const movedFrom = (liquidity: bigint) => {
    const read = { states: [{ ...at, state: { ...state, liquidity } }], ticks: [...snapshot.ticks] }
    return movedOn(read, since, 11, new PoolStateTracker()).states.map((one) => one.state)
  }
  expect(movedFrom(60n)).toEqual([{ ...state, liquidity: 0n }])
  expect(movedFrom(59n)).toEqual([])
})
