import fc from 'fast-check'
import { inject } from 'vitest'

/** The number of random quotes in each test. */
export const RUNS = 80 * inject('scale')

/** Draws numbers from 10 ** min to below 10 ** max; each order of magnitude is equally likely. */
export function magnitude(min: number, max: number): fc.Arbitrary<bigint> {
  return fc
    .tuple(fc.integer({ min, max: max - 1 }), fc.bigInt(10n ** 12n, 10n ** 13n - 1n), fc.bigInt(0n, 10n ** 12n))
    .map(([digits, lead, rest]) => {
      const whole = lead * 10n ** 12n + rest
      return digits >= 24 ? whole * 10n ** BigInt(digits - 24) : whole / 10n ** BigInt(24 - digits)
    })
    .map((value) => (value === 0n ? 1n : value))
}

/**
 * Draws amounts of a coin to sell: a few base units, fractions of a balance, up to a hundred balances, and anything
 * else.
 */
export function amountsOf(balance: bigint): fc.Arbitrary<bigint> {
  const shares = magnitude(0, 14).map((part) => (balance * part) / 10n ** 12n + 1n)
  return fc.oneof(
    { weight: 6, arbitrary: shares },
    { weight: 1, arbitrary: fc.bigInt(1n, 1_000n) },
    { weight: 1, arbitrary: magnitude(0, 78) },
  )
}

/** Draws two different coins of a pool. */
export function twoOf(count: number): fc.Arbitrary<{ from: number; to: number }> {
  return fc
    .tuple(fc.integer({ min: 0, max: count - 1 }), fc.integer({ min: 1, max: count - 1 }))
    .map(([from, distance]) => ({ from, to: (from + distance) % count }))
}

export function many<T>(count: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(arbitrary, { minLength: count, maxLength: count })
}
