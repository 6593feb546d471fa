import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { upperBound } from '../../../maths/output-bound.ts'
import recorded from './curve-plain-quotes.json' with { type: 'json' }
import { CURVE_STABLE, type StablePool, stableValues } from './curve-stable.ts'

const UNIT = 10n ** 18n
const RUNS = 60 * inject('scale')

/** Pools of two to eight coins, with balances from dust to trillions, near their peg and far from it. */
const pools: fc.Arbitrary<StablePool> = fc.integer({ min: 2, max: 8 }).chain((count) => {
  const many = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: count, maxLength: count })
  return fc
    .record({
      amplification: fc.bigInt(100n, 1_000_000n),
      precision: fc.constantFrom(1n, 100n),
      rounding: fc.constantFrom('each', 'each-plus-one', 'last'),
      keepsOne: fc.boolean(),
      prices: fc.constantFrom('none', 'capped', 'whole'),
      takesFee: fc.constant('before'),
      fee: fc.bigInt(0n, 10n ** 8n),
      offPegMultiplier: fc.constantFrom(0n, 2n * 10n ** 10n, 20n * 10n ** 10n),
      decimals: many(fc.integer({ min: 0, max: 18 })),
      shares: many(fc.bigInt(10n ** 12n, 10n ** 15n)),
      size: fc.bigInt(1n, 10n ** 9n),
      growth: many(fc.bigInt(UNIT / 2n, 2n * UNIT)),
    })
    .map(({ decimals, shares, size, growth, ...pool }) => ({
      ...pool,
      basis: null,
      balances: decimals.map((places, coin) => (size * 10n ** BigInt(places) * (shares[coin] ?? 1n)) / 10n ** 15n),
      rates: decimals.map((places, coin) => 10n ** BigInt(18 - places) * (growth[coin] ?? UNIT)),
    }))
})
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

test('quotes of a recorded pool of the factory are those that a router computed', () => {
  const maths = CURVE_STABLE.of(
    stableValues({
      amplification: BigInt(recorded.amplification),
      precision: BigInt(recorded.precision),
      ...{
        rounding: 'last',
        keepsOne: true,
        prices: 'none',
        takesFee: 'before',
        offPegMultiplier: 0n,
        basis: null,
      },
      fee: BigInt(recorded.fee),
      balances: recorded.balances.map(BigInt),
      rates: recorded.rates.map(BigInt),
    }),
  )
  for (const [from, to, amountIn, amountOut] of recorded.quotes) {
    expect(maths?.amountOut(Number(from), Number(to), BigInt(amountIn ?? 0))).toBe(BigInt(amountOut ?? 0))
  }
})

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

test('values that no pool can have are refused, and no values make it throw or slow', () => {
  const numbers = fc.oneof(fc.bigInt(0n, 10n), fc.bigInt(-5n, 2n ** 256n), fc.bigInt(0n, 2n ** 128n))
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 30 }), fc.nat(9), fc.nat(9), numbers, (values, from, to, amount) => {
      const maths = CURVE_STABLE.of([2n, ...values])
      const amountOut = maths?.amountOut(from, to, amount) ?? null
      if (amountOut !== null) expect(amountOut).toBeGreaterThanOrEqual(0n)
      expect(maths?.bound(from, to).rate ?? 0).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 400 * inject('scale') },
  )
  expect(CURVE_STABLE.of([])).toBeNull()
})
