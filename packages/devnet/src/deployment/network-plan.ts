import type { NetworkName } from '@dexfeed/dex'
import bsc from '../../networks/bsc.json' with { type: 'json' }
import eth from '../../networks/eth.json' with { type: 'json' }
import polygon from '../../networks/polygon.json' with { type: 'json' }

/** Contracts and initial prices of a local network. The numbers only steer bots. */
export interface NetworkPlan {
  wrapped: { symbol: string; name: string; usd: number; aliases?: readonly string[] }
  tokens: readonly PlannedToken[]
  dexes: readonly { name: string; kind: PlannedDexKind }[]
  pools: readonly PlannedPool[]
  multicall3: boolean
}

export type PlannedDexKind = 'uniswap-v2' | 'uniswap-v3' | 'pancakeswap-v3'

export interface PlannedToken {
  symbol: string
  name: string
  decimals: number
  usd: number
  stable?: boolean
  /** Trusted for USD values, like the wrapped coin. */
  anchor?: boolean
  /** Transfer tax in hundredths of a percent. */
  taxBps?: number
  bytes32Metadata?: boolean
}

export interface PlannedPool {
  dex: string
  pair: readonly string[]
  /** In millionths, for V3 kinds. */
  fee?: number
  usd: number
}

/** Polygon's plan has no Multicall3, so that the indexer is also run without it. */
const PLANS: Partial<Record<NetworkName, object>> = { eth, bsc, polygon }

export function networkPlan(network: NetworkName): NetworkPlan {
  return (PLANS[network] ?? eth) as NetworkPlan
}
