import type { Candle } from '@dexfeed/client'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { continuousCandles } from './continuous-candles.ts'

const candleOf = (time: string, prices: readonly (string | null)[], sums: Partial<Candle> = {}): Candle => {
  const [open = null, high = null, low = null, close = null] = prices
  const flow = { buys: 0, sells: 0, buy_volume_usd: '0', sell_volume_usd: '0' }
  const rest = { token: '0x', weighted: null, volume_usd: '5', swaps: 1, unpriced_swaps: 0, filled: false }
  return { time, open, high, low, close, ...rest, ...flow, ...sums }
}

test('each candle opens where the one before closed, and reaches that far', () => {
  const newestFirst = [
    candleOf('3', ['9', '10', '8', '10']),
    candleOf('2', ['6', '7', '5.5', '6']),
    candleOf('1', ['4', '5', '3', '5']),
  ]
  expect(continuousCandles(newestFirst).map(({ prices }) => Object.values(prices ?? {}))).toEqual([
    ['4', '5', '3', '5'],
    ['5', '7', '5', '6'],
    ['6', '10', '6', '10'],
  ])
})

test('what is unknown is not drawn as zero', () => {
  const unvalued = candleOf('2', [null, null, null, null], { swaps: 2, unpriced_swaps: 2, volume_usd: '0.00000000' })
  const quiet = candleOf('3', ['5', '5', '5', '5'], { swaps: 0, volume_usd: '0.00000000', filled: true })
  const drawn = continuousCandles([quiet, unvalued, candleOf('1', ['4', '5', '3', '5'])])
  expect(drawn.map(({ volumeUsd }) => volumeUsd)).toEqual(['5', null, '0.00000000'])
  expect(drawn.map(({ prices }) => prices?.open ?? null)).toEqual(['4', null, '5'])
})

test('close is kept, and open and close are within high and low (property)', () => {
  const price = fc.integer({ min: 1, max: 1_000 })
  const candle = fc.array(price, { minLength: 4, maxLength: 4 }).map((drawn) => {
    const [low = 0, open = 0, close = 0, high = 0] = drawn.toSorted((one, other) => one - other)
    return [open, high, low, close].map(String)
  })
  fc.assert(
    fc.property(fc.array(fc.option(candle)), (drawn) => {
      const newestFirst = drawn.map((prices, at) => candleOf(String(at), prices ?? [null, null, null, null]))
      const shown = continuousCandles(newestFirst).toReversed()
      for (const [at, { prices }] of shown.entries()) {
        expect(prices?.close ?? null).toBe(newestFirst[at]?.close)
        if (prices === null) continue
        const [open, high, low, close] = Object.values(prices).map(Number)
        expect(Math.max(open ?? 0, close ?? 0)).toBeLessThanOrEqual(high ?? 0)
        expect(Math.min(open ?? 0, close ?? 0)).toBeGreaterThanOrEqual(low ?? 0)
      }
    }),
  )
})
