import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PoolFormula } from '../../src/maths/formula.ts'
import { firstBook, firstInfinityBin } from './as-first.ts'
import { type Bin, type BookPair, binPrice, bookSwapOut, type InfinityBinPool, infinityBinSwapOut } from './bin-swap.ts'
import { amountsOf, magnitude, many, RUNS } from './draws.ts'
import { unlessReverted } from './evm.ts'

/** The id of the bin whose price is 1. */
const MIDDLE = 1 << 23

/** Draws bins around an active bin, which may be missing; a few hold almost nothing, or almost everything. */
const books = fc
  .record({
    binStep: fc.oneof(fc.constantFrom(1, 5, 10, 25, 100), fc.integer({ min: 1, max: 200 })),
    away: fc.oneof(fc.double({ min: -0.2, max: 0.2, noNaN: true }), fc.double({ min: -1.1, max: 1.1, noNaN: true })),
    below: fc.integer({ min: 0, max: 6 }),
    size: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 4, max: 26 }) }, fc.integer({ min: 0, max: 37 })),
    steps: fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 300 })), {
      minLength: 1,
      maxLength: 14,
    }),
  })
  .chain(({ binStep, away, below, size, steps }) => {
    const reserves = fc.oneof({ weight: 9, arbitrary: magnitude(Math.max(size - 3, 0), size + 1) }, fc.constant(0n))
    return many(steps.length * 2, reserves).map((amounts) => {
      // A pool's price lies between 2 ** -128 and 2 ** 128.
      const activeId = MIDDLE + Math.trunc((away * 128 * Math.LN2) / Math.log1p(binStep / 10_000))
      const bins: Bin[] = []
      let id = activeId - below
      for (const [index, step] of steps.entries()) {
        const x = id >= activeId ? (amounts[2 * index] ?? 0n) : 0n
        const y = id <= activeId ? (amounts[2 * index + 1] ?? 0n) : 0n
        bins.push({ id, x, y })
        id += step
      }
      return { binStep, activeId, bins: bins.filter((bin) => bin.id > 0 && bin.id < 0xffffff) }
    })
  })
  .filter(({ activeId }) => activeId > 0 && activeId < 0xffffff)

const infinityPools: fc.Arbitrary<InfinityBinPool> = fc
  .record({
    book: books,
    lpFee: fc.oneof(fc.constantFrom(0n, 67n, 3_000n), fc.bigInt(0n, 100_000n)),
    protocolFees: fc.tuple(fc.constantFrom(0n, 33n, 4_000n), fc.bigInt(0n, 4_000n)),
  })
  .map(({ book, ...fees }) => ({ ...book, ...fees }))

const totalsOf = (bins: readonly Bin[]): [bigint, bigint] => [
  bins.reduce((sum, { x }) => sum + x, 0n),
  bins.reduce((sum, { y }) => sum + y, 0n),
]

function controlFor(percent: bigint, volatility: bigint): bigint {
  const control = (percent * 5n * 10n ** 16n) / (volatility * volatility + 1n)
  return control >> 24n === 0n ? control : (1n << 24n) - 1n
}

const pairs: fc.Arbitrary<BookPair> = fc
  .record({
    book: books,
    fee: fc.oneof({ weight: 9, arbitrary: fc.bigInt(0n, 500n) }, fc.bigInt(0n, 10_000n)),
    // The fee at the highest volatility, as a percentage of a 5 % fee; most pairs stay below the limit.
    variable: fc.oneof({ weight: 9, arbitrary: fc.bigInt(0n, 100n) }, fc.bigInt(0n, 1_000n)),
    maxVolatility: fc.oneof(fc.bigInt(0n, 350_000n), fc.bigInt(0n, (1n << 20n) - 1n)),
    reference: fc.bigInt(0n, 100n),
    idDistance: fc.integer({ min: -5, max: 5 }),
    hasLimit: fc.boolean(),
    protocolShare: fc.bigInt(0n, 2_500n),
    more: magnitude(0, 20),
  })
  .map(({ book, fee, variable, reference, idDistance, more, ...pair }) => ({
    ...book,
    ...pair,
    variableFeeControl: controlFor(variable, pair.maxVolatility * BigInt(book.binStep)),
    baseFactor: (fee * 10_000n) / BigInt(book.binStep),
    volatilityReference: (pair.maxVolatility * reference) / 100n,
    idReference: book.activeId + idDistance,
    reserves: [totalsOf(book.bins)[0] + more, totalsOf(book.bins)[1] + more],
  }))

/** Draws a direction and an input. Most inputs are fractions of what all bins accept at the active price. */
function inputs<Pool extends { binStep: number; activeId: number; bins: readonly Bin[] }>(pool: Pool) {
  return fc.constantFrom(0, 1).chain((from) => {
    const price = unlessReverted(() => binPrice(pool.activeId, pool.binStep)) ?? 1n
    const [x, y] = totalsOf(pool.bins)
    const all = from === 0 ? (y << 128n) / price : (x * price) >> 128n
    return amountsOf(all + 1n).map((amountIn) => ({ pool, from, amountIn }))
  })
}

const ONE = 10n ** 18n
/** A swap of 1.5 crosses a bin. */
const USUAL = {
  ...{ binStep: 10, activeId: MIDDLE },
  bins: [
    { id: MIDDLE - 1, x: 0n, y: ONE },
    { id: MIDDLE, x: ONE, y: ONE },
    { id: MIDDLE + 1, x: ONE, y: 0n },
  ],
}
const SOLD = (3n * ONE) / 2n

/** Compares what a pool pays by both implementations, and returns it. */
function compared(first: PoolFormula | null, from: number, amountIn: bigint, amountOut: bigint | null): bigint | null {
  if (first === null) return null
  expect(first.amountOut(from, 1 - from, amountIn)).toBe(amountOut)
  return amountOut
}

test('Infinity Bin pools pay what a transcription of the contracts computes', () => {
  const comparedPool = (pool: InfinityBinPool, from: number, amountIn: bigint) =>
    compared(firstInfinityBin(pool), from, amountIn, infinityBinSwapOut(pool, from, amountIn))
  const usual: InfinityBinPool = { ...USUAL, lpFee: 3_000n, protocolFees: [33n, 33n] }
  for (const from of [0, 1]) expect(comparedPool(usual, from, SOLD)).toBeGreaterThan(ONE)
  fc.assert(
    fc.property(infinityPools.chain(inputs), ({ pool, from, amountIn }) => void comparedPool(pool, from, amountIn)),
    { numRuns: RUNS },
  )
})

test('pairs of the Liquidity Book pay what a transcription of the contracts computes', () => {
  const comparedPair = (pair: BookPair, from: number, amountIn: bigint) =>
    compared(firstBook(pair), from, amountIn, bookSwapOut(pair, from, amountIn))
  const usual: Omit<BookPair, 'hasLimit'> = {
    ...{ ...USUAL, reserves: totalsOf(USUAL.bins), baseFactor: 8_000n, variableFeeControl: 40_000n },
    ...{ maxVolatility: 350_000n, volatilityReference: 0n, idReference: MIDDLE, protocolShare: 1_000n },
  }
  for (const hasLimit of [false, true]) {
    for (const from of [0, 1]) expect(comparedPair({ ...usual, hasLimit }, from, SOLD)).toBeGreaterThan(ONE)
  }
  fc.assert(
    fc.property(pairs.chain(inputs), ({ pool, from, amountIn }) => void comparedPair(pool, from, amountIn)),
    { numRuns: RUNS },
  )
})
