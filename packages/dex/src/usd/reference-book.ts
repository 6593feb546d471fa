import type { Address } from '../hex.ts'
import type { PoolState } from '../pool-state.ts'
import type { AnchorPrices } from './anchor-prices.ts'
import { type ReferenceConfig, type ReferencePool, type ReferenceState, referencePrices } from './reference-prices.ts'

/**
 * The reference pools' states while blocks are walked in order. Prices of a block are asked for before its own events
 * are recorded, so they depend on the chain before it alone.
 */
export class ReferenceBook {
  readonly #config: ReferenceConfig
  readonly #pools = new Map<Address, ReferencePool>()
  readonly #states = new Map<Address, ReferenceState>()
  readonly #tokens: ReadonlySet<Address>

  constructor(config: ReferenceConfig, pools: Iterable<ReferencePool>, states?: Iterable<[Address, ReferenceState]>) {
    this.#config = config
    this.#tokens = new Set([config.wrappedNative, ...config.stablecoins, ...config.anchors])
    for (const pool of pools) this.#pools.set(pool.address, pool)
    for (const [pool, state] of states ?? []) this.#states.set(pool, state)
  }

  /** An independent copy: blocks walked on it can be given up. */
  copy(): ReferenceBook {
    return new ReferenceBook(this.#config, this.#pools.values(), this.#states)
  }

  /** Whether two tokens make a pool a reference: one a stablecoin, the other any anchor. */
  isReference({ token0, token1 }: Pick<ReferencePool, 'token0' | 'token1'>): boolean {
    const { stablecoins } = this.#config
    return (
      this.#tokens.has(token0) &&
      this.#tokens.has(token1) &&
      (stablecoins.includes(token0) || stablecoins.includes(token1))
    )
  }

  has(pool: Address): boolean {
    return this.#pools.has(pool)
  }

  addPool(pool: ReferencePool): void {
    this.#pools.set(pool.address, pool)
  }

  pools(): readonly ReferencePool[] {
    return [...this.#pools.values()]
  }

  /** Takes over the state after a price event (a pair's Sync, a concentrated pool's Swap). */
  record(pool: Address, state: PoolState, timestamp: number): void {
    this.#states.set(pool, { state, timestamp })
  }

  /** Prices for a block with this time, from what was recorded so far. */
  pricesAt(timestamp: number): AnchorPrices {
    return referencePrices(this.#config, this.pools(), this.#states, timestamp)
  }
}
