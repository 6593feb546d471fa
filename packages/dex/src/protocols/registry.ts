import type { Hex } from '../chain/hex.ts'
import type { DexKind } from '../pool.ts'
import { algebraIntegral } from './algebra-integral.ts'
import { algebraV19 } from './algebra-v1.9.ts'
import { algebraV1 } from './algebra-v1.ts'
import { balancerV2 } from './balancer-v2.ts'
import { balancerV3 } from './balancer-v3.ts'
import { curve } from './curve.ts'
import { dodo } from './dodo.ts'
import { pancakeswapInfinityBin } from './pancakeswap-infinity-bin.ts'
import { pancakeswapInfinityCl } from './pancakeswap-infinity-cl.ts'
import { pancakeswapV3 } from './pancakeswap-v3.ts'
import type { EventDecoder, Protocol } from './protocol.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3.ts'
import { uniswapV4 } from './uniswap-v4.ts'

/** A new protocol is its file, its name among the kinds, and a line here. */
const PROTOCOLS: Readonly<Record<DexKind, Protocol>> = {
  'uniswap-v2': uniswapV2,
  'uniswap-v3': uniswapV3,
  'pancakeswap-v3': pancakeswapV3,
  'uniswap-v4': uniswapV4,
  'algebra-v1': algebraV1,
  'algebra-v1.9': algebraV19,
  'algebra-integral': algebraIntegral,
  'pancakeswap-infinity-cl': pancakeswapInfinityCl,
  'pancakeswap-infinity-bin': pancakeswapInfinityBin,
  curve,
  'balancer-v2': balancerV2,
  'balancer-v3': balancerV3,
  dodo,
}

export function protocolOf(kind: DexKind): Protocol {
  return PROTOCOLS[kind]
}

/** Decoders of the given kinds by topic 0. Kinds that share a topic share its decoder. */
export function decodersOf(kinds: Iterable<DexKind>): ReadonlyMap<Hex, EventDecoder> {
  const decoders = new Map<Hex, EventDecoder>()
  for (const kind of kinds) {
    for (const [topic, decoder] of Object.entries(protocolOf(kind).events)) decoders.set(topic as Hex, decoder)
  }
  return decoders
}
