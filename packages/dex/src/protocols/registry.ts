import { shapeOf, topicOf } from '../abi/fragment.ts'
import { hasWordsAndLists, hasWordsAndTails } from '../abi/words.ts'
import type { Block } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Dex, DexKind, Pool } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import { algebraIntegral } from './algebra/algebra-integral.ts'
import { algebraDirectional, algebraV19 } from './algebra/algebra-v1.9.ts'
import { algebraV1 } from './algebra/algebra-v1.ts'
import { balancerV2 } from './balancer/balancer-v2.ts'
import { balancerV3 } from './balancer/balancer-v3.ts'
import { curve } from './curve/curve.ts'
import { dodo } from './dodo.ts'
import { pancakeswapInfinityBin } from './infinity/infinity-bin.ts'
import { pancakeswapInfinityCl } from './infinity/infinity-cl.ts'
import { type EventDecoder, type Protocol, type StateReading, WITHOUT_TOPIC } from './protocol.ts'
import { PAIR_STATE_WITH_FEE, uniswapV2 } from './uniswap/uniswap-v2.ts'
import { uniswapV3 } from './uniswap/uniswap-v3.ts'
import { uniswapV4 } from './uniswap/uniswap-v4.ts'
import { pancakeswapV3, solidlyV3 } from './uniswap/v3-forks.ts'
import { balancerV1 } from './venues/balancer-v1.ts'
import { fluid } from './venues/fluid.ts'
import { kyberswapClassic } from './venues/kyberswap-classic.ts'
import { kyberswapElastic } from './venues/kyberswap-elastic.ts'
import { liquidityBook } from './venues/liquidity-book.ts'
import { makerPsm } from './venues/maker-psm.ts'
import { maverickV1, maverickV2 } from './venues/maverick.ts'
import { ekubo } from './venues/pools/ekubo.ts'
import { eulerSwap } from './venues/pools/euler-swap.ts'
import { fluidLite } from './venues/pools/fluid-lite.ts'
import { metric } from './venues/pools/metric.ts'
import { bancorV2, bancorV3, carbon } from './venues/settled/bancor.ts'
import { marketMaker } from './venues/settled/market-maker.ts'
import { airswap, hashflow, tokenlon } from './venues/settled/rfq.ts'
import { woofi } from './venues/settled/woofi.ts'
import { zeroex, zeroexExchange } from './venues/settled/zeroex.ts'
import { solidly, velodromeV2 } from './venues/solidly.ts'

/** To add a protocol: its file, its name among the kinds, and a line here. */
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
  'balancer-v1': balancerV1,
  'maverick-v1': maverickV1,
  'maverick-v2': maverickV2,
  fluid,
  solidly,
  'solidly-v3': solidlyV3,
  'algebra-directional': algebraDirectional,
  'liquidity-book': liquidityBook,
  'kyberswap-classic': kyberswapClassic,
  'maker-psm': makerPsm,
  hashflow,
  zeroex,
  'bancor-v2': bancorV2,
  'bancor-v3': bancorV3,
  carbon,
  tokenlon,
  woofi,
  'kyberswap-elastic': kyberswapElastic,
  'zeroex-exchange': zeroexExchange,
  airswap,
  'market-maker': marketMaker,
  metric,
  'velodrome-v2': velodromeV2,
  'euler-swap': eulerSwap,
  'fluid-lite': fluidLite,
  ekubo,
}

export function protocolOf(kind: DexKind): Protocol {
  return PROTOCOLS[kind]
}

/**
 * Returns how a pool's state is read. Null for pools that are not quoted: such a kind, such hooks, or an unknown fee.
 */
export function stateReadingOf(pool: Pool): StateReading | null {
  const { dex, hooks } = pool
  const { state, canHooksMoveAmounts } = protocolOf(dex.kind)
  if (dex.feeBps === null || (hooks !== undefined && canHooksMoveAmounts?.(pool) !== false)) return null
  return dex.feeCall === undefined ? state : PAIR_STATE_WITH_FEE
}

/** Returns other contracts whose events (`DependencyEvent`) concern a pool. */
export function dependenciesOf(pool: Pool): readonly Address[] {
  return protocolOf(pool.dex.kind).dependsOn?.(pool) ?? []
}

/** Returns the contracts whose logs without a topic are pool events. */
export function emittersOf(dexes: readonly Dex[]): Address[] {
  return dexes.flatMap(({ kind, factory }) => (protocolOf(kind).withoutTopic === undefined ? [] : [factory]))
}

/**
 * Returns decoders of kinds by first topic. They return null for other shapes, because any contract can emit these
 * topics. Kinds that share a topic share its decoder. The key of logs without a topic is `WITHOUT_TOPIC`.
 */
export function decodersOf(kinds: Iterable<DexKind>): ReadonlyMap<Hex, EventDecoder> {
  return new Map([...kinds].flatMap(decodersOfKind))
}

type Decoders = readonly (readonly [topic: Hex, EventDecoder])[]

/** To hash the events of a kind takes longer than to read a receipt. */
const made = new Map<DexKind, Decoders>()

function decodersOfKind(kind: DexKind): Decoders {
  const known = made.get(kind)
  if (known !== undefined) return known
  const { events, withoutTopic } = protocolOf(kind)
  const decoders = Object.entries(events).map(([event, decode]) => {
    const { topics, words, pointers, lists } = shapeOf(event)
    const hasTails = lists.length === 0 ? hasWordsAndTails : hasWordsAndLists
    const decoder: EventDecoder = (log) => {
      const hasShape = log.topics.length === topics && hasTails(log.data, words, lists.length === 0 ? pointers : lists)
      return hasShape ? decode(log) : null
    }
    return [topicOf(event), decoder] as const
  })
  const all: Decoders = withoutTopic === undefined ? decoders : [[WITHOUT_TOPIC, withoutTopic], ...decoders]
  made.set(kind, all)
  return all
}

interface DecodedLogs {
  /** In log order. Their pools are not verified yet. */
  events: PoolEvent[]
  /** Logs with one of our topics, or none, that do not have the event's shape. */
  malformed: number
}

/** Decodes the pool events among a block's logs. */
export function decode(block: Block, decoders: ReadonlyMap<Hex, EventDecoder>): DecodedLogs {
  const events: PoolEvent[] = []
  let malformed = 0
  for (const log of block.logs) {
    const decoder = decoders.get(log.topics[0] ?? WITHOUT_TOPIC)
    if (decoder === undefined) continue
    const event = decoder(log)
    if (event === null) malformed++
    else events.push(event)
  }
  return { events, malformed }
}
