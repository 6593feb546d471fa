import type { PoolEvent } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { impossiblePools, moveSnapshots, PoolStateTracker } from './pool-state-tracker.ts'

const [POOL, OTHER] = ['0xcc', '0xdd'] as const
const from = (pool: `0x${string}`) => ({ pool, transactionIndex: 0, logIndex: 0 })
const sync = (reserve0: bigint): PoolEvent => ({
  type: 'reserves',
  family: 'pair',
  ...from('0xaa'),
  reserve0,
  reserve1: 7n,
})
const initialize: PoolEvent = { type: 'initialize', family: 'concentrated', ...from('0xcc'), sqrtPriceX96: 1n, tick: 5 }
const liquidity = (tickLower: number, tickUpper: number, delta: bigint, pool: typeof POOL | typeof OTHER = POOL) => ({
  ...({ type: 'liquidity', family: 'concentrated', ...from(pool) } as const),
  tickLower,
  tickUpper,
  delta,
})
const swap = (tick: number, inRange: bigint): PoolEvent => ({
  type: 'swap',
  family: 'concentrated',
  ...from(POOL),
  amount0: 1n,
  amount1: -1n,
  state: { kind: 'concentrated', sqrtPriceX96: 2n, tick, liquidity: inRange },
})

test('the last state of each block is kept, one version per block', () => {
  const { poolStates } = new PoolStateTracker().changes([
    { blockNumber: 1, events: [sync(1n), sync(2n)] },
    { blockNumber: 3, events: [sync(3n)] },
  ])
  expect(poolStates.map(({ blockNumber, state }) => [blockNumber, state.kind === 'pair' && state.reserve0])).toEqual([
    [1, 2n],
    [3, 3n],
  ])
})

test('a pair whose fee comes from a contract starts with a read, and keeps the fee while its reserves move', () => {
  const tracker = new PoolStateTracker(() => ({ beginsRead: true }))
  expect(tracker.changes([{ blockNumber: 1, events: [sync(1n)] }]).poolStates).toEqual([])
  const fee = { zeroForOne: 2000, oneForZero: 2000, exact: true }
  tracker.apply([{ pool: '0xaa', state: { kind: 'pair', reserve0: 1n, reserve1: 7n, fee } }])
  const { poolStates } = tracker.changes([{ blockNumber: 2, events: [sync(5n)] }])
  expect(poolStates.map(({ state }) => state)).toEqual([{ kind: 'pair', reserve0: 5n, reserve1: 7n, fee }])
})

test('liquidity counts towards the active one from its lower tick on, up to but not at its upper one', () => {
  const { poolStates, tickDeltas } = new PoolStateTracker().changes([
    {
      blockNumber: 1,
      events: [
        initialize,
        liquidity(0, 10, 100n),
        liquidity(5, 6, 1n),
        liquidity(6, 9, 1_000n),
        liquidity(0, 5, 7_000n),
      ],
    },
    { blockNumber: 2, events: [liquidity(0, 10, -40n), liquidity(0, 10, 0n)] },
  ])
  expect(poolStates.map(({ state }) => state.kind === 'concentrated' && state.liquidity)).toEqual([101n, 61n])
  expect(tickDeltas).toContainEqual({ pool: '0xcc', tick: 10, blockNumber: 2, gross: -40n, net: 40n })
  expect(tickDeltas).toContainEqual({ pool: '0xcc', tick: 6, blockNumber: 1, gross: 1_001n, net: 999n })
})

test('the share of the protocol stays with the state, because no swap event holds it', () => {
  const share = (protocolFee: number): PoolEvent => {
    return { type: 'protocol-fee', family: 'managed', ...from(POOL), protocolFee }
  }
  const { poolStates } = new PoolStateTracker(undefined, () => 3000).changes([
    { blockNumber: 1, events: [initialize, share(4097), swap(1, 9n)] },
    { blockNumber: 2, events: [share(0)] },
  ])
  const state = { kind: 'concentrated', sqrtPriceX96: 2n, tick: 1, liquidity: 9n }
  expect(poolStates.map((at) => at.state)).toEqual([
    { ...state, fee: { zeroForOne: 3001, oneForZero: 3001, exact: true } },
    state,
  ])
  expect(new PoolStateTracker().changes([{ blockNumber: 1, events: [share(1)] }]).poolStates).toEqual([])
  const ofHooks = new PoolStateTracker(undefined, () => null)
  const [moved] = ofHooks.changes([{ blockNumber: 1, events: [initialize, share(4097)] }]).poolStates
  expect(moved?.state.fee?.exact).toBe(false)
})

