import fc from 'fast-check'
import { getSqrtRatioAtTick } from '../../src/maths/tick-math.ts'
import type { MarketSeed } from '../../src/quote/market.ts'
import { pairSeed, tokenAddress } from './market.ts'
import { anyMagnitude, type Position, stateOf, ticksOf } from './pool.ts'

export interface MadePool {
  index: number
  tokens: readonly [number, number]
  spacing: number
  fee: number
  tick: number
  positions: readonly Position[]
}

export function concentratedSeed({ index, tokens, spacing, fee, tick, positions }: MadePool): MarketSeed {
  const ticks = ticksOf(positions)
  const { pool } = pairSeed(index, tokens, [1n, 1n])
  return { pool: { ...pool, fee, tickSpacing: spacing }, state: stateOf(ticks, tick, getSqrtRatioAtTick(tick)), ticks }
}

/** A pool of spacing 1 with a single position over all prices. */
export function fullRange(index: number, tokens: readonly [number, number], liquidity: bigint, fee = 100): MarketSeed {
  const positions = [{ lower: -887_272, upper: 887_272, liquidity }]
  return concentratedSeed({ index, tokens, spacing: 1, fee, tick: 0, positions })
}

/**
 * Draws many pools between two tokens that cost their makers almost nothing: with any fee, at any price, over all prices
 * or thousands of them, or with much liquidity in a single tick far away. Many are alike.
 */
export function dustPools(tokens: readonly [number, number], maxPools: number): fc.Arbitrary<MarketSeed[]> {
  // At 100 % and above, nothing is left to trade.
  const fee = fc.oneof(fc.constantFrom(0, 1, 100, 3_000, 999_999, 1_000_000), fc.nat({ max: 1_000_000 }))
  const tick = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -500, max: 500 }) }, fc.nat({ max: 800_000 }))
  const spacing = fc.constantFrom(1, 10, 200, 2_000)
  const drawn = fc.record({
    fee,
    tick,
    spacing,
    kind: fc.constantFrom('all', 'all', 'far', 'near', 'many'),
    isBelow: fc.boolean(),
    liquidity: fc.oneof(anyMagnitude(40), anyMagnitude(70)),
    shift: fc.nat({ max: 300_000 }),
  })
  return fc.array(drawn, { maxLength: maxPools }).map((all) =>
    all.map(({ kind, isBelow, shift, liquidity, ...rest }, at) => {
      const maxTick = Math.floor(887_272 / rest.spacing) * rest.spacing
      const near = Math.floor(rest.tick / rest.spacing) * rest.spacing
      const place = Math.max(-maxTick, near - Math.floor(shift / rest.spacing) * rest.spacing)
      const lower = { all: -maxTick, near, many: near, far: place }[kind] as number
      const upper = Math.min(maxTick, kind === 'all' ? maxTick : lower + rest.spacing)
      const positions = [{ lower, upper, liquidity: kind === 'far' ? liquidity << 40n : liquidity }]
      if (kind !== 'all') positions.push({ lower: -maxTick, upper: maxTick, liquidity: 1n + (liquidity & 3n) })
      for (let n = 1; kind === 'many' && n < 40; n++) {
        const next = lower - 2 * n * rest.spacing
        if (next > -maxTick)
          positions.push({ lower: next, upper: next + rest.spacing, liquidity: liquidity / BigInt(n) + 1n })
      }
      const pool = { ...rest, index: 1_000 + at, tokens, tick: isBelow ? -rest.tick : rest.tick, positions }
      return concentratedSeed(pool)
    }),
  )
}

export const [SELL, BUY] = [tokenAddress(0), tokenAddress(1)]
