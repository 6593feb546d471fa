import fc from 'fast-check'
import { getSqrtRatioAtTick } from '../../src/maths/tick-math.ts'
import type { ConcentratedState, TickLiquidity } from '../../src/pool-state.ts'

export interface DrawnPool {
  state: ConcentratedState
  ticks: readonly TickLiquidity[]
  spacing: number
  fee: bigint
}

export interface Position {
  lower: number
  upper: number
  liquidity: bigint
}

/** Draws an integer of any magnitude up to `bits` bits. */
export function anyMagnitude(bits: number): fc.Arbitrary<bigint> {
  return fc
    .tuple(fc.integer({ min: 0, max: bits - 1 }), fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) }))
    .map(([magnitude, noise]) => 2n ** BigInt(magnitude) + (noise % 2n ** BigInt(magnitude)))
}

export function ticksOf(positions: readonly Position[]): TickLiquidity[] {
  const rows = new Map<number, TickLiquidity>()
  const add = (tick: number, liquidity: bigint, sign: bigint) => {
    const row = rows.get(tick) ?? { tick, gross: 0n, net: 0n }
    rows.set(tick, { tick, gross: row.gross + liquidity, net: row.net + sign * liquidity })
  }
  for (const { lower, upper, liquidity } of positions) {
    add(lower, liquidity, 1n)
    add(upper, liquidity, -1n)
  }
  return [...rows.values()]
}

export function stateOf(ticks: readonly TickLiquidity[], tick: number, sqrtPriceX96: bigint): ConcentratedState {
  const liquidity = ticks.filter((row) => row.tick <= tick).reduce((sum, row) => sum + row.net, 0n)
  return { kind: 'concentrated', sqrtPriceX96, tick, liquidity }
}

/**
 * Draws pools of every tier with overlapping positions, gaps, and prices between, on and just below initialised ticks.
 */
export function concentratedPool(reach = 3000): fc.Arbitrary<DrawnPool> {
  const tier = fc.constantFrom(
    [1, 100n],
    [10, 500n],
    [50, 2500n],
    [60, 3000n],
    [200, 10000n],
    [16383, 20000n],
  ) as fc.Arbitrary<[number, bigint]>
  return tier.chain(([spacing, fee]) => {
    const maxIndex = Math.floor(887272 / spacing)
    const index = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -reach, max: reach }) },
      { weight: 1, arbitrary: fc.constantFrom(-maxIndex, maxIndex) },
    )
    const position = fc.record({ a: index, b: index, liquidity: anyMagnitude(112) }).map(({ a, b, liquidity }) => {
      const lower = Math.min(Math.max(-maxIndex, Math.min(a, b)), maxIndex - 1)
      const upper = Math.min(Math.max(lower + 1, a, b), maxIndex)
      return { lower: lower * spacing, upper: upper * spacing, liquidity }
    })
    return fc
      .record({
        positions: fc.array(position, { minLength: 1, maxLength: 6 }),
        place: fc.nat(),
        tick: fc.integer({ min: -reach * spacing, max: reach * spacing }),
        within: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        where: fc.constantFrom('between', 'on', 'below'),
      })
      .map(({ positions, place, tick, within, where }) => {
        const ticks = ticksOf(positions)
        const clamped = Math.min(Math.max(tick, -887272), 887270)
        const initialised = ticks[place % ticks.length]?.tick ?? 0
        const at = where === 'between' ? clamped : Math.min(Math.max(initialised, -887271), 887270)
        const price = getSqrtRatioAtTick(at)
        const between = price + ((getSqrtRatioAtTick(at + 1) - price) * within) / 2n ** 64n
        const state =
          where === 'between'
            ? stateOf(ticks, at, between)
            : where === 'on'
              ? stateOf(ticks, at, price)
              : stateOf(ticks, at - 1, price)
        return { state, ticks, spacing, fee }
      })
  })
}
