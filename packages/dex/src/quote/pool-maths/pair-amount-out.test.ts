import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pairAmountOut } from './pair-amount-out.ts'

const amount = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n })

// [fee in millionths, numerator and denominator as the DEX's own library writes them]
test.each([
  [3000n, 997n, 1000n],
  [2500n, 9975n, 10000n],
  [2000n, 998n, 1000n],
])('a fee of %i millionths equals the library with %i/%i', (fee, kept, whole) => {
  fc.assert(
    fc.property(amount, amount, amount, (amountIn, reserveIn, reserveOut) => {
      const lessFee = amountIn * kept
      const library = (lessFee * reserveOut) / (reserveIn * whole + lessFee)
      expect(pairAmountOut(amountIn, reserveIn, reserveOut, fee)).toBe(library)
    }),
  )
})

test('more input never gives less output', () => {
  fc.assert(
    fc.property(amount, amount, amount, amount, (amountIn, more, reserveIn, reserveOut) => {
      const less = pairAmountOut(amountIn, reserveIn, reserveOut, 3000n) ?? -1n
      const greater = pairAmountOut(amountIn + more, reserveIn, reserveOut, 3000n) ?? -1n
      expect(greater >= less).toBe(true)
    }),
  )
})

test('no input and empty reserves have no quote', () => {
  expect(pairAmountOut(0n, 10n, 10n, 3000n)).toBeNull()
  expect(pairAmountOut(10n, 0n, 10n, 3000n)).toBeNull()
  expect(pairAmountOut(10n, 10n, 0n, 3000n)).toBeNull()
})
