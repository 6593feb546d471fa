import { expect, test } from 'vitest'
import { boundOf } from './pool-in-state.ts'

const coins = ['0x01', '0x02'] as const
const pool = { address: '0x03', token0: coins[0], token1: coins[1], fee: 0, tickSpacing: null } as const
const state = { kind: 'formula', formula: 'dodo', values: [], freshUntil: null } as const

test.each([
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, 0],
  [1, Number.NaN],
  [-1, 0],
])('a bound that cannot be compared (rate %d, depth %d) counts as no output', (rate, depth) => {
  const maths = { balances: [1n, 1n], amountOut: () => 1n, bound: () => ({ rate, depth }) }
  const current = { pool, state, ticks: null, formula: { maths, coin0: 0, coin1: 1, work: 1 } }
  expect(boundOf(current, true)).toEqual({ rate: 0, depth: 0 })
})
