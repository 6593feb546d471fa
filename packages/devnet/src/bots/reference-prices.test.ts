import { HOUR_S } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import type { DevnetToken } from '../deployment/contracts.ts'
import { createRandom } from '../random.ts'
import { createReferencePrices } from './bot-context.ts'

const token: DevnetToken = { address: '0x01', symbol: 'A', name: 'A', decimals: 18, usd: 100 }
const stable: DevnetToken = { ...token, address: '0x02', usd: 1, stable: true }

test('a year of prices stays near where it began, stablecoins most of all', () => {
  const prices = createReferencePrices([token, stable], createRandom(5))
  for (let hour = 0; hour < 24 * 365; hour++) {
    prices.advance(HOUR_S)
    expect(Math.abs(Math.log(prices.usd('0x01') / 100))).toBeLessThan(0.15)
    expect(Math.abs(prices.usd('0x02') - 1)).toBeLessThan(0.003)
  }
})

test('a token without a price is an error', () => {
  expect(() => createReferencePrices([], createRandom(1)).usd('0x01')).toThrow('no reference price')
})
