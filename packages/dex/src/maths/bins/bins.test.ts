import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { solveMinInput } from '../../quote/pool-maths/min-input.ts'
import { infinityBin, infinityBinValues } from '../../venues/infinity/bin-quote.ts'
import { type LiquidityBookState, liquidityBook, liquidityBookValues } from '../../venues/liquidity-book/quote.ts'
import type { FormulaKind } from '../formula.ts'
import { upperBound } from '../output-bound.ts'
import { type Bin, BinFormula } from './bin-formula.ts'
import { binPrices } from './bin-price.ts'

const MIDDLE = 1 << 23
const UNIT = 10n ** 18n
const bins: Bin[] = [
  { id: MIDDLE - 2, reserve0: 0n, reserve1: 7n * UNIT },
  { id: MIDDLE, reserve0: 5n * UNIT, reserve1: 3n * UNIT },
  { id: MIDDLE + 1, reserve0: 9n * UNIT, reserve1: 0n },
]
const infinity = { binStep: 10n, activeId: BigInt(MIDDLE), fees: [3_000n, 0n], shares: [1_000n, 0n], bins } as const
const book: LiquidityBookState = {
  ...{ binStep: 10n, activeId: BigInt(MIDDLE), baseFactor: 5_000n, variableFeeControl: 40_000n, protocolShare: 1_000n },
  ...{ maxVolatility: 350_000n, volatilityReference: 0n, idReference: BigInt(MIDDLE) },
  ...{ isLiquidityLimited: true, totals: [14n * UNIT, 10n * UNIT], bins },
}

test('a bin exchanges at its price, less the fee, and a swap goes on to the next bin that pays', () => {
  const maths = infinityBin.of(infinityBinValues(infinity))
  expect(maths?.balances).toEqual([14n * UNIT, 10n * UNIT])
  expect(maths?.amountOut(1, 0, UNIT)).toBe(UNIT)
  expect(maths?.amountOut(0, 1, UNIT)).toBe((UNIT * 997n) / 1_000n)
  const beyond = maths?.amountOut(1, 0, 6n * UNIT) ?? 0n
  expect(beyond).toBe(5n * UNIT + (UNIT * 1_000n) / 1_001n)
})

test('a swap beyond the known bins has no amount', () => {
  const maths = infinityBin.of(infinityBinValues(infinity))
  expect(maths?.amountOut(1, 0, 15n * UNIT)).toBeNull()
  expect(maths?.amountOut(0, 1, 11n * UNIT)).toBeNull()
  expect([maths?.amountOut(0, 0, 1n), maths?.amountOut(0, 2, 1n), maths?.amountOut(0, 1, 0n)]).toEqual([
    null,
    null,
    null,
  ])
})

test('the fee of a pair grows with each bin from where its volatility is counted', () => {
  const moved = liquidityBook.of(liquidityBookValues({ ...book, idReference: BigInt(MIDDLE - 3) }))
  const calm = liquidityBook.of(liquidityBookValues(book))
  // 0.05 %, and 3 bins: (3 * 10,000 * 10)^2 * 40,000 / 100
  expect(calm?.amountOut(0, 1, UNIT)).toBe(UNIT - UNIT / 2_000n)
  expect(moved?.amountOut(0, 1, UNIT)).toBe(UNIT - UNIT / 2_000n - 36_000_000_000_000n)
})

test('prices multiply from bin to bin, and a bin far from the middle has none', () => {
  const price = binPrices(25n)
  expect(price(MIDDLE)).toBe(1n << 128n)
  expect(Number(price(MIDDLE + 100)) / 2 ** 128).toBeCloseTo(1.0025 ** 100, 10)
  expect(Number(price(MIDDLE - 100)) / 2 ** 128).toBeCloseTo(1.0025 ** -100, 10)
  expect([price(0), price(2 ** 24 - 1), price(MIDDLE - 60_000)]).toEqual([null, null, null])
})

test('values that no pool has are refused', () => {
  expect([infinityBin.of([]), liquidityBook.of([])]).toEqual([null, null])
  const refused = [
    ...[{ binStep: 0n }, { activeId: 1n << 24n }, { fees: [200_000n, 0n] as const }, { bins: bins.toReversed() }],
    { bins: [{ id: 1, reserve0: 1n << 128n, reserve1: 0n }] },
  ]
  for (const change of refused) expect(infinityBin.of(infinityBinValues({ ...infinity, ...change }))).toBeNull()
  const others = [{ binStep: 1n << 16n }, { protocolShare: 10_001n }, { volatilityReference: -1n }]
  for (const change of others) expect(liquidityBook.of(liquidityBookValues({ ...book, ...change }))).toBeNull()
  expect(infinityBin.of([...infinityBinValues(infinity), 1n])).toBeNull()
})

