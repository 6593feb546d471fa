import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstStableSwap } from './as-first.ts'
import { amountsOf, magnitude, many, RUNS, twoOf } from './draws.ts'
import { type StableSwapPool, stableSwapExchange, stableSwapView } from './stable-swap.ts'

/**
 * The contracts, oldest first: Compound and Y; 3pool and PancakeSwap; the templates; factory pools of two; NG; Aave.
 *
 * For extremely unbalanced pools, the oldest contracts use the last value of a method that did not converge. Such
 * pools are not quoted, so all are compared with a contract that reverts.
 */
const VERSIONS: readonly Omit<StableSwapPool, 'balances' | 'rates' | 'amp' | 'fee'>[] = [
  { aPrecision: 1n, invariant: 'plusOne' as const, kept: 0n, isFeeInCoinUnits: true, offpegFeeMultiplier: null },
  { aPrecision: 1n, invariant: 'plain' as const, kept: 1n, isFeeInCoinUnits: true, offpegFeeMultiplier: null },
  { aPrecision: 100n, invariant: 'plain' as const, kept: 1n, isFeeInCoinUnits: false, offpegFeeMultiplier: null },
  { aPrecision: 100n, invariant: 'two' as const, kept: 1n, isFeeInCoinUnits: false, offpegFeeMultiplier: null },
  { aPrecision: 100n, invariant: 'ng' as const, kept: 1n, isFeeInCoinUnits: false, offpegFeeMultiplier: 0n },
  { aPrecision: 100n, invariant: 'plusOne' as const, kept: 0n, isFeeInCoinUnits: true, offpegFeeMultiplier: 0n },
].map((version) => ({ ...version, mustConverge: true, hasOracle: version.invariant === 'ng' }))

const ONE = 10n ** 18n
const fees = fc.oneof(fc.constantFrom(0n, 1_000_000n, 4_000_000n), fc.bigInt(0n, 10n ** 10n - 1n))
const amplifications = fc.oneof(fc.bigInt(1n, 5_000n), fc.bigInt(1n, 10n ** 6n))

const pools: fc.Arbitrary<StableSwapPool> = fc.constantFrom(...VERSIONS).chain((version) =>
  fc.integer({ min: 2, max: version.invariant === 'two' ? 2 : 8 }).chain((count) =>
    fc
      .record({
        amp: amplifications.map((a) => (version.aPrecision === 1n ? a + 1n : a * 100n)),
        fee: fees,
        multiplier: fc.oneof(fc.bigInt(0n, 3n * 10n ** 10n), fc.bigInt(0n, 10n ** 12n)),
        decimals: many(count, fc.integer({ min: 0, max: 30 })),
        prices: many(count, fc.oneof(fc.constant(ONE), fc.bigInt(ONE / 2n, 3n * ONE))),
        size: fc.integer({ min: 19, max: 31 }),
        spread: fc.constantFrom(1, 1, 1, 4, 10),
      })
      .chain(({ amp, fee, multiplier, decimals, prices, size, spread }) => {
        const rates = decimals.map((places, coin) => (10n ** BigInt(36 - places) * (prices[coin] ?? ONE)) / ONE)
        return many(count, magnitude(size - spread, size)).map((values) => ({
          ...version,
          balances: values.map((value, coin) => (value * ONE) / (rates[coin] ?? ONE) + 1n),
          ...{ rates, amp, fee },
          offpegFeeMultiplier: version.offpegFeeMultiplier === null ? null : multiplier,
        }))
      }),
  ),
)

const quotes = pools.chain((pool) =>
  twoOf(pool.balances.length).chain(({ from, to }) =>
    amountsOf(pool.balances[from] ?? 1n).map((amountIn) => ({ pool, from, to, amountIn })),
  ),
)

/** Expects both implementations to pay the same, and returns that amount. */
function compared(pool: StableSwapPool, from: number, to: number, amountIn: bigint): bigint | null {
  const first = firstStableSwap(pool)
  if (first === null) return null
  const pays = pool.isFeeInCoinUnits ? stableSwapView : stableSwapExchange
  const amountOut = pays(pool, from, to, amountIn)
  expect(first.amountOut(from, to, amountIn)).toBe(amountOut)
  return amountOut
}

test('StableSwap pools of all contracts pay what a transcription of the contracts computes', () => {
  for (const version of VERSIONS) {
    const offpegFeeMultiplier = version.offpegFeeMultiplier === null ? null : 2n * 10n ** 10n
    const balances = [10n ** 24n, 2n * 10n ** 24n]
    const pool = { ...version, offpegFeeMultiplier, balances, rates: [ONE, ONE], amp: 20_000n, fee: 4_000_000n }
    expect(compared(pool, 0, 1, ONE)).toBeGreaterThan(0n)
  }
  fc.assert(
    fc.property(quotes, ({ pool, from, to, amountIn }) => void compared(pool, from, to, amountIn)),
    { numRuns: RUNS },
  )
})
