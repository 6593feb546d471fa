import type { Address } from '@dexfeed/dex'
import type { DevnetContracts } from './contracts.ts'
import type { NetworkPlan, PlannedDexKind } from './network-plan.ts'

/** Every V2 pair of a devnet has Uniswap's bytecode, with a fee of 0.3 %. */
const V2_FEE_BPS = 30

export interface DexConfigEntry {
  wrappedNative: Address
  stablecoins: readonly Address[]
  anchors: readonly Address[]
  dexes: readonly { name: string; kind: PlannedDexKind; factory: Address; feeBps?: number }[]
  tokens: readonly {
    address: Address
    symbol: string
    name: string
    decimals: number
    aliases?: readonly string[]
  }[]
  finalityDepth: number
}

export function dexConfigEntry(plan: NetworkPlan, contracts: DevnetContracts): DexConfigEntry {
  return {
    wrappedNative: contracts.wrappedNative,
    stablecoins: contracts.tokens.filter(({ stable }) => stable).map(({ address }) => address),
    anchors: contracts.tokens.filter(({ anchor }) => anchor).map(({ address }) => address),
    dexes: plan.dexes.map(({ name, kind }) => {
      const factory = contracts.factories[name]
      if (!factory) throw new Error(`${name} is not deployed`)
      return { name, kind, factory, ...(kind === 'uniswap-v2' ? { feeBps: V2_FEE_BPS } : {}) }
    }),
    tokens: contracts.tokens.map(({ address, symbol, name, decimals, aliases }) => ({
      address,
      symbol,
      name,
      decimals,
      ...(aliases ? { aliases } : {}),
    })),
    finalityDepth: 64,
  }
}
