import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordedFormulas } from '../../../test/formulas/recorded-formulas.ts'
import type { PoolFormula } from '../../maths/formula.ts'
import { getSqrtRatioAtTick, getTickAtSqrtRatio } from '../../maths/tick-math.ts'
import { type ConcentratedState, formulaState } from '../../pool-state.ts'
import { formulaKind } from '../../venues/registry.ts'
import { heldAmounts, heldByCoin, holds } from './held-amounts.ts'
import type { PoolInState } from './pool-in-state.ts'
import { TickList } from './tick-list.ts'

const pool: PoolInState['pool'] = { address: '0x1', token0: '0xa', token1: '0xb', fee: 3_000, tickSpacing: 10 }
const Q96 = 2n ** 96n

interface Position {
  from: number
  width: number
  liquidity: bigint
}

const position: fc.Arbitrary<Position> = fc.record({
  from: fc.integer({ min: -300, max: 300 }).map((n) => n * 10),
  width: fc.integer({ min: 1, max: 200 }).map((n) => n * 10),
  liquidity: fc.bigInt({ min: 1n, max: 10n ** 24n }),
})

function poolOf(positions: readonly Position[], sqrtPriceX96: bigint): PoolInState & { state: ConcentratedState } {
  const nets = new Map<number, bigint>()
  const tick = getTickAtSqrtRatio(sqrtPriceX96)
  let inRange = 0n
  for (const { from, width, liquidity } of positions) {
    nets.set(from, (nets.get(from) ?? 0n) + liquidity)
    nets.set(from + width, (nets.get(from + width) ?? 0n) - liquidity)
    if (from <= tick && tick < from + width) inRange += liquidity
  }
  const ticks = [...nets].map(([at, net]) => ({ tick: at, gross: 1n, net }))
  return {
    pool,
    ticks: new TickList(10, ticks),
    formula: null,
    state: { kind: 'concentrated', sqrtPriceX96, tick, liquidity: inRange },
  }
}

/** Uniswap v3 core whitepaper, 6.29 and 6.30, for one position, as a fraction. */
function heldByOne({ from, width, liquidity }: Position, price: bigint): [bigint, bigint] {
  const [low, high] = [getSqrtRatioAtTick(from), getSqrtRatioAtTick(from + width)]
  const at = price < low ? low : price > high ? high : price
  return [(liquidity * Q96 * (high - at)) / (at * high), (liquidity * (at - low)) / Q96]
}

test('a concentrated pool holds what its positions hold, less rounding', () => {
  fc.assert(
    fc.property(fc.array(position, { maxLength: 12 }), fc.integer({ min: -6_000, max: 6_000 }), (positions, tick) => {
      const price = getSqrtRatioAtTick(tick) + 12_345n
      const held = heldAmounts(poolOf(positions, price)) ?? [-1n, -1n]
      const apart = positions.map((position) => heldByOne(position, price))
      for (const side of [0, 1] as const) {
        const sum = apart.reduce((total, amounts) => total + amounts[side], 0n)
        const slack = BigInt(3 * positions.length + 1)
        expect(held[side] >= sum - slack && held[side] <= sum + slack, `${held[side]} ${sum}`).toBe(true)
      }
    }),
  )
})

test.each([-1, 0, 9, 10])(
  'at tick %i a position from 0 to 10 is in range as in the contract, its upper tick left out',
  (tick) => {
    const positions = [{ from: 0, width: 10, liquidity: 10n ** 9n }]
    const { state, ...rest } = poolOf(positions, getSqrtRatioAtTick(tick))
    expect(state).toMatchObject({ tick, liquidity: tick === 0 || tick === 9 ? 10n ** 9n : 0n })
    expect(heldAmounts({ ...rest, state })).not.toBeNull()
  },
)

test('a pair holds its reserves', () => {
  const state = { kind: 'pair', reserve0: 5n, reserve1: 7n } as const
  expect(heldAmounts({ pool, state, ticks: null, formula: null })).toEqual([5n, 7n])
})

