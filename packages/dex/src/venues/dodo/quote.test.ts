import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { upperBound } from '../../maths/output-bound.ts'
import { R } from './pmm.ts'
import { DODO_VERSION, type DodoState, dodo, dodoValues } from './quote.ts'

const ONE = 10n ** 18n
/** USDC and USDT, two million each, at one for one. */
const state: DodoState = {
  ...{ i: ONE, k: ONE / 4_000n, b: 2_000_000_000_000n, q: 2_000_000_000_000n, b0: 2_000_000_000_000n },
  ...{ q0: 2_000_000_000_000n, r: R.one, lpFee: ONE / 10_000n, mtFee: 0n, version: DODO_VERSION.stored },
}
const mathsOf = (change: Partial<DodoState>) => dodo.of(dodoValues({ ...state, ...change }))

test('an even pool with a flat curve pays the price, less the fee', () => {
  const paid = mathsOf({})?.amountOut(0, 1, 1_000_000_000n) ?? 0n
  expect(paid).toBeLessThan(999_900_000n)
  expect(paid).toBeGreaterThan(999_800_000n)
  expect(mathsOf({ k: 0n, lpFee: 0n })?.amountOut(1, 0, 777n)).toBe(777n)
})

test('values that no pool has are refused', () => {
  expect(dodo.of([])).toBeNull()
  for (const change of [{ i: 0n }, { k: ONE + 1n }, { b: 2n ** 112n }, { r: 3n }, { lpFee: ONE }, { version: 3n }]) {
    expect(mathsOf(change)).toBeNull()
  }
  expect(dodo.of([...dodoValues(state), 0n])).toBeNull()
  expect(mathsOf({ q0: -1n })).toBeNull()
})

test('whatever the values are, no amount throws or exceeds its bound', () => {
  const word = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 70n }))
  const reserve = fc.bigInt({ min: 0n, max: 2n ** 112n - 1n })
  const share = fc.bigInt({ min: 0n, max: ONE })
  const values = fc.tuple(word, share, reserve, reserve, word, word, fc.bigInt({ min: 0n, max: 2n }), share, share)
  fc.assert(
    fc.property(values, fc.bigInt({ min: 0n, max: 2n }), fc.bigInt({ min: 0n, max: 2n ** 113n }), (ten, version, x) => {
      const maths = dodo.of([...ten, version])
      for (const from of [0, 1]) {
        const paid = maths?.amountOut(from, 1 - from, x) ?? 0n
        const { rate, depth } = maths?.bound(from, 1 - from) ?? { rate: 0, depth: 0 }
        expect(Number(paid)).toBeLessThanOrEqual(upperBound(rate, depth, Number(x)))
        expect(maths?.amountOut(from, from, x) ?? null).toBeNull()
      }
    }),
    { numRuns: 100 * inject('scale') },
  )
})
