import type { Address, Hex } from '@dexfeed/dex'

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
  /** Answers `factory()`; a configured one, but for pools that nobody confirms. */
  factory: Address
  token0: MadeToken
  token1: MadeToken
  /** Millionths; a pair's is not asked. */
  fee: number
  /** Of concentrated liquidity; 0 for a pair. */
  tickSpacing: number
  /** Where its price walks: around this tick, so many ticks to either side. */
  centre: number
  reach: number
  /** A pair's reserves at the centre. */
  reserves: readonly [bigint, bigint]
  /** By their number; none for a pair. */
  ticks: ReadonlyMap<number, MadeTick>
}

/** Event signatures of the pools, tokens and factories. */
export const TOPICS = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  approval: '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  deposit: '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  withdrawal: '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
  sync: '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1',
  'uniswap-v2': '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  'uniswap-v3': '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  'pancakeswap-v3': '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83',
  pairCreated: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
  poolCreated: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  initialize: '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95',
  mint: '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
} as const satisfies Record<string, Hex>

/** 32 bytes of ABI data; negative numbers in two's complement. */
export function word(value: bigint | number): string {
  const whole = BigInt(value)
  return (whole < 0n ? BigInt.asUintN(256, whole) : whole).toString(16).padStart(64, '0')
}

/** An address as a topic. */
export function addressTopic(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}
