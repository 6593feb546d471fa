import type { Address } from '@dexfeed/dex'
import type { DevnetToken } from './contracts.ts'
import type { Random } from './random.ts'

const DAY_S = 86_400
/** Standard deviation of a day's move. */
const DAILY_VOLATILITY = 0.012
const STABLE_VOLATILITY = 0.0002
/** Share of the way back to the first price that a day takes: keeps a long run near where it began. */
const DAILY_REVERSION = 0.3

/** The slowly moving prices that the price keeper holds pools to. Floating point: they steer bots, nothing else. */
export interface ReferencePrices {
  usd(token: Address): number
  advance(seconds: number): void
}

export function createReferencePrices(tokens: readonly DevnetToken[], random: Random): ReferencePrices {
  const walks = tokens.map(({ address, usd, stable }) => ({ address, usd, stable, drift: 0 }))
  const byAddress = new Map(walks.map((walk) => [walk.address, walk]))
  return {
    usd(token) {
      const walk = byAddress.get(token)
      if (!walk) throw new Error(`no reference price for ${token}`)
      return walk.usd * Math.exp(walk.drift)
    },
    advance(seconds) {
      const days = seconds / DAY_S
      for (const walk of walks) {
        const step = (walk.stable ? STABLE_VOLATILITY : DAILY_VOLATILITY) * Math.sqrt(days) * random.normal()
        walk.drift = walk.drift * Math.exp(-DAILY_REVERSION * days) + step
      }
    },
  }
}

/** Square root of the price of token0 in token1, both in base units. */
export function sqrtPrice(
  token0: { usd: number; decimals: number },
  token1: { usd: number; decimals: number },
): number {
  return Math.sqrt((token0.usd / token1.usd) * 10 ** (token1.decimals - token0.decimals))
}

export function toX96(sqrt: number): bigint {
  return BigInt(Math.floor(sqrt * 2 ** 96))
}

/** Base units, rounded down; exact to the precision of a double. */
export function toUnits(amount: number, decimals: number): bigint {
  return BigInt(Math.floor(amount * 10 ** decimals))
}
