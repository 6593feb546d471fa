import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { upperBound } from '../../maths/output-bound.ts'
import { fluidFormula } from './quote.ts'

test('whatever the values are, no amount throws or exceeds its bound', () => {
  const word = fc.bigInt({ min: 0n, max: 2n ** 255n - 1n })
  const reserve = fc.bigInt({ min: 0n, max: 2n ** 98n - 1n })
  const factor = fc.integer({ min: 0, max: 18 }).map((digits) => 10n ** BigInt(digits))
  const coin = fc.tuple(factor, factor, reserve, reserve, reserve, reserve, word, word)
  const price = fc.bigInt({ min: 1n, max: 2n ** 127n })
  const amount = fc.bigInt({ min: 0n, max: 2n ** 110n })
  fc.assert(
    fc.property(word, word, price, coin, coin, amount, (variables, variables2, center, each, other, amountIn) => {
      const maths = fluidFormula.of([variables & ~1n, variables2 | 3n, center, ...each, ...other])
      for (const from of [0, 1]) {
        const paid = maths?.amountOut(from, 1 - from, amountIn) ?? 0n
        const { rate, depth } = maths?.bound(from, 1 - from) ?? { rate: 0, depth: 0 }
        expect(Number(paid)).toBeLessThanOrEqual(upperBound(rate, depth, Number(amountIn)))
        expect(maths?.amountOut(from, from, amountIn) ?? null).toBeNull()
      }
    }),
    { numRuns: 100 * inject('scale') },
  )
})

test('values that no pool has are refused', () => {
  const coin = [1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n]
  expect(fluidFormula.of([0n, 3n, 1n, ...coin, ...coin])).not.toBeNull()
  expect(fluidFormula.of([0n, 3n, 0n, ...coin, ...coin])).toBeNull()
  expect(fluidFormula.of([0n, 3n, 1n, ...coin])).toBeNull()
  expect(fluidFormula.of([0n, 3n, 1n, ...coin, 0n, ...coin.slice(1)])).toBeNull()
})