test('a concentrated pool with unknown ticks is not tracked until a snapshot holds them', () => {
  const tracker = new PoolStateTracker()
  const events = [swap(1, 9n), liquidity(0, 10, 5n)]
  expect(tracker.changes([{ blockNumber: 1, events }])).toEqual({ poolStates: [], tickDeltas: [] })
  tracker.apply([{ pool: '0xcc', state: { kind: 'concentrated', sqrtPriceX96: 1n, tick: 0, liquidity: 4n } }])
  const { poolStates } = tracker.changes([{ blockNumber: 2, events }])
  expect(poolStates[0]?.state).toEqual({ kind: 'concentrated', sqrtPriceX96: 2n, tick: 1, liquidity: 14n })
})

test('changes that are not applied leave no trace', () => {
  const tracker = new PoolStateTracker()
  tracker.changes([{ blockNumber: 1, events: [sync(1n)] }])
  expect(tracker.has('0xaa')).toBe(false)
})

test('a pool with a moving fee starts with a read, and keeps its fee until an event changes it', () => {
  const tracker = new PoolStateTracker(() => ({ beginsRead: true }))
  const fee = (change: object): PoolEvent => ({ type: 'fee', family: 'concentrated', ...from('0xcc'), change })
  const begin = [initialize, fee({ zeroForOne: 9 }), liquidity(0, 10, 5n)]
  expect(tracker.changes([{ blockNumber: 1, events: begin }])).toEqual({ poolStates: [], tickDeltas: [] })
  const known = { zeroForOne: 100, oneForZero: 100, exact: true }
  tracker.apply([
    { pool: '0xcc', state: { kind: 'concentrated', sqrtPriceX96: 0n, tick: 0, liquidity: 0n, fee: known } },
  ])
  const { poolStates } = tracker.changes([
    { blockNumber: 2, events: [initialize] },
    { blockNumber: 3, events: [fee({ zeroForOne: 700, oneForZero: 700 }), swap(1, 9n)] },
    { blockNumber: 4, events: [swap(2, 8n), fee({ exact: false })] },
  ])
  expect(poolStates.map(({ state }) => state)).toMatchObject([
    { tick: 5, fee: known },
    { tick: 1, fee: { zeroForOne: 700, oneForZero: 700, exact: true } },
    { tick: 2, fee: { zeroForOne: 700, oneForZero: 700, exact: false } },
  ])
})

test('a fee event does not affect a pool with a fixed fee', () => {
  const tracker = new PoolStateTracker()
  const change: PoolEvent = { type: 'fee', family: 'concentrated', ...from('0xcc'), change: { zeroForOne: 1 } }
  const { poolStates } = tracker.changes([{ blockNumber: 1, events: [initialize, change] }])
  expect(poolStates.map(({ state }) => state)).toEqual([
    { kind: 'concentrated', sqrtPriceX96: 1n, tick: 5, liquidity: 0n },
  ])
})

const state = { kind: 'concentrated', sqrtPriceX96: 1n, tick: 5, liquidity: 100n } as const
const snapshot = {
  states: [{ pool: POOL, blockNumber: 10, state }],
  ticks: [
    { pool: POOL, blockNumber: 10, tick: 0, gross: 100n, net: 100n },
    { pool: POOL, blockNumber: 10, tick: 60, gross: 100n, net: -100n },
  ],
} as const

const moved = (...events: PoolEvent[]) =>
  moveSnapshots(
    { states: [...snapshot.states], ticks: [...snapshot.ticks] },
    [
      { blockNumber: 11, events },
      { blockNumber: 12, events: [] },
    ],
    12,
    new PoolStateTracker(),
  )

