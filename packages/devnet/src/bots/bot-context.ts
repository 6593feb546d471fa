import { type Address, DAY_S } from '@dexfeed/dex'
import type { Artifacts, DevnetAccounts, DevnetContracts, DevnetToken } from '../deployment/contracts.ts'
import { toUnits } from '../deployment/liquidity.ts'
import type { Random } from '../random.ts'

const MEDIAN_USD = 900
const MAX_USD = 40_000
const MIN_USD = 5

export interface BotContext {
  contracts: DevnetContracts
  artifacts: Artifacts
  accounts: DevnetAccounts
  random: Random
  prices: ReferencePrices
}

export function randomUsd(random: Random): number {
  return Math.min(MAX_USD, Math.max(MIN_USD, MEDIAN_USD * Math.exp(1.4 * random.normal())))
}

export function amountWorth({ contracts, prices }: BotContext, token: Address, usd: number): bigint {
  return toUnits(usd / prices.usd(token), tokenAt(contracts, token).decimals)
}

export function tokenNow({ contracts, prices }: BotContext, token: Address): DevnetToken {
  return { ...tokenAt(contracts, token), usd: prices.usd(token) }
}

function tokenAt({ tokens }: DevnetContracts, token: Address): DevnetToken {
  const found = tokens.find(({ address }) => address === token)
  if (!found) throw new Error(`unknown token ${token}`)
  return found
}

const DAILY_VOLATILITY = 0.012
const STABLE_VOLATILITY = 0.0002
/** Share of the drift that is undone per day, so that prices stay bounded in a long run. */
const DAILY_REVERSION = 0.3

/** Slowly moving prices at which the price keeper holds the pools. Floats are enough, because they only steer bots. */
interface ReferencePrices {
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
