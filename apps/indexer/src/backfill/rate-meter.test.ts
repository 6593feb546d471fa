import { expect, test } from 'vitest'
import { RateMeter } from './rate-meter.ts'

test('the speed is that of the last half minute', () => {
  const meter = new RateMeter()
  expect(meter.measure(0, 1_000)).toBeNull()
  expect(meter.measure(10_000, 900)).toBe(10)
  expect(meter.measure(40_000, 300)).toBe(20)
})

test('the measurement restarts when more blocks are required', () => {
  const meter = new RateMeter()
  meter.measure(0, 100)
  expect(meter.measure(1_000, 5_000)).toBeNull()
  expect(meter.measure(2_000, 4_990)).toBe(10)
})

test('a jump of the clock does not count as speed', () => {
  const meter = new RateMeter()
  meter.measure(3_600_000, 1_000)
  expect(meter.measure(0, 990)).toBeNull()
  expect(meter.measure(1_000, 980)).toBe(10)
  expect(meter.measure(3_601_000, 970)).toBeNull()
})
