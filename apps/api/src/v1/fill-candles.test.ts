import { hexNumber } from '@dexfeed/test-setup/seed'
import { expect, it } from 'vitest'
import { filled } from './fill-candles.ts'

const SPAN = { from: 600, to: 1_200, interval: 60 }
const candle = (time: number, close: string | null) => ({
  ...{ time, open: close, high: close, low: close, close, isWeighted: null },
  ...{ volumeUsd: '1.00000000', trades: 1, unpriced: close === null ? 1 : 0 },
  ...{ buys: 1, sells: 0, buyVolumeUsd: '1.00000000', sellVolumeUsd: '0.00000000' },
})
const indexed = (head: number, ...covered: [from: number, to: number][]) => ({
  head: { number: 9, hash: hexNumber(9, 64), timestamp: head, parentHash: hexNumber(8, 64) },
  covered: covered.map(([fromTime, toTime], n) => ({ from: 2 * n + 1, to: 2 * n + 1, fromTime, toTime })),
})
const shown = (...args: Parameters<typeof filled>) =>
  filled(...args).map(({ time, close, trades, isFilled }) => `${time} ${close} ${trades}${isFilled ? ' filled' : ''}`)

it('begins with the first price', () => {
  const candles = [candle(660, null), candle(780, '5')]
  expect(shown(candles, { ...SPAN, to: 900 }, null, indexed(2_000, [0, 2_000]))).toEqual([
    '660 null 1',
    '780 5 1',
    '840 5 0 filled',
  ])
})

it('continues from the close before, also where swaps set no price', () => {
  const candles = [candle(660, null), candle(720, '5')]
  expect(shown(candles, { ...SPAN, to: 840 }, '4', indexed(2_000, [0, 2_000]))).toEqual([
    '600 4 0 filled',
    '660 4 1 filled',
    '720 5 1',
    '780 5 0 filled',
  ])
})

it('leaves out what is not indexed: gaps, a first second that other blocks may share, and what is above the head', () => {
  expect(shown([candle(780, '5')], SPAN, '4', indexed(1_010, [600, 780], [800, 1_010]))).toEqual([
    '660 4 0 filled',
    '720 4 0 filled',
    '780 5 1',
    '840 5 0 filled',
    '900 5 0 filled',
    '960 5 0 filled',
  ])
})
