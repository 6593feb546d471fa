import { systemClock } from '@dexfeed/chain'
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
import { type LoopContext, repeatLogged, type TimeClock } from '../loops/loop.ts'
import type { ContractCaller } from '../pools/contract-calls.ts'
import type { TokenCache } from '../pools/tokens/token-cache.ts'

const FIRST_REST_MS = MINUTE
/** Bounded, because another process may be the only one that sees a pool's creation. */
const MAX_REST_MS = 10 * MINUTE

interface FactoryChain extends ContractCaller {
  head(): Promise<BlockHeader>
}

interface AnchorTokens {
  known: { tokens: TokenCache }
  tokenReader: { read(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> }
}

interface Question {
  to: Address
  data: Hex
  pair: readonly [Address, Address]
  tickSpacing: number
}

/**
 * Asks the factories for the pools that price the anchors. One endpoint's answer is enough to add a pool. Denied pools
 * are requested again after a pause, or once a factory logs their creation.
 */
export class ReferencePools {
  readonly #chain: FactoryChain
  readonly #deployment: Deployment
  readonly #registry: AnchorTokens
  readonly #clock: TimeClock
  readonly #tokens: readonly Address[]
  readonly #pools = new Map<Address, ReferencePool>()
  #config: ReferenceConfig
  #denied: readonly Question[]
  #version = 0
  #restMs = FIRST_REST_MS
  #restsUntil = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | null = null

  constructor(chain: FactoryChain, deployment: Deployment, registry: AnchorTokens, clock: TimeClock = systemClock) {
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

  /** Increases when pools or decimals become known that older books lack. */
  get version(): number {
    return this.#version
  }

  refresh(): Promise<void> {
    if (this.#refreshing !== null) return this.#refreshing
    if (this.#clock.now() < this.#restsUntil) return Promise.resolve()
    this.#refreshing = this.#update().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Ends the pause, because a factory has created a pool of this pair. */
  expect({ token0, token1 }: { token0: Address; token1: Address }): void {
    if (!this.#denied.some(({ pair }) => pair[0] === token0 && pair[1] === token1)) return
    this.#restMs = FIRST_REST_MS
    this.#restsUntil = Number.NEGATIVE_INFINITY
  }

  async #update(): Promise<void> {
    const restMs = this.#restMs
    // Set first, so that `expect` can end the pause during the request.
    this.#restMs = Math.min(2 * restMs, MAX_REST_MS)
    this.#restsUntil = this.#clock.now() + restMs
    try {
      const { known, tokenReader } = this.#registry
      await tokenReader.read(this.#tokens, 'latest')
      const isOpen = this.#tokens.some((token) => known.tokens.get(token) === undefined)
      if (isOpen) await tokenReader.read(this.#tokens, (await this.#chain.head()).parentHash)
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

  /** Checks a denial at a second endpoint or, without one, at the previous block. */
  async #queryFactories(): Promise<void> {
    const chain = this.#chain
    const doubted = this.#addPools(this.#denied, await chain.callMany(this.#denied, 'latest'))
    if (doubted.length > 0) {
      const elsewhere = await chain.callElsewhere(doubted, 'latest')
      const results = elsewhere ?? (await chain.callMany(doubted, (await chain.head()).parentHash))
      this.#denied = this.#addPools(doubted, results)
    } else this.#denied = []
  }

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
        const known = this.#registry.known.tokens.get(token)?.decimals ?? null
        return known === null ? [] : [[token, known]]
      }),
    )
    return { wrappedNative, stablecoins, anchors, decimals, ...referenceBlocks(network) }
  }
}

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

interface RefreshOptions extends LoopContext {
  references: { refresh(): Promise<void> }
}

export async function refreshReferences({ references, log, clock }: RefreshOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    await references.refresh()
    return MINUTE
  }
  await repeatLogged({ ended, log, clock, level: 'debug' }, 'could not read the reference pools, trying again', step)
}
