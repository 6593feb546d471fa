import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pairAmountOut } from './pool-side.ts'

const amount = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n })

// [fee in millionths, numerator and denominator as in the DEX's own library]
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

test('it is the most that a pair with this fee in thousandths lets out by its K check', () => {
  const reserve = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n })
  // balanceAdjusted = balance * 1000 - amountIn * swapFee on both sides, as in BiSwap's and Uniswap's pairs.
  const letsOut = (amountIn: bigint, amountOut: bigint, reserves: readonly [bigint, bigint], swapFee: bigint) => {
    const adjusted = [(reserves[0] + amountIn) * 1000n - amountIn * swapFee, (reserves[1] - amountOut) * 1000n] as const
    return amountOut < reserves[1] && adjusted[0] * adjusted[1] >= reserves[0] * reserves[1] * 1000n ** 2n
  }
  fc.assert(
    fc.property(amount, reserve, reserve, fc.bigInt({ min: 0n, max: 999n }), (amountIn, first, second, swapFee) => {
      const amountOut = pairAmountOut(amountIn, first, second, swapFee * 1000n) ?? 0n
      expect(letsOut(amountIn, amountOut, [first, second], swapFee)).toBe(true)
      expect(letsOut(amountIn, amountOut + 1n, [first, second], swapFee)).toBe(false)
    }),
  )
})