const near = fc.integer({ min: MIDDLE - 500_000, max: MIDDLE + 500_000 })
const id = fc.oneof(near, fc.integer({ min: MIDDLE - 20, max: MIDDLE + 20 }), fc.nat({ max: 2 ** 24 - 1 }))
const reserve = fc.oneof(
  fc.constant(0n),
  fc.bigInt({ min: 0n, max: 2n ** 120n }),
  fc.bigInt({ min: 0n, max: 2n ** 60n }),
)
const held = fc
  .uniqueArray(fc.record({ id, reserve0: reserve, reserve1: reserve }), { selector: (bin) => bin.id, maxLength: 12 })
  .map((all) => all.sort((each, other) => each.id - other.id))
const part = (max: bigint) => fc.bigInt({ min: 0n, max })
const ofInfinity = fc
  .record({
    ...{ binStep: fc.bigInt({ min: 1n, max: 100n }), activeId: id.map((number) => BigInt(number || 1)), bins: held },
    ...{ fees: fc.tuple(part(104_000n), part(104_000n)), shares: fc.tuple(part(4_000n), part(4_000n)) },
  })
  .map(infinityBinValues)
const ofBook = fc
  .record({
    ...{ binStep: fc.bigInt({ min: 1n, max: 200n }), activeId: id.map(BigInt), bins: held, baseFactor: part(20_000n) },
    ...{ variableFeeControl: part(500_000n), maxVolatility: part(350_000n), volatilityReference: part(350_000n) },
    ...{ idReference: id.map(BigInt), protocolShare: part(2_500n), isLiquidityLimited: fc.boolean() },
    totals: fc.tuple(part(2n ** 126n), part(2n ** 126n)),
  })
  .map(liquidityBookValues)

describe.each([
  ['infinity-bin', infinityBin, ofInfinity],
  ['liquidity-book', liquidityBook, ofBook],
] as const)('%s', (_, kind: FormulaKind, values) => {
  test('whatever the bins are, no amount exceeds its bound, and a greater input does not pay less', () => {
    const amounts = fc.array(fc.oneof(part(2n ** 128n), part(2n ** 64n)), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(values, amounts, fc.boolean(), (state, some, isToken0Paid) => {
        const maths = kind.of(state)
        if (maths === null) return
        const [from, to] = isToken0Paid ? [0, 1] : [1, 0]
        const { rate, depth } = maths.bound(from, to)
        let last = 0n
        for (const amountIn of some.sort((amount, other) => (amount < other ? -1 : 1))) {
          const amountOut = maths.amountOut(from, to, amountIn)
          if (amountOut === null) continue
          expect(amountOut).toBeGreaterThanOrEqual(last)
          expect(amountOut).toBeLessThanOrEqual(maths.balances[to] ?? 0n)
          expect(Number(amountOut)).toBeLessThanOrEqual(upperBound(rate, depth, Number(amountIn)))
          last = amountOut
        }
      }),
      { numRuns: 100 * inject('scale') },
    )
  })
})

describe.each([
  ['infinity-bin', infinityBin, ofInfinity],
  ['liquidity-book', liquidityBook, ofBook],
] as const)('%s', (_, kind: FormulaKind, values) => {
  test('the least input for an output is found, close to what the known bins take, too', () => {
    fc.assert(
      fc.property(values, fc.bigInt({ min: 1n, max: 999_999n }), fc.boolean(), (state, share, isToken0Paid) => {
        const maths = kind.of(state)
        if (!(maths instanceof BinFormula)) return
        const [from, to] = isToken0Paid ? ([0, 1] as const) : ([1, 0] as const)
        const out = (amountIn: bigint) => maths.amountOut(from, to, amountIn)
        const maxOutput = out(maths.capacity(from))
        if (maxOutput === null) return
        const wanted = (maxOutput * share) / 1_000_000n
        const guess = Math.ceil(Number(wanted) / maths.bound(from, to).rate)
        // Inputs that pay less than one unit are refused, like inputs beyond the bins.
        if (wanted < 1_000n || guess < 1_000) return
        const minInput = solveMinInput(out, wanted, BigInt(guess)) ?? 0n
        expect(out(minInput) ?? 0n).toBeGreaterThanOrEqual(wanted)
        expect(out(minInput - 1n) ?? 0n).toBeLessThan(wanted)
      }),
      { numRuns: 100 * inject('scale') },
    )
  })
})

test('hostile values neither throw nor take long', () => {
  const word = fc.oneof(fc.bigInt({ min: -3n, max: 2n ** 256n }), fc.bigInt({ min: 0n, max: 2n ** 24n }))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), word, (values, amountIn) => {
      for (const kind of [infinityBin, liquidityBook]) {
        const maths = kind.of(values)
        for (const from of [0, 1]) {
          maths?.amountOut(from, 1 - from, amountIn)
          maths?.bound(from, 1 - from)
        }
      }
    }),
  )
})
