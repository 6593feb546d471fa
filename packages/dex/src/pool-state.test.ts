import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ticksOf } from '../test/random/pool.ts'
import { addsUp } from './pool-state.ts'

const tick = fc.integer({ min: -887_272, max: 887_272 })
const position = fc
  .tuple(tick, tick, fc.bigInt({ min: 1n, max: 2n ** 120n }))
  .filter(([a, b]) => a !== b)
  .map(([a, b, liquidity]) => ({ lower: Math.min(a, b), upper: Math.max(a, b), liquidity }))

test('the ticks of any positions add up to the liquidity in range, and no others', () => {
  fc.assert(
    fc.property(fc.array(position, { minLength: 1, maxLength: 12 }), tick, fc.nat(), (positions, current, any) => {
      const inRange = positions.filter(({ lower, upper }) => lower <= current && current < upper)
      const liquidity = inRange.reduce((sum, each) => sum + each.liquidity, 0n)
      const state = { kind: 'concentrated', sqrtPriceX96: 1n, tick: current, liquidity } as const
      const ticks = ticksOf(positions)
      expect(addsUp(state, ticks)).toBe(true)
      expect(addsUp({ ...state, liquidity: liquidity + 1n }, ticks)).toBe(false)
      const place = any % ticks.length
      const tickLiquidity = ticks[place] ?? expect.fail()
      expect(addsUp(state, ticks.with(place, { ...tickLiquidity, net: tickLiquidity.net + 1n }))).toBe(false)
      expect(addsUp(state, ticks.toSpliced(place, 1))).toBe(tickLiquidity.net === 0n)
      if (tickLiquidity.net !== 0n)
        expect(addsUp(state, ticks.with(place, { ...tickLiquidity, gross: 0n }))).toBe(false)
    }),
  )
})

test.each([
  [-1, 0n],
  [0, 5n],
  [9, 5n],
  [10, 0n],
])('at tick %i a position from 0 to 10 adds %i in range, so that its upper tick is left out', (current, liquidity) => {
  const ticks = ticksOf([{ lower: 0, upper: 10, liquidity: 5n }])
  const state = { kind: 'concentrated', sqrtPriceX96: 1n, tick: current } as const
  expect(addsUp({ ...state, liquidity }, ticks)).toBe(true)
  expect(addsUp({ ...state, liquidity: 5n - liquidity }, ticks)).toBe(false)
})

test('a pool without ticks adds up where it has no liquidity', () => {
  const state = { kind: 'concentrated', sqrtPriceX96: 1n, tick: 0, liquidity: 0n } as const
  expect(addsUp(state, [])).toBe(true)
  expect(addsUp({ ...state, liquidity: 1n }, [])).toBe(false)
})
