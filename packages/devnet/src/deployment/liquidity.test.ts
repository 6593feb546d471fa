import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import {
  amountsPerLiquidity,
  liquidityWorth,
  planPositions,
  randomPosition,
  sqrtPrice,
  toUnits,
  toX96,
} from './liquidity.ts'

const usdc = { usd: 1, decimals: 6 }
const weth = { usd: 3000, decimals: 18 }
const sqrt = sqrtPrice(usdc, weth)

test('the tokens of a position have the requested value', () => {
  for (const position of planPositions(sqrt, 10, 1_000_000, false)) {
    const liquidity = Number(liquidityWorth(position, sqrt, usdc, weth))
    const { amount0, amount1 } = amountsPerLiquidity(position, sqrt)
    const worth = ((amount0 * usdc.usd) / 1e6 + (amount1 * weth.usd) / 1e18) * liquidity
    expect(worth).toBeCloseTo(position.usd, -2)
  }
})

test('a pool begins with its whole value, in ranges on usable ticks', () => {
  for (const spacing of [1, 10, 60, 200]) {
    const positions = planPositions(sqrt, spacing, 1_000_000, spacing === 1)
    expect(positions.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(1_000_000, 5)
    for (const { tickLower, tickUpper } of positions) {
      expect(tickLower).toBeLessThan(tickUpper)
      expect([Math.abs(tickLower % spacing), Math.abs(tickUpper % spacing)]).toEqual([0, 0])
    }
  }
})

test('one-sided ranges hold one token only', () => {
  const [above, below] = planPositions(sqrt, 10, 1_000_000, false).slice(-2)
  if (!above || !below) throw new Error('too few positions')
  expect(amountsPerLiquidity(above, sqrt).amount1).toBe(0)
  expect(amountsPerLiquidity(below, sqrt).amount0).toBe(0)
})

test('a random range lies around the price', () => {
  const random = createRandom(3)
  const tick = (2 * Math.log(sqrt)) / Math.log(1.0001)
  for (let index = 0; index < 100; index++) {
    const { tickLower, tickUpper } = randomPosition(sqrt, 60, 5000, random)
    expect(tickLower).toBeLessThan(tick)
    expect(tickUpper).toBeGreaterThan(tick)
  }
})

test('one USDC for WETH at 3000 USD is the square root that a pool is initialised with', () => {
  expect(sqrt ** 2).toBeCloseTo(1e12 / 3000, 0)
  expect(toX96(1)).toBe(2n ** 96n)
  expect(toUnits(1.5, 6)).toBe(1_500_000n)
})
