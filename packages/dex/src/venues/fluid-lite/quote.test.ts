import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { upperBound } from '../../maths/output-bound.ts'
import { fluidLiteFormula, fluidLiteValues, movesWithTime } from './quote.ts'

const PRICE = 10n ** 27n
/** USDC and USDT, a million each, with a fee of 0.01 %; the imaginary reserves are a hundred times the real ones. */
const supply = 10n ** 15n
const variables = 100n | (6n << 126n) | (6n << 131n) | (supply << 136n) | (supply << 196n)
const state = { variables, centerPrice: PRICE, imaginary0: 100n * supply, imaginary1: 100n * supply }
const mathsOf = (change: Partial<typeof state>) => fluidLiteFormula.of(fluidLiteValues({ ...state, ...change }))

test('an even pool pays almost one for one, and never more than it holds', () => {
  const maths = mathsOf({})
  expect(maths?.balances).toEqual([10n ** 12n, 10n ** 12n])
  expect(maths?.amountOut(0, 1, 1_000_000_000n)).toBe(999_890_002n)
  expect(maths?.amountOut(1, 0, 2n * 10n ** 12n)).toBeNull()
  expect(maths?.amountOut(0, 1, 1n)).toBeNull()
  expect(maths?.amountOut(0, 0, 1_000_000_000n)).toBeNull()
})

test('values that no pool has are refused', () => {
  expect(fluidLiteFormula.of([])).toBeNull()
  expect(mathsOf({ centerPrice: 0n })).toBeNull()
  expect(mathsOf({ variables: 0n })).toBeNull()
  expect(mathsOf({ imaginary0: 2n ** 121n })).toBeNull()
})

test('amounts move with time while something shifts, or while another contract sets the price', () => {
  expect(movesWithTime(variables | (1n << 20n))).toBe(false)
  for (const at of [21n, 22n, 63n, 82n]) expect(movesWithTime(variables | (1n << at))).toBe(true)
})

test('whatever the values are, no amount throws or exceeds its bound', () => {
  const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
  const reserve = fc.bigInt({ min: 0n, max: 2n ** 70n })
  fc.assert(
    fc.property(
      word,
      word,
      reserve,
      reserve,
      fc.bigInt({ min: 0n, max: 2n ** 100n }),
      (any, price, amount, other, x) => {
        const decimals = BigInt.asUintN(126, any) | ((6n + (any % 13n)) << 126n) | ((6n + (price % 13n)) << 131n)
        const maths = fluidLiteFormula.of([decimals | ((any >> 136n) << 136n), price >> 150n, amount, other])
        for (const from of [0, 1]) {
          const paid = maths?.amountOut(from, 1 - from, x) ?? 0n
          const { rate, depth } = maths?.bound(from, 1 - from) ?? { rate: 0, depth: 0 }
          expect(Number(paid)).toBeLessThanOrEqual(upperBound(rate, depth, Number(x)))
        }
      },
    ),
    { numRuns: 100 * inject('scale') },
  )
})
