import { type Clock, systemClock } from '@dexfeed/chain'
import {
  type Address,
  type BlockHeader,
  type Deployment,
  type Hex,
  MINUTE,
  protocolOf,
  type ReferenceConfig,
  type ReferencePool,
  referenceBlocks,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import type { ContractCalls } from '../pools/contract-calls.ts'
import type { PoolRegistry } from '../pools/pool-registry.ts'

/** First pause before requesting denied pools again; it doubles each time. */
const FIRST_REST_MS = MINUTE
/** Limit of the pause. Another process may see the creation of a pool first. */
const LONGEST_REST_MS = 10 * MINUTE

interface ReferenceChain extends ContractCalls {
  head(): Promise<BlockHeader>
}

/** A factory call about a pair of anchors. */
interface Question {
  to: Address
  data: Hex
  pair: readonly [Address, Address]
  /** The tick spacing of the pool that the call returns. */
  tickSpacing: number
}

/**
 * The anchors and the pools that give their prices, as the configured factories return them. All valuations in a
 * process share one set. A pool counts when any endpoint confirms it. Denied pools are requested repeatedly, and
 * immediately when a factory's log announces one.
 */
export class ReferencePools {
  readonly #chain: ReferenceChain
  readonly #deployment: Deployment
  readonly #registry: Pick<PoolRegistry, 'known' | 'tokens'>
  readonly #clock: Pick<Clock, 'now'>
  readonly #tokens: readonly Address[]
  readonly #pools = new Map<Address, ReferencePool>()
  #config: ReferenceConfig
  #denied: readonly Question[]
  #version = 0
  #restMs = FIRST_REST_MS
  #restsUntil = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | null = null

  constructor(
    chain: ReferenceChain,
    deployment: Deployment,
    registry: Pick<PoolRegistry, 'known' | 'tokens'>,
    clock: Pick<Clock, 'now'> = systemClock,
  ) {
    const { wrappedNative, stablecoins, anchors, dexes } = deployment
    this.#chain = chain
    this.#deployment = deployment
    this.#registry = registry
    this.#clock = clock
    this.#tokens = [...new Set([wrappedNative, ...stablecoins, ...anchors])]
    this.#config = this.#configNow()
    this.#denied = pairsOf(this.#tokens, stablecoins).flatMap((pair) =>
      dexes.flatMap(({ kind, factory }) =>
        protocolOf(kind)
          .lookups(...pair)
          .map((lookup) => ({ to: factory, pair, ...lookup })),
      ),
    )
  }

  get config(): ReferenceConfig {
    return this.#config
  }

  get pools(): readonly ReferencePool[] {
    return [...this.#pools.values()]
  }

  /** Grows with each change: books made with an earlier version lack something. */
  get version(): number {
    return this.#version
  }

  /** Requests what is still unknown, unless a pause is running. */
  refresh(): Promise<void> {
    if (this.#refreshing !== null) return this.#refreshing
    if (this.#clock.now() < this.#restsUntil) return Promise.resolve()
    this.#refreshing = this.#update().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Notes that a factory made a pool of two anchors: it is requested before the next prices. */
  expect({ token0, token1 }: Pick<ReferencePool, 'token0' | 'token1'>): void {
    if (!this.#denied.some(({ pair }) => pair[0] === token0 && pair[1] === token1)) return
    this.#restMs = FIRST_REST_MS
    this.#restsUntil = Number.NEGATIVE_INFINITY
  }

  async #update(): Promise<void> {
    const restMs = this.#restMs
    // A call of `expect` during the request ends the pause.
    this.#restMs = Math.min(2 * restMs, LONGEST_REST_MS)
    this.#restsUntil = this.#clock.now() + restMs
    try {
      const { known, tokens } = this.#registry
      await tokens.read(this.#tokens, 'latest')
      const isOpen = this.#tokens.some((token) => known.token(token) === undefined)
      if (isOpen) await tokens.read(this.#tokens, (await this.#chain.head()).parentHash)
      const config = this.#configNow()
      if (config.decimals.size > this.#config.decimals.size) {
        this.#config = config
        this.#version += 1
      }
      await this.#queryFactories()
    } catch (error) {
      this.#restsUntil = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  /** A price must not depend on one denial: it is checked at a second endpoint, or at another block. */
  async #queryFactories(): Promise<void> {
    const chain = this.#chain
    const doubted = this.#addPools(this.#denied, await chain.callMany(this.#denied, 'latest'))
    if (doubted.length > 0) {
      const elsewhere = await chain.callElsewhere(doubted, 'latest')
      const results = elsewhere ?? (await chain.callMany(doubted, (await chain.head()).parentHash))
      this.#denied = this.#addPools(doubted, results)
    } else this.#denied = []
  }

  /** Adds the pools found in the responses. Returns the questions without a pool. */
  #addPools(questions: readonly Question[], results: readonly (Hex | null)[]): Question[] {
    return questions.filter(({ pair: [token0, token1], tickSpacing }, index) => {
      const address = addressIn(results[index] ?? null)
      if (address === null) return true
      this.#pools.set(address, { address, token0, token1, tickSpacing })
      this.#version += 1
      return false
    })
  }

  #configNow(): ReferenceConfig {
    const { network, wrappedNative, stablecoins, anchors } = this.#deployment
    const decimals = new Map(
      this.#tokens.flatMap((token): [Address, number][] => {
        const own = this.#registry.known.token(token)?.decimals ?? null
        return own === null ? [] : [[token, own]]
      }),
    )
    return { wrappedNative, stablecoins, anchors, decimals, ...referenceBlocks(network) }
  }
}

/** Returns the pairs with at least one stablecoin, each in the order of token0 and token1. */
function pairsOf(tokens: readonly Address[], stablecoins: readonly Address[]): [Address, Address][] {
  return tokens.flatMap((a, index) =>
    tokens
      .slice(index + 1)
      .filter((b) => stablecoins.includes(a) || stablecoins.includes(b))
      .map((b): [Address, Address] => (a < b ? [a, b] : [b, a])),
  )
}

function addressIn(answer: Hex | null): Address | null {
  if (answer === null || answer.length !== 66) return null
  const address: Address = `0x${answer.slice(26)}`
  return address === ZERO_ADDRESS ? null : address
}

export interface RefreshReferencesOptions {
  references: Pick<ReferencePools, 'refresh'>
  log: IndexerLog
  clock?: LoopClock | undefined
}

/** Requests denied reference pools again in the background, even if no caller needs them. */
export async function refreshReferences(
  { references, log, clock }: RefreshReferencesOptions,
  ended: AbortSignal,
): Promise<void> {
  const step = async () => {
    await references.refresh()
    return MINUTE
  }
  await repeatStep({ ended, clock }, step, (error) =>
    log.debug({ err: error }, 'could not read the reference pools, trying again'),
  )
}
