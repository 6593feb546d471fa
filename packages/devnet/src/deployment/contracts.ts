import type { Address } from '@dexfeed/dex'
import type { PlannedDexKind, PlannedToken } from './network-plan.ts'

export interface DevnetToken extends PlannedToken {
  address: Address
  aliases?: readonly string[]
}

export interface DevnetPool {
  address: Address
  dex: string
  kind: PlannedDexKind
  token0: Address
  token1: Address
  /** Millionths. */
  fee: number
  /** Null for V2 kinds. */
  tickSpacing: number | null
  usd: number
}

interface UniswapV3Periphery {
  positionManager: Address
  swapRouter: Address
  quoterV2: Address
}

export interface DevnetContracts {
  wrappedNative: Address
  multicall3: Address | null
  /** Factory by name of the DEX. */
  factories: Readonly<Record<string, Address>>
  /** UniswapV2Router02 of the network's V2 DEX. */
  v2Router: Address
  /** Where Uniswap V3 is deployed. */
  uniswapV3: UniswapV3Periphery | null
  /** Our caller for all pool kinds; its `quote` works for any route. */
  devRouter: Address
  priceKeeper: Address
  /** Emits pool events though no factory made it. */
  forger: Address
  /** The wrapped coin first. */
  tokens: readonly DevnetToken[]
  pools: readonly DevnetPool[]
}

/** The contracts that pools need. */
export type Venues = Omit<DevnetContracts, 'tokens' | 'pools' | 'forger'>

/** Unlocked accounts by what they do. */
export interface DevnetAccounts {
  /** Deploys everything and provides the first liquidity. */
  deployer: Address
  keeper: Address
  traders: readonly Address[]
}
