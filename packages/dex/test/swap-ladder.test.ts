import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { getSqrtRatioAtTick } from '../src/maths/tick-math.ts'
import { SwapLadder } from '../src/quote/pool-maths/swap-ladder.ts'
import { TickList } from '../src/quote/pool-maths/tick-list.ts'
import { anyMagnitude, concentratedPool, stateOf, ticksOf } from './random/pool.ts'
import { type ReferencePool, referenceSwap } from './reference-pool.ts'

function ladderOf(pool: ReferencePool, zeroForOne: boolean): SwapLadder {
  return new SwapLadder(pool.state, new TickList(pool.spacing, pool.ticks), pool.fee, zeroForOne)
}

function expected(pool: ReferencePool, zeroForOne: boolean, amountIn: bigint): bigint | null {
  const swap = referenceSwap(pool, zeroForOne, amountIn)
  return swap.remaining === 0n ? swap.amountOut : null
}

const amounts = fc.array(anyMagnitude(150), { minLength: 1, maxLength: 6 })

test.each([
  ['over a real tick bitmap', concentratedPool()],
  ['from one initialised tick to the next without a spacing', concentratedPool().map((p) => ({ ...p, spacing: 0 }))],
])('every quote equals the step-by-step swap %s', (_, pools) => {
  fc.assert(
    fc.property(pools, fc.boolean(), amounts, (pool, zeroForOne, inputs) => {
      const ladder = ladderOf(pool, zeroForOne)
      for (const amountIn of inputs) expect(ladder.quote(amountIn)).toBe(expected(pool, zeroForOne, amountIn))
    }),
    { numRuns: 50 * inject('scale') },
  )
})

test('the input that ends exactly on a step end, and its neighbours, equal the step-by-step swap', () => {
  fc.assert(
    fc.property(concentratedPool(), fc.boolean(), anyMagnitude(110), (pool, zeroForOne, amountIn) => {
      const { remaining } = referenceSwap(pool, zeroForOne, amountIn)
      // If some input is left over, the pool is exhausted: the input it used is the most that it can accept.
      const edge = amountIn - remaining
      const ladder = ladderOf(pool, zeroForOne)
      for (const near of [edge - 1n, edge, edge + 1n]) {
        if (near > 0n) expect(ladder.quote(near)).toBe(expected(pool, zeroForOne, near))
      }
    }),
    { numRuns: 24 * inject('scale') },
  )
})

test('more input never gives less output, and what is too much for a pool stays too much', () => {
  fc.assert(
    fc.property(concentratedPool(), fc.boolean(), amounts, anyMagnitude(40), (pool, zeroForOne, inputs, more) => {
      const ladder = ladderOf(pool, zeroForOne)
      for (const amountIn of inputs) {
        const less = ladder.quote(amountIn)
        const greater = ladder.quote(amountIn + more)
        if (less === null) expect(greater).toBeNull()
        else if (greater !== null) expect(greater >= less).toBe(true)
      }
    }),
    { numRuns: 60 * inject('scale') },
  )
})

test('a word boundary ends a step although no tick is initialised there', () => {
  const ticks = ticksOf([{ lower: -600, upper: 600, liquidity: 12_345_678_901_234_567n }])
  const pool = { state: stateOf(ticks, 200, getSqrtRatioAtTick(200)), ticks, spacing: 1, fee: 100n }
  const through = 300_000_000_000_000n
  expect(ladderOf(pool, true).quote(through)).toBe(expected(pool, true, through))
  const sameWithoutWords = { ...pool, spacing: 600 }
  expect(ladderOf(sameWithoutWords, true).quote(through)).not.toBe(expected(pool, true, through))
})

test('nothing is quoted for no input, without ticks, or beyond the last tick', () => {
  const ticks = ticksOf([{ lower: -60, upper: 60, liquidity: 10n ** 18n }])
  const pool = { state: stateOf(ticks, 0, getSqrtRatioAtTick(0)), ticks, spacing: 60, fee: 3000n }
  expect(ladderOf(pool, true).quote(0n)).toBeNull()
  expect(ladderOf(pool, true).quote(-1n)).toBeNull()
  expect(ladderOf(pool, true).quote(10n ** 18n)).toBeNull()
  expect(ladderOf({ ...pool, ticks: [] }, true).quote(1000n)).toBeNull()
})

test('a changed tick list gives the quotes of a new list', () => {
  fc.assert(
    fc.property(concentratedPool(200), concentratedPool(200), fc.boolean(), (pool, other, zeroForOne) => {
      const list = new TickList(pool.spacing, other.ticks)
      for (const row of other.ticks) list.apply({ ...row, gross: 0n })
      for (const row of pool.ticks) list.apply(row)
      const changed = new SwapLadder(pool.state, list, pool.fee, zeroForOne)
      expect(list.size).toBe(pool.ticks.length)
      for (const amountIn of [1000n, 10n ** 12n, 10n ** 20n]) {
        expect(changed.quote(amountIn)).toBe(ladderOf(pool, zeroForOne).quote(amountIn))
      }
    }),
    { numRuns: 10 * inject('scale') },
  )
})