test('what is not known is null', () => {
  const positions = [{ from: 0, width: 10, liquidity: 5n }]
  const known = poolOf(positions, getSqrtRatioAtTick(5))
  expect(heldAmounts(known)).not.toBeNull()
  expect(heldAmounts({ ...known, state: null })).toBeNull()
  // If a tick is missing, the liquidity in range does not match.
  expect(heldAmounts({ ...known, ticks: new TickList(10, [{ tick: 0, gross: 5n, net: 5n }]) })).toBeNull()
  expect(heldAmounts({ ...known, state: { ...known.state, liquidity: 6n } })).toBeNull()
  const below = [
    { tick: 0, gross: 5n, net: -5n },
    { tick: 10, gross: 5n, net: 5n },
  ]
  const outside = { ...known.state, tick: -1, sqrtPriceX96: getSqrtRatioAtTick(-1), liquidity: 0n }
  expect(heldAmounts({ ...known, state: outside, ticks: new TickList(10, below) })).toBeNull()
})

describe('a pool holds at least an amount of money', () => {
  const usd = { priceE18: 10n ** 18n, decimals: 6, depegged: false, isOld: false }
  const prices = new Map([[pool.token1, usd]])

  test('by its tokens with a price alone', () => {
    const pair = (reserve1: bigint) => {
      return { pool, state: { kind: 'pair', reserve0: 10n ** 30n, reserve1 }, ticks: null, formula: null } as const
    }
    expect(holds(pair(1_000n * 10n ** 6n), prices, 1_000n * 10n ** 8n)).toBe(true)
    expect(holds(pair(1_000n * 10n ** 6n - 1n), prices, 1_000n * 10n ** 8n)).toBe(false)
    expect(holds(pair(1_000n * 10n ** 6n), new Map(), 0n)).toBe(false)
    expect(holds({ ...pair(1n), state: null }, prices, 0n)).toBe(false)
  })

  test('by all coins of a pool of several', () => {
    const coins = [pool.token0, pool.token1, `0x${'c'.repeat(40)}`] as const
    const held = (balances: readonly bigint[]) => {
      const formula = { maths: { balances } as unknown as PoolFormula, coin0: 0, coin1: 2, work: 1 }
      const state = formulaState('curve-stable', [])
      return holds({ pool: { ...pool, coins }, state, ticks: null, formula }, prices, 5n * 10n ** 8n)
    }
    expect(held([0n, 5n * 10n ** 6n, 0n])).toBe(true)
    expect(held([10n ** 12n, 4n * 10n ** 6n, 10n ** 12n])).toBe(false)
  })

  test('by the liquidity of its ranges', () => {
    const positions = [{ from: 0, width: 10, liquidity: 10n ** 12n }]
    const held = heldAmounts(poolOf(positions, getSqrtRatioAtTick(5)))?.[1] ?? 0n
    expect(holds(poolOf(positions, getSqrtRatioAtTick(5)), prices, held * 100n)).toBe(true)
    expect(holds(poolOf(positions, getSqrtRatioAtTick(5)), prices, held * 100n + 1n)).toBe(false)
  })
})

test('by coin, a pool holds the balances of its formula, nothing of coins that this lacks, and unknown without values', () => {
  for (const [name, [recorded]] of Object.entries(recordedFormulas)) {
    const values = recorded?.values.map(BigInt) ?? []
    const balances = formulaKind(name)?.of(values)?.balances ?? []
    expect(balances.length, name).toBeGreaterThan(0)
    const coins = [...balances, 0n].map((_, index) => `0x${index}` as const)
    const held = (known: readonly bigint[] | null) => {
      const state = { kind: 'formula', formula: name, values: known, freshUntil: null } as const
      return heldByCoin({ pool: { ...pool, coins }, state, ticks: null, formula: null })
    }
    expect(held(values), name).toEqual([...balances, 0n])
    expect(held(null)).toBeNull()
  }
})
