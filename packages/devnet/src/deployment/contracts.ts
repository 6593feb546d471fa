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
  /** In millionths. */
  fee: number
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
  factories: Readonly<Record<string, Address>>
  v2Router: Address
  uniswapV3: UniswapV3Periphery | null
  /** Calls pools of every kind; its `quote` works for any route. */
  devRouter: Address
  priceKeeper: Address
  /** Emits pool events, though no factory made it. */
  forger: Address
  /** The wrapped coin comes first. */
  tokens: readonly DevnetToken[]
  pools: readonly DevnetPool[]
}

export type Venues = Omit<DevnetContracts, 'tokens' | 'pools' | 'forger'>

export interface DevnetAccounts {
  deployer: Address
  keeper: Address
  traders: readonly Address[]
}
