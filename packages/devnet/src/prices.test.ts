import { expect, test } from 'vitest'
import type { DevnetToken } from './contracts.ts'
import { createReferencePrices, sqrtPrice, toUnits, toX96 } from './prices.ts'
import { createRandom } from './random.ts'

const HOUR = 3600
const token: DevnetToken = { address: '0x01', symbol: 'A', name: 'A', decimals: 18, usd: 100 }
const stable: DevnetToken = { ...token, address: '0x02', usd: 1, stable: true }

test('a year of prices stays near where it began, stablecoins most of all', () => {
  const prices = createReferencePrices([token, stable], createRandom(5))
  for (let hour = 0; hour < 24 * 365; hour++) {
    prices.advance(HOUR)
    expect(Math.abs(Math.log(prices.usd('0x01') / 100))).toBeLessThan(0.15)
    expect(Math.abs(prices.usd('0x02') - 1)).toBeLessThan(0.003)
  }
})

test('one USDC for WETH at 3000 USD is the square root that a pool is initialised with', () => {
  const sqrt = sqrtPrice({ usd: 1, decimals: 6 }, { usd: 3000, decimals: 18 })
  expect(sqrt ** 2).toBeCloseTo(1e12 / 3000, 0)
  expect(toX96(1)).toBe(2n ** 96n)
  expect(toUnits(1.5, 6)).toBe(1_500_000n)
})

test('a token without a price is an error', () => {
  expect(() => createReferencePrices([], createRandom(1)).usd('0x01')).toThrow('no reference price')
})
