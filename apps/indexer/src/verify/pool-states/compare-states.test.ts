import type { PoolState, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { compareStates } from './state-checker.ts'

const fee = { zeroForOne: 100, oneForZero: 200, exact: true }
const pair = { kind: 'pair', reserve0: 5n, reserve1: 6n } as const
const curve = { kind: 'concentrated', sqrtPriceX96: 1n, tick: 5, liquidity: 100n } as const
const ticks = [tick(0, 100n, 100n), tick(60, 100n, -100n)]

function tick(at: number, gross: bigint, net: bigint): TickLiquidityAt {
  return { pool: '0xcc', blockNumber: 3, tick: at, gross, net }
}

const of = (state: PoolState, ...held: TickLiquidityAt[]) => ({
  states: [{ pool: '0xcc', blockNumber: 3, state } satisfies PoolStateAt],
  ticks: held,
})
const columns = (stored: ReturnType<typeof of>, read: ReturnType<typeof of>) =>
  compareStates(9, stored, read).flatMap((difference) => difference.columns.map(({ name }) => name))

test('equal states do not differ, whatever block made them', () => {
  const later = { states: of(curve).states.map((at) => ({ ...at, blockNumber: 9 })), ticks: [...ticks].reverse() }
  expect(compareStates(9, of(curve, ...ticks), later)).toEqual([])
  expect(compareStates(9, of(pair), of(pair))).toEqual([])
})

test.each<[string, PoolState, PoolState]>([
  ['reserve0', pair, { ...pair, reserve0: 4n }],
  ['reserve1', pair, { ...pair, reserve1: 7n }],
  ['sqrt_price_x96', curve, { ...curve, sqrtPriceX96: 2n }],
  ['tick', curve, { ...curve, tick: 4 }],
  ['liquidity', curve, { ...curve, liquidity: 99n }],
  ['fee_zero_for_one', { ...pair, fee }, { ...pair, fee: { ...fee, zeroForOne: 101 } }],
  ['fee_zero_for_one', { ...curve, fee }, { ...curve, fee: { ...fee, zeroForOne: 101 } }],
  ['fee_one_for_zero', { ...curve, fee }, { ...curve, fee: { ...fee, oneForZero: 0 } }],
  ['fee_exact', { ...curve, fee }, { ...curve, fee: { ...fee, exact: false } }],
])('another %s', (name, stored, read) => {
  expect(columns(of(stored), of(read))).toEqual([name])
})

test('a fee that only one side has', () => {
  const names = ['fee_zero_for_one', 'fee_one_for_zero', 'fee_exact']
  expect(columns(of({ ...curve, fee }), of(curve))).toEqual(names)
  expect(columns(of(curve), of({ ...curve, fee }))).toEqual(names)
})

test.each<[string, TickLiquidityAt[], string]>([
  ['less liquidity at a tick', [tick(0, 99n, 100n), tick(60, 100n, -100n)], 'tick 0'],
  ['another net', [tick(0, 100n, 100n), tick(60, 100n, 100n)], 'tick 60'],
  ['a tick that the chain does not have', [tick(0, 100n, 100n)], 'tick 60'],
  ['a tick that is not stored', [...ticks, tick(-120, 1n, 1n)], 'tick -120'],
])('%s', (_, read, name) => {
  expect(columns(of(curve, ...ticks), of(curve, ...read))).toEqual([name])
})

test('values of both sides are reported, with the block', () => {
  expect(compareStates(9, of(curve, tick(0, 1n, 1n)), of(curve))).toEqual([
    { pool: '0xcc', blockNumber: 9, columns: [{ name: 'tick 0', stored: '1 gross 1 net', chain: 'nothing' }] },
  ])
})

test('a pool without a state on the chain differs if it is quoted', () => {
  const none = { states: [], ticks: [] }
  expect(columns(of(pair), none as never)).toEqual(['state'])
  expect(columns(of({ ...curve, fee }, ...ticks), none as never)).toEqual(['state'])
  expect(columns(of({ ...curve, fee: { ...fee, exact: false } }, ...ticks), none as never)).toEqual([])
})

test('states read of other pools do not matter', () => {
  expect(compareStates(9, { states: [], ticks: [] }, of(curve, ...ticks))).toEqual([])
})
