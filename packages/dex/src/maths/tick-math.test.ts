import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from './tick-math.ts'

// Values from Uniswap's own TickMath tests.
test.each([
  [MIN_TICK, MIN_SQRT_RATIO],
  [MIN_TICK + 1, 4295343490n],
  [-50, 79030349367926598376800521322n],
  [0, 79228162514264337593543950336n],
  [50, 79426470787362580746886972461n],
  [100, 79625275426524748796330556128n],
  [MAX_TICK - 1, 1461373636630004318706518188784493106690254656249n],
  [MAX_TICK, MAX_SQRT_RATIO],
])('the square-root price of tick %i is %i', (tick, ratio) => {
  expect(getSqrtRatioAtTick(tick)).toBe(ratio)
})

test('a price belongs to the greatest tick that is not above it', () => {
  fc.assert(
    fc.property(fc.integer({ min: MIN_TICK, max: MAX_TICK - 1 }), (tick) => {
      const ratio = getSqrtRatioAtTick(tick)
      expect(getTickAtSqrtRatio(ratio)).toBe(tick)
      expect(getTickAtSqrtRatio(getSqrtRatioAtTick(tick + 1) - 1n)).toBe(tick)
    }),
    { numRuns: 200 * inject('scale') },
  )
})

test('ticks and prices out of range are refused', () => {
  for (const tick of [MIN_TICK - 1, MAX_TICK + 1, 0.5]) expect(() => getSqrtRatioAtTick(tick)).toThrow(RangeError)
  for (const ratio of [MIN_SQRT_RATIO - 1n, MAX_SQRT_RATIO]) expect(() => getTickAtSqrtRatio(ratio)).toThrow(RangeError)
})
