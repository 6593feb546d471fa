import type { Address } from '@dexfeed/dex'

export interface MadeToken {
  address: Address
  symbol: string
  decimals: number
  /** US dollars a whole one. */
  usd: number
}

export type PoolKind = 'uniswap-v2' | 'uniswap-v3' | 'pancakeswap-v3'

/** An initialised tick: how much liquidity ends or begins there, and by how much it changes upwards. */
export interface MadeTick {
  gross: bigint
  net: bigint
}

/** A pool whose state follows from the number of its swaps so far. */
export interface MadePool {
  /** Place among the pools by trades, 0 being the most traded. */
  rank: number
  address: Address
  kind: PoolKind
  /** The result of `factory()`; it is configured, except for pools that no configured factory confirms. */
  factory: Address
  token0: MadeToken
  token1: MadeToken
  /** Millionths; not used for a pair. */
  fee: number
  /** Of concentrated liquidity; 0 for a pair. */
  tickSpacing: number
  /** Its price moves around this tick, up to `reach` ticks to either side. */
  centre: number
  reach: number
  /** A pair's reserves at the centre. */
  reserves: readonly [bigint, bigint]
  /** By their number; none for a pair. */
  ticks: ReadonlyMap<number, MadeTick>
}
