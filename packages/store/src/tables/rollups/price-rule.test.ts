import { expect, it } from 'vitest'
import { pricesOf, priceText } from './price-rule.ts'

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