test('a snapshot without later events holds for the later block', () => {
  expect(moved(liquidity(0, 60, 7n, OTHER))).toEqual({
    states: snapshot.states.map((at) => ({ ...at, blockNumber: 12, readAt: 10 })),
    ticks: snapshot.ticks.map((at) => ({ ...at, blockNumber: 12 })),
  })
})

test('later events move its state and ticks, and remove empty ticks', () => {
  const { states, ticks } = moved(liquidity(0, 120, 7n), liquidity(0, 60, -100n))
  expect(states).toEqual([{ pool: POOL, blockNumber: 12, state: { ...state, liquidity: 7n }, readAt: 10 }])
  expect(ticks).toEqual([
    { pool: POOL, blockNumber: 12, tick: 0, gross: 7n, net: 7n },
    { pool: POOL, blockNumber: 12, tick: 120, gross: 7n, net: -7n },
  ])
})

test('a state that an event cannot have followed is left out', () => {
  expect(moved(liquidity(0, 60, -101n))).toEqual({ states: [], ticks: [] })
})

test('a state with less liquidity in range than an event removes is left out, though the ticks have enough', () => {
  const [at] = snapshot.states
  const since = [{ blockNumber: 11, events: [liquidity(0, 60, -60n)] }]
  const movedFrom = (liquidity: bigint) => {
    const read = { states: [{ ...at, state: { ...state, liquidity } }], ticks: [...snapshot.ticks] }
    return moveSnapshots(read, since, 11, new PoolStateTracker()).states.map((snapshotAt) => snapshotAt.state)
  }
  expect(movedFrom(60n)).toEqual([{ ...state, liquidity: 0n }])
  expect(movedFrom(59n)).toEqual([])
})

const PSM = '0xdd'
const touch: PoolEvent = { type: 'touch', family: 'maker-psm', ...from(PSM) }
const readAgain = () => new PoolStateTracker(() => ({ isReadAgain: true }))
const psm = (values: readonly bigint[] | null, freshUntil: number | null = null) =>
  ({ kind: 'formula', formula: 'psm', values, freshUntil }) as const

test('any event makes the state of a formula unknown, once, until it is read again', () => {
  const tracker = readAgain()
  expect(tracker.changes([{ blockNumber: 1, events: [touch] }]).poolStates).toEqual([])
  tracker.apply([{ pool: PSM, state: psm([1n]) }])
  expect(tracker.has(PSM)).toBe(true)
  const { poolStates } = tracker.changes([
    { blockNumber: 2, events: [touch, touch] },
    { blockNumber: 3, events: [touch] },
  ])
  expect(poolStates).toEqual([{ pool: PSM, blockNumber: 2, state: psm(null) }])
  expect(impossiblePools({ poolStates, tickDeltas: [] })).toEqual([])
  tracker.apply(poolStates)
  expect(tracker.has(PSM)).toBe(false)
})

test('a read state of a formula counts only if no event came since', () => {
  const read = { states: [{ pool: PSM, blockNumber: 10, state: psm([1n]) }], ticks: [] } as const
  const moved = (...events: PoolEvent[]) =>
    moveSnapshots({ states: [...read.states], ticks: [] }, [{ blockNumber: 11, events }], 12, readAgain()).states
  expect(moved()).toEqual([{ ...read.states[0], blockNumber: 12, readAt: 10 }])
  expect(moved(touch)).toEqual([])
})

test('states that change with time alone are found by the time of their reading', () => {
  const tracker = readAgain()
  tracker.apply([
    { pool: PSM, state: psm([1n], 1_060) },
    { pool: '0xee', state: psm([1n]) },
  ])
  expect([...tracker.agedAt(999)]).toEqual([])
  expect([...tracker.agedAt(1_000)]).toEqual([PSM])
  tracker.apply([{ pool: PSM, state: psm(null, 1_060) }])
  expect([...tracker.agedAt(2_000)]).toEqual([])
})
