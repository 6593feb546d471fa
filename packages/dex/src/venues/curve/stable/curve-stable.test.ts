import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { recordedFormulas } from '../../../../test/formulas/recorded-formulas.ts'
import { upperBound } from '../../../maths/formula.ts'
import { present } from '../../../present.ts'
import { CURVE_STABLE, type StablePool, stablePoolOf, stableValues } from './curve-stable.ts'

const UNIT = 10n ** 18n
const RUNS = 60 * inject('scale')

const pools = fc.constantFrom(
  ...present(recordedFormulas['curve-stable']).map(({ values }) => present(stablePoolOf(values.map(BigInt))?.pool)),
)
/**
 * Two coins of a pool, and an amount in trillionths of the first coin's balance, up to a thousand times the balance.
 */
const swaps = pools.chain((pool) =>
  fc.record({
    pool: fc.constant(pool),
    from: fc.nat(pool.balances.length - 1),
    distance: fc.integer({ min: 1, max: pool.balances.length - 1 }),
    part: fc.oneof(fc.bigInt(1n, 10n ** 6n), fc.bigInt(1n, 10n ** 12n), fc.bigInt(10n ** 12n, 10n ** 15n)),
  }),
)

function swapOf({ pool, from, distance, part }: { pool: StablePool; from: number; distance: number; part: bigint }) {
  const maths = CURVE_STABLE.of(stableValues(pool))
  const to = (from + distance) % pool.balances.length
  const amountIn = ((pool.balances[from] ?? 0n) * part) / 10n ** 12n + 1n
  /** Four units of the common size, in base units of the output, plus one. */
  const dust = (4n * UNIT) / (pool.rates[to] ?? 1n) + 1n
  return { maths, from, to, amountIn, dust }
}

describe('a pool', () => {
  test('never pays more than its bound, except the last units of rounding', () => {
    fc.assert(
      fc.property(swaps, (swap) => {
        const { maths, from, to, amountIn, dust } = swapOf(swap)
        const amountOut = maths?.amountOut(from, to, amountIn)
        if (!maths || amountOut === null || amountOut === undefined) return
        const { rate, depth } = maths.bound(from, to)
        expect(Number(amountOut - dust)).toBeLessThanOrEqual(upperBound(rate, depth, Number(amountIn)))
      }),
      { numRuns: RUNS },
    )
  })

  test('pays almost the rate of its bound for a small amount', () => {
    fc.assert(
      fc.property(swaps, ({ pool, from, distance }) => {
        const to = (from + distance) % pool.balances.length
        // Large balances, so that an amount with negligible rounding is still small.
        const balances = pool.balances.map((_, coin) => 10n ** 24n * BigInt(1 + ((coin * 7) % 5)))
        const maths = CURVE_STABLE.of(
          stableValues({ ...pool, balances, rates: balances.map(() => UNIT), offPegMultiplier: 0n }),
        )
        const amountIn = 10n ** 18n
        const amountOut = maths?.amountOut(from, to, amountIn) ?? 0n
        const rate = maths?.bound(from, to).rate ?? 0
        expect(Number(amountOut) / (Number(amountIn) * rate)).toBeGreaterThan(1 - 1e-4)
      }),
      { numRuns: RUNS },
    )
  })

  test('does not pay less for more, except the last units of rounding, and where its fee grows with the swap', () => {
    fc.assert(
      fc.property(swaps, fc.bigInt(0n, 10n ** 18n), (swap, more) => {
        fc.pre(swap.pool.offPegMultiplier === 0n)
        const { maths, from, to, amountIn, dust } = swapOf(swap)
        const amountOut = maths?.amountOut(from, to, amountIn)
        const greater = maths?.amountOut(from, to, amountIn + more)
        if (typeof amountOut === 'bigint' && typeof greater === 'bigint') {
          expect(greater).toBeGreaterThanOrEqual(amountOut - dust)
        }
      }),
      { numRuns: RUNS },
    )
  })
})
