import fc from 'fast-check'
import { expect, it } from 'vitest'
import { priceInOther, pricesOf, priceText } from './price-rule.ts'

const hop = { tokenIn: '0x01', tokenOut: '0x02', amountOut: 10n ** 6n } as const

it.each<[string, bigint, bigint, number, string]>([
  ['one USD for a token of 18 decimals', 100_000_000n, 10n ** 18n, 18, '1'],
  ['of zeros within and behind', 1_010_000_000n, 10n ** 20n, 18, '0.101'],
  ['a third of a USD', 100_000_000n, 3n * 10n ** 18n, 18, '0.333333333333333333'],
  ['a token of no decimals', 250_000_000n, 1_000n, 0, '0.0025'],
  ['a token of many decimals', 10n ** 16n, 2n * 10n ** 45n, 45, '50000000'],
  ['of many USD', 123_456_789_012_345_678_901n, 10n ** 6n, 6, '1234567890123.45678'],
  ['of hardly any', 1_000_000n, 10n ** 33n, 18, '0.00000000000000001'],
])('formats the price: %s', (_, usdE8, amountIn, decimals, text) => {
  expect(priceText(pricesOf({ ...hop, amountIn }, usdE8, 0)?.[0] ?? -1n, decimals)).toBe(text)
})

it.each<[string, bigint | null, bigint, number]>([
  ['without a value', null, 10n ** 6n, 0],
  ['with a doubted one', 10n ** 8n, 10n ** 6n, 2],
  ['of less than a cent', 999_999n, 10n ** 6n, 0],
  ['of less than a thousand base units', 10n ** 8n, 999n, 0],
  ['of an amount of base units so large that little is left of their price', 10n ** 6n, 10n ** 37n + 1n, 0],
])('a hop %s sets no price', (_, usdE8, amountIn, flags) => {
  expect(pricesOf({ ...hop, amountIn }, usdE8, flags)).toBeNull()
})

it('nor does a hop between the native coin and its wrapper', () => {
  expect(pricesOf({ ...hop, tokenOut: '0x01', amountIn: 10n ** 6n }, 10n ** 8n, 0)).toBeNull()
})

it('the price in the other token is the ratio of the amounts, to the last of its digits', () => {
  const amount = fc.integer({ min: 10, max: 130 }).chain((bits) => fc.bigInt({ min: 1_000n, max: 2n ** BigInt(bits) }))
  const value = fc.bigInt({ min: 10n ** 6n, max: 10n ** 16n })
  const decimals = fc.integer({ min: 0, max: 24 })
  const { length } = fc
    .sample(fc.tuple(amount, amount, value, decimals, decimals), 2_000)
    .filter(([amountIn, amountOut, usdE8, decimalsIn, decimalsOut]) => {
      const prices = pricesOf({ ...hop, amountIn, amountOut }, usdE8, 0)
      if (prices === null) return false
      const [paid, bought] = [
        { price: String(prices[0]), decimals: decimalsIn },
        { price: String(prices[1]), decimals: decimalsOut },
      ]
      const [whole = '', fraction = ''] = (priceInOther(paid, bought) ?? '').split('.')
      const digits = Math.min(18, String(prices[0]).length - 2, String(prices[1]).length - 2)
      const read = BigInt(whole + fraction)
      const unit = 10n ** BigInt(Math.max(0, String(read).length - digits))
      // What the other token's amount is for a whole token, times 10^(digits of the fraction).
      const denominator = amountIn * 10n ** BigInt(decimalsOut)
      const exact = amountOut * 10n ** BigInt(decimalsIn) * 10n ** BigInt(fraction.length)
      const error = read * denominator - exact
      // Zeros at the end of a fraction are not written, so that its last digit may count less than a unit.
      const least = String(read).length >= digits ? unit * denominator : exact / 10n ** BigInt(digits - 1)
      expect(error < 0n ? -error : error).toBeLessThanOrEqual(2n * least)
      return true
    })
  expect(length).toBeGreaterThan(1_000)
})

it('there is no price in the other token without both prices and decimals', () => {
  const [known, unknown] = [
    { price: '1000', decimals: 6 },
    { price: null, decimals: 6 },
  ]
  expect(priceInOther(known, known)).toBe('1')
  expect(priceInOther(known, unknown)).toBeNull()
  expect(priceInOther(unknown, known)).toBeNull()
  expect(priceInOther({ ...known, decimals: null }, known)).toBeNull()
})
