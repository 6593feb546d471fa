import type { Random } from '../random.ts'

const MAX_TICK = 887_272
const TICK_BASE = 1.0001

export interface PlannedPosition {
  tickLower: number
  tickUpper: number
  usd: number
}

export interface Side {
  usd: number
  decimals: number
}

/**
 * Returns a pool's first positions: full range, wide and narrow ranges around the price, and one-sided ones above and
 * below it. Trades of all sizes then cross initialised ticks.
 */
export function planPositions(sqrt: number, tickSpacing: number, usd: number, stable: boolean): PlannedPosition[] {
  const tick = tickAt(sqrt)
  const full = Math.floor(MAX_TICK / tickSpacing) * tickSpacing
  const scale = stable ? 0.02 : 1
  const around = (below: number, above: number, share: number): PlannedPosition => ({
    ...alignedRange(tick - below * scale, tick + above * scale, tickSpacing),
    usd: usd * share,
  })
  return [
    { tickLower: -full, tickUpper: full, usd: usd * 0.3352 },
    around(6000, 5500, 0.2),
    around(2200, 2600, 0.15),
    around(1100, 900, 0.1),
    around(420, 480, 0.06),
    around(260, 300, 0.008),
    around(160, 190, 0.04),
    around(75, 90, 0.004),
    around(35, 44, 0.002),
    around(14, 17, 0.0008),
    around(-120, 700, 0.05),
    around(800, -140, 0.05),
  ]
}

export function randomPosition(sqrt: number, tickSpacing: number, usd: number, random: Random): PlannedPosition {
  const tick = tickAt(sqrt)
  const width = () => 10 + random.next() ** 3 * 4000
  return { ...alignedRange(tick - width(), tick + width(), tickSpacing), usd }
}

export function liquidityWorth(position: PlannedPosition, sqrt: number, token0: Side, token1: Side): bigint {
  const { amount0, amount1 } = amountsPerLiquidity(position, sqrt)
  const worth = (amount0 * token0.usd) / 10 ** token0.decimals + (amount1 * token1.usd) / 10 ** token1.decimals
  return BigInt(Math.floor(position.usd / worth))
}

/** Returns the base units of both tokens per unit of liquidity (Uniswap V3 whitepaper, equations 6.29 and 6.30). */
export function amountsPerLiquidity({ tickLower, tickUpper }: PlannedPosition, sqrt: number) {
  const lower = TICK_BASE ** (tickLower / 2)
  const upper = TICK_BASE ** (tickUpper / 2)
  const inside = Math.min(Math.max(sqrt, lower), upper)
  return { amount0: 1 / inside - 1 / upper, amount1: inside - lower }
}

/** Returns the square root of token0's price in token1, both in base units. */
export function sqrtPrice(token0: Side, token1: Side): number {
  return Math.sqrt((token0.usd / token1.usd) * 10 ** (token1.decimals - token0.decimals))
}

export function toX96(sqrt: number): bigint {
  return BigInt(Math.floor(sqrt * 2 ** 96))
}

/** Converts an amount to base units, rounded down, with the precision of a double. */
export function toUnits(amount: number, decimals: number): bigint {
  return BigInt(Math.floor(amount * 10 ** decimals))
}

function tickAt(sqrt: number): number {
  return (2 * Math.log(sqrt)) / Math.log(TICK_BASE)
}

function alignedRange(lower: number, upper: number, spacing: number) {
  const tickLower = Math.floor(lower / spacing) * spacing
  return { tickLower, tickUpper: Math.max(Math.ceil(upper / spacing) * spacing, tickLower + spacing) }
}
