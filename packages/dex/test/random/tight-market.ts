import fc from 'fast-check'
import { getSqrtRatioAtTick } from '../../src/maths/tick-math.ts'
import type { MarketSeed } from '../../src/quote/market.ts'
import { pairSeed } from './market.ts'
import { stateOf, ticksOf } from './pool.ts'

const UNIT = 10n ** 18n

/**
 * Draws pools of both families between a few tokens whose prices differ by at most a percent. Many routes compete, and
 * amounts of about 10^18 move some prices a little and others a lot.
 */
export function tightMarket(tokens: number, maxPools: number): fc.Arbitrary<MarketSeed[]> {
  const ends = fc
    .tuple(fc.nat({ max: tokens - 1 }), fc.nat({ max: tokens - 1 }))
    .filter(([a, b]) => a !== b)
    .map(([a, b]): [number, number] => (a < b ? [a, b] : [b, a]))
  const drawn = fc.record({
    ends,
    isPair: fc.boolean(),
    /** Depth, as a base-ten logarithm in thousandths. */
    depth: fc.integer({ min: -300, max: 2500 }),
    /** Price, in ticks. */
    tick: fc.integer({ min: -100, max: 100 }),
    widths: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 }),
    fee: fc.constantFrom(100, 500, 3000),
  })
  return fc.array(drawn, { minLength: 2, maxLength: maxPools }).map((all) =>
    all.map(({ ends, isPair, depth, tick, widths, fee }, index): MarketSeed => {
      const size = (UNIT * BigInt(Math.round(1000 * 10 ** (depth / 1000)))) / 1000n
      const price = BigInt(Math.round(1.0001 ** tick * 1e9))
      const pair = pairSeed(index, ends, [size, (size * price) / 10n ** 9n])
      if (isPair) return { ...pair, pool: { ...pair.pool, fee } }
      const positions = widths.map((width) => {
        const lower = Math.floor((tick - 20 * width) / 10) * 10
        return { lower, upper: lower + 10 + 40 * width, liquidity: (size * 2000n) / BigInt(width * widths.length * 10) }
      })
      const ticks = ticksOf(positions)
      const pool = { ...pair.pool, fee, tickSpacing: 10 }
      return { pool, state: stateOf(ticks, tick, getSqrtRatioAtTick(tick) + 12_345n), ticks }
    }),
  )
}
