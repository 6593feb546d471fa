import { expect, it } from 'vitest'
import type { Address } from '../chain.ts'
import type { PoolFormula } from '../maths/formula.ts'
import { hopMid } from './hop-mid.ts'
import type { PoolInState } from './pool-maths/pool-in-state.ts'

const [A, B] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as [Address, Address]
const pool = { address: A, token0: A, token1: B, fee: 3_000, tickSpacing: null }
const hop = { tokenIn: A, tokenOut: B }
const back = { tokenIn: B, tokenOut: A }

it('of a pair is the ratio of its reserves', () => {
  const poolInState: PoolInState = {
    pool,
    state: { kind: 'pair', reserve0: 10n, reserve1: 40n },
    ticks: null,
    formula: null,
  }
  expect(hopMid(poolInState, hop)).toEqual({ numerator: 40n, denominator: 10n })
  expect(hopMid(poolInState, back)).toEqual({ numerator: 10n, denominator: 40n })
})

it('of concentrated liquidity is its price', () => {
  const state = { kind: 'concentrated', sqrtPriceX96: 2n << 96n, tick: 13_863, liquidity: 1n } as const
  const mid = hopMid({ pool, state, ticks: null, formula: null }, back)
  expect(Number(mid?.numerator) / Number(mid?.denominator)).toBe(0.25)
})

it('of a formula is the mean of its two rates, so that equal fees cancel out', () => {
  // One unit of coin 0 is worth four of coin 1. Each direction keeps a tenth as a fee.
  const maths: PoolFormula = {
    balances: [10n ** 24n, 4n * 10n ** 24n],
    amountOut: (from, _, amount) => (from === 0 ? (amount * 36n) / 10n : (amount * 9n) / 40n),
    bound: () => ({ rate: 1, depth: 0 }),
  }
  const state = { kind: 'formula', formula: 'any' as never, values: [], freshUntil: null } as const
  const each = { pool, state, ticks: null, formula: { maths, coin0: 0, coin1: 1, work: 1 } }
  const mid = hopMid(each, hop)
  expect(Number(mid?.numerator) / Number(mid?.denominator)).toBeCloseTo(4, 9)
  expect(hopMid({ ...each, state: null }, hop)).toBeNull()
})
