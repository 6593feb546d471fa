import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pairAmountOut } from './pool-side.ts'

test('no input and empty reserves have no quote', () => {
  expect(pairAmountOut(0n, 10n, 10n, 3000n)).toBeNull()
  expect(pairAmountOut(10n, 0n, 10n, 3000n)).toBeNull()
  expect(pairAmountOut(10n, 10n, 0n, 3000n)).toBeNull()
})

test('it is the most that a pair with this fee lets out by its K check', () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n })
  const UNITS = 1_000_000n
  // balanceAdjusted = balance * units - amountIn * swapFee on both sides, as in BiSwap's and Uniswap's pairs.
  const letsOut = (amountIn: bigint, amountOut: bigint, reserves: readonly [bigint, bigint], swapFee: bigint) => {
    const sold = (reserves[0] + amountIn) * UNITS - amountIn * swapFee
    const bought = (reserves[1] - amountOut) * UNITS
    return amountOut < reserves[1] && sold * bought >= reserves[0] * reserves[1] * UNITS ** 2n
  }
  fc.assert(
    fc.property(amount, amount, amount, fc.bigInt({ min: 0n, max: UNITS - 1n }), (amountIn, first, second, fee) => {
      const amountOut = pairAmountOut(amountIn, first, second, fee) ?? 0n
      expect(letsOut(amountIn, amountOut, [first, second], fee)).toBe(true)
      expect(letsOut(amountIn, amountOut + 1n, [first, second], fee)).toBe(false)
    }),
  )
})
