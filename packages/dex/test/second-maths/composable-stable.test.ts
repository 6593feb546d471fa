import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstComposable } from './as-first.ts'
import { type ComposableStablePool, composableStableOut } from './composable-stable.ts'
import { amountsOf, magnitude, many, RUNS, twoOf } from './draws.ts'

const ONE = 10n ** 18n
/** The most that the vault can hold of a token. */
const MAX_BALANCE = 2n ** 112n

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

type Quote = typeof quotes extends fc.Arbitrary<infer Drawn> ? Drawn : never

/** Compares both implementations, and returns what the pool pays. */
function compared({ pool, from, to, amountIn }: Quote): bigint | null {
  const first = firstComposable(pool, pool.lent)
  if (first === null) return null
  const out = composableStableOut(pool, from, to, amountIn)
  const isHeld = (pool.balances[from] ?? 0n) + amountIn < MAX_BALANCE
  const cash = (pool.balances[to] ?? 0n) - (pool.lent[to] ?? 0n)
  const amountOut = out !== null && isHeld && out <= cash ? out : null
  expect(first.amountOut(from, to, amountIn)).toBe(amountOut)
  return amountOut
}

test('composable stable pools pay what a transcription of the contracts computes', () => {
  const balances = [10n ** 24n, 2n * 10n ** 24n]
  const pool = { amp: 200_000n, swapFee: 10n ** 14n, scalingFactors: [ONE, ONE], balances, lent: [0n, 0n] }
  expect(compared({ pool, from: 0, to: 1, amountIn: ONE })).toBeGreaterThan(0n)
  fc.assert(
    fc.property(quotes, (quote) => void compared(quote)),
    { numRuns: RUNS },
  )
})
