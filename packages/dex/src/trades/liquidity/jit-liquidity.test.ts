import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PoolEvent } from '../../pool-event.ts'
import { swapsOfJitLiquidity } from './passing-liquidity.ts'

const [POOL, OTHER] = ['0xaa', '0xbb'] as const
const from = { family: 'managed', transactionIndex: 0, logIndex: 0 } as const

const liquidity = (delta: bigint, [tickLower, tickUpper] = [-60, 60], pool: '0xaa' | '0xbb' = POOL): PoolEvent => ({
  type: 'liquidity',
  ...from,
  pool,
  tickLower,
  tickUpper,
  delta,
})
const swap = (tick: number, paying: 0 | 1 = 0, pool: '0xaa' | '0xbb' = POOL): PoolEvent => ({
  type: 'swap',
  ...from,
  pool,
  amount0: paying === 0 ? 9n : -9n,
  amount1: paying === 0 ? -9n : 9n,
  state: { kind: 'concentrated', sqrtPriceX96: 1n, liquidity: 1n, tick },
})

function found(events: readonly PoolEvent[]): number[] {
  const swaps = swapsOfJitLiquidity(events)
  return events.flatMap((event, at) => (swaps.has(event) ? [at] : []))
}

describe('swaps of liquidity that its transaction put in before and took out after', () => {
  test.each<[string, PoolEvent[], number[]]>([
    ['put in, swapped to and fro, taken out', [liquidity(5n), swap(0), swap(3, 1), liquidity(-5n)], [1, 2]],
    ['taken out in parts', [liquidity(5n), swap(0), liquidity(-2n), swap(0), liquidity(-3n)], [1, 3]],
    ['put in in parts', [liquidity(2n), swap(0), liquidity(3n), liquidity(-5n)], [1]],
    ['all but a little', [liquidity(5n), swap(0), liquidity(-4n)], [1]],
    ['with one of the ranges', [liquidity(5n), liquidity(9n, [-600, 600]), swap(0), liquidity(-9n, [-600, 600])], [2]],
    ['across the range and out of it', [liquidity(5n), swap(-600), liquidity(-5n)], [1]],
    ['across the range and out of it, upwards', [liquidity(5n), swap(600, 1), liquidity(-5n)], [1]],
    ['out of a range that the price was in', [swap(59), liquidity(5n), swap(-600), liquidity(-5n)], [2]],
    ['to the last tick of the range', [liquidity(5n), swap(59), swap(-60, 1), liquidity(-5n)], [1, 2]],
    [
      'of a pool whose event contains no state',
      [liquidity(5n), { ...swap(0), state: null } as PoolEvent, liquidity(-5n)],
      [1],
    ],
  ])('%s', (_, events, swaps) => {
    expect(found(events)).toEqual(swaps)
  })

  test.each<[string, PoolEvent[]]>([
    ['liquidity that stays', [liquidity(5n), swap(0), liquidity(5n)]],
    [
      'a position that stays, while another one goes that the price did not reach',
      [swap(0), liquidity(5n), liquidity(5n, [600, 1200]), swap(-9), liquidity(-5n, [600, 1200])],
    ],
    [
      'liquidity that stays while a range that was there is taken out',
      [liquidity(5n), swap(0), liquidity(-9n, [-600, 600])],
    ],
    [
      'liquidity that stays while more is put in and another range is taken out',
      [liquidity(5n), swap(0), liquidity(2n), liquidity(-9n, [-600, 600])],
    ],
    [
      'liquidity that stays while other liquidity of the pool comes and goes out of reach',
      [liquidity(5n), liquidity(9n, [600, 660]), swap(0, 1), liquidity(-9n, [600, 660])],
    ],
    ['liquidity that was there', [swap(0), liquidity(-5n)]],
    ['a position that is moved', [liquidity(-5n), swap(0), liquidity(5n, [-120, 0])]],
    ['a position that is taken out and put back', [liquidity(-5n), liquidity(5n), swap(0), liquidity(-1n)]],
    ['fees that are collected', [liquidity(0n), swap(0), liquidity(0n)]],
    ['a swap before and after it', [swap(0), liquidity(5n), liquidity(-5n), swap(0)]],
    ['another pool', [liquidity(5n), swap(0, 0, OTHER), liquidity(-5n)]],
    ['a range that the price did not reach downwards', [liquidity(5n, [-60, 0]), swap(0), liquidity(-5n, [-60, 0])]],
    ['a range that the price had left', [swap(0), liquidity(5n, [60, 120]), swap(-9), liquidity(-5n, [60, 120])]],
    [
      'a range that the price did not reach upwards',
      [liquidity(5n, [60, 120]), swap(59, 1), liquidity(-5n, [60, 120])],
    ],
  ])('and not %s', (_, events) => {
    expect(found(events)).toEqual([])
  })
})

test('what nets to nothing over a transaction is found whatever else the transaction does with other ranges', () => {
  const other = fc.record({ delta: fc.bigInt({ min: -9n, max: 9n }), lower: fc.constantFrom(-600, -120) })
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 99n }), fc.array(other), fc.array(other), (amount, before, after) => {
      const others = (some: typeof before) => some.map(({ delta, lower }) => liquidity(delta, [lower, 600]))
      const events = [...others(before), liquidity(amount), swap(0), ...others(after), liquidity(-amount)]
      expect(found(events)).toContain(before.length + 1)
    }),
  )
})
