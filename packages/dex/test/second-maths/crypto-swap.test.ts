import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstCrypto } from './as-first.ts'
import { type CryptoPool, type CryptoVersion, cryptoInvariant, cryptoSwapOut } from './crypto-swap.ts'
import { amountsOf, magnitude, many, RUNS, twoOf } from './draws.ts'

const ONE = 10n ** 18n
const VERSIONS: readonly CryptoVersion[] = ['tricrypto', 'two', 'tricrypto-ng', 'twocrypto-ng-2.0', 'twocrypto-ng-2.1']

/** The largest A and gamma of each contract, as powers of ten; slightly larger ones are drawn too. */
const gammas = fc.oneof({ weight: 9, arbitrary: magnitude(10, 17) }, { weight: 1, arbitrary: magnitude(9, 19) })
const amplifications = fc.oneof({ weight: 9, arbitrary: magnitude(4, 7) }, { weight: 1, arbitrary: magnitude(3, 10) })

const pools: fc.Arbitrary<CryptoPool> = fc.constantFrom(...VERSIONS).chain((version) => {
  const count = version.startsWith('tri') ? 3 : 2
  return fc
    .record({
      ann: amplifications,
      gamma: gammas,
      decimals: many(count, fc.integer({ min: 0, max: 18 })),
      priceScale: many(count - 1, fc.oneof(magnitude(16, 23), magnitude(12, 27))),
      midFee: fc.bigInt(0n, 10n ** 8n),
      moreFee: fc.bigInt(0n, 10n ** 9n),
      feeGamma: fc.oneof({ weight: 9, arbitrary: magnitude(10, 18) }, { weight: 1, arbitrary: fc.constant(0n) }),
      size: fc.integer({ min: 18, max: 31 }),
      moved: fc.oneof({ weight: 3, arbitrary: fc.constant(1_000n) }, fc.bigInt(900n, 1_100n)),
      isRamping: fc.constantFrom(false, false, false, true),
      spread: fc.constantFrom(1, 1, 2, 3),
    })
    .chain(({ decimals, size, spread, midFee, moreFee, moved, isRamping, ...pool }) =>
      many(count, magnitude(size - spread, size)).map((values) => {
        const precisions = decimals.map((places) => 10n ** BigInt(18 - places))
        const prices = [ONE, ...pool.priceScale]
        const balances = values.map(
          (value, coin) => (value * ONE) / ((precisions[coin] ?? 1n) * (prices[coin] ?? ONE)) + 1n,
        )
        const whole = { ...pool, version, balances, precisions, midFee, outFee: midFee + moreFee, d: null }
        if (isRamping) return whole
        const total = values.reduce((sum, value) => sum + value, 0n)
        return { ...whole, d: ((cryptoInvariant(whole) ?? total) * moved) / 1_000n }
      }),
    )
})

const quotes = pools.chain((pool) =>
  twoOf(pool.balances.length).chain(({ from, to }) =>
    amountsOf(pool.balances[from] ?? 1n).map((amountIn) => ({ pool, from, to, amountIn })),
  ),
)

/** Compares both implementations, and returns what the pool pays. */
function compared(pool: CryptoPool, from: number, to: number, amountIn: bigint): bigint | null {
  const first = firstCrypto(pool)
  if (first === null) return null
  const amountOut = cryptoSwapOut(pool, from, to, amountIn)
  expect(first.amountOut(from, to, amountIn)).toBe(amountOut)
  return amountOut
}

test.each(VERSIONS)('a usual pool of %s pays what a transcription of the contract computes', (version) => {
  const coins = version.startsWith('tri') ? [1n, 1n, 1n] : [1n, 1n]
  const moving: CryptoPool = {
    ...{ version, ann: 400_000n, gamma: 145_000_000_000_000n, d: null },
    ...{ midFee: 26_000_000n, outFee: 45_000_000n, feeGamma: 230_000_000_000_000n },
    ...{ balances: coins.map(() => 10n ** 24n), precisions: coins, priceScale: coins.slice(1).map(() => ONE) },
  }
  for (const pool of [moving, { ...moving, d: cryptoInvariant(moving) }]) {
    expect(compared(pool, 0, 1, ONE)).toBeGreaterThan(0n)
  }
})

test('crypto pools of all contracts pay what a transcription of the contracts computes', () => {
  fc.assert(
    fc.property(quotes, ({ pool, from, to, amountIn }) => void compared(pool, from, to, amountIn)),
    { numRuns: RUNS },
  )
})
