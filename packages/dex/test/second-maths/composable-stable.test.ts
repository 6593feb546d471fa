import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstComposable } from './as-first.ts'
import { type ComposableStablePool, composableStableOut } from './composable-stable.ts'
import { amountsOf, magnitude, many, RUNS, twoOf } from './draws.ts'

const ONE = 10n ** 18n
/** What the vault can hold of a token. */
const MOST = 2n ** 112n

const pools: fc.Arbitrary<ComposableStablePool & { lent: bigint[] }> = fc.integer({ min: 2, max: 5 }).chain((count) =>
  fc
    .record({
      amp: fc.bigInt(1_000n, 5_000_000n),
      swapFee: fc.oneof(fc.constantFrom(0n, 10n ** 12n, 4n * 10n ** 14n), fc.bigInt(0n, 10n ** 17n)),
      decimals: many(count, fc.integer({ min: 0, max: 18 })),
      rates: many(count, fc.oneof(fc.constant(ONE), fc.bigInt(ONE / 2n, 3n * ONE))),
      lent: many(count, fc.constantFrom(0n, 0n, 0n, 50n, 100n)),
      size: fc.integer({ min: 19, max: 31 }),
      spread: fc.constantFrom(1, 1, 1, 4, 10),
    })
    .chain(({ decimals, rates, size, spread, lent, ...pool }) => {
      const scalingFactors = decimals.map((places, coin) => 10n ** BigInt(18 - places) * (rates[coin] ?? ONE))
      return many(count, magnitude(size - spread, size)).map((values) => {
        const balances = values.map((value, coin) => (value * ONE) / (scalingFactors[coin] ?? ONE) + 1n)
        const outside = balances.map((balance, coin) => (balance * (lent[coin] ?? 0n)) / 100n)
        return { ...pool, balances, scalingFactors, lent: outside }
      })
    }),
)

const quotes = pools.chain((pool) =>
  twoOf(pool.balances.length).chain(({ from, to }) =>
    amountsOf(pool.balances[from] ?? 1n).map((amountIn) => ({ pool, from, to, amountIn })),
  ),
)

test('composable stable pools pay what a transcription of the contracts computes', () => {
  const seen = { unknown: 0, paid: 0, reverted: 0 }
  fc.assert(
    fc.property(quotes, ({ pool, from, to, amountIn }) => {
      const first = firstComposable(pool, pool.lent)
      const out = composableStableOut(pool, from, to, amountIn)
      const isHeld = (pool.balances[from] ?? 0n) + amountIn < MOST
      const cash = (pool.balances[to] ?? 0n) - (pool.lent[to] ?? 0n)
      const amountOut = out !== null && isHeld && out <= cash ? out : null
      seen[first === null ? 'unknown' : amountOut === null ? 'reverted' : 'paid']++
      if (first !== null) expect(first.amountOut(from, to, amountIn)).toBe(amountOut)
    }),
    { numRuns: RUNS },
  )
  expect(seen.paid).toBeGreaterThan(0)
})
