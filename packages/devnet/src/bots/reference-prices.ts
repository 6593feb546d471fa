import { type Address, DAY_S } from '@dexfeed/dex'
import type { DevnetToken } from '../deployment/contracts.ts'
import type { Random } from '../random.ts'

const DAILY_VOLATILITY = 0.012
const STABLE_VOLATILITY = 0.0002
/** Share of the drift that is undone per day, so that prices stay bounded in a long run. */
const DAILY_REVERSION = 0.3

/** Slowly moving prices at which the price keeper holds the pools. Floats are enough, because they only steer bots. */
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
