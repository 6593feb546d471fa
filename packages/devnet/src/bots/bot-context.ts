import type { Address } from '@dexfeed/dex'
import type { Artifacts } from '../deployment/artifacts.ts'
import type { DevnetAccounts, DevnetContracts, DevnetToken } from '../deployment/contracts.ts'
import { toUnits } from '../deployment/liquidity.ts'
import type { Random } from '../random.ts'
import type { ReferencePrices } from './reference-prices.ts'

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
