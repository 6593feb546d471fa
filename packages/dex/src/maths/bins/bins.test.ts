import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { recordedFormulas } from '../../../test/formulas/recorded-formulas.ts'
import { solveMinInput } from '../../quote/pool-maths/min-input.ts'
import { infinityBin, infinityBinValues } from '../../venues/infinity/bin-quote.ts'
import { type LiquidityBookState, liquidityBook, liquidityBookValues } from '../../venues/liquidity-book/quote.ts'
import { formulaKind } from '../../venues/registry.ts'
import { type Bin, BinFormula } from './bin-formula.ts'
import { binPrices } from './bin-steps.ts'

const MIDDLE = 1 << 23
const UNIT = 10n ** 18n
const bins: Bin[] = [
  { id: MIDDLE - 2, reserve0: 0n, reserve1: 7n * UNIT },
  { id: MIDDLE, reserve0: 5n * UNIT, reserve1: 3n * UNIT },
  { id: MIDDLE + 1, reserve0: 9n * UNIT, reserve1: 0n },
]
const infinity = { binStep: 10n, activeId: BigInt(MIDDLE), fees: [3_000n, 0n], shares: [1_000n, 0n], bins } as const
const book: LiquidityBookState = {
  binStep: 10n,
  activeId: BigInt(MIDDLE),
  baseFactor: 5_000n,
  variableFeeControl: 40_000n,
  protocolShare: 1_000n,
  maxVolatility: 350_000n,
  volatilityReference: 0n,
  idReference: BigInt(MIDDLE),
  isLiquidityLimited: true,
  totals: [14n * UNIT, 10n * UNIT],
  bins,
}

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

test.each(['infinity-bin', 'liquidity-book'])(
  'the least input for an output of %s is found, close to what the known bins take, too',
  (name) => {
    const states = fc.constantFrom(...(recordedFormulas[name] ?? []))
    fc.assert(
      fc.property(states, fc.bigInt({ min: 1n, max: 999_999n }), fc.boolean(), ({ values }, share, isToken0Paid) => {
        const maths = formulaKind(name)?.of(values.map(BigInt))
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
  },
)
