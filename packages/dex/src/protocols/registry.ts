import type { Hex } from '../hex.ts'
import type { DexKind } from '../pool.ts'
import { algebraIntegral } from './algebra-integral.ts'
import { algebraV19 } from './algebra-v1.9.ts'
import { algebraV1 } from './algebra-v1.ts'
import { balancerV2 } from './balancer-v2.ts'
import { balancerV3 } from './balancer-v3.ts'
import { curve } from './curve.ts'
import { dodo } from './dodo.ts'
import { pancakeswapV3 } from './pancakeswap-v3.ts'
import type { EventDecoder, Protocol } from './protocol.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3.ts'

/** Every protocol that is read. A new one is its file and a line here. */
const PROTOCOLS: readonly Protocol[] = [
  uniswapV2,
  uniswapV3,
  pancakeswapV3,
  algebraV1,
  algebraV19,
  algebraIntegral,
  curve,
  balancerV2,
  balancerV3,
  dodo,
]

/** The protocol of a kind, or null when that kind is not read yet. */
export function protocolOf(kind: DexKind): Protocol | null {
  return PROTOCOLS.find((protocol) => protocol.kind === kind) ?? null
}

/** Decoders of the given kinds by topic 0. Kinds that share a topic share its decoder. */
export function decodersOf(kinds: Iterable<DexKind>): ReadonlyMap<Hex, EventDecoder> {
  const decoders = new Map<Hex, EventDecoder>()
  for (const kind of kinds) {
    for (const [topic, decoder] of Object.entries(protocolOf(kind)?.events ?? {})) decoders.set(topic as Hex, decoder)
  }
  return decoders
}
