import type { Address } from '../chain/hex.ts'
import type { PoolState } from '../pool-state.ts'
import type { AnchorPrices } from './anchor-prices.ts'
import { type RatedPool, ratedPool } from './rated-pool.ts'
import type { ReferenceConfig, ReferencePool, ReferenceState } from './reference-pool.ts'
import { pricesOf } from './reference-prices.ts'

/**
 * The reference pools' states while blocks are walked in order. Prices of a block are asked for before its own events
 * are recorded, so they depend on the chain before it alone.
 */
export class ReferenceBook {
  readonly #config: ReferenceConfig
  readonly #pools = new Map<Address, ReferencePool>()
  readonly #rated = new Map<Address, RatedPool>()
  readonly #tokens: ReadonlySet<Address>

  constructor(config: ReferenceConfig, pools: Iterable<ReferencePool>, states?: Iterable<[Address, ReferenceState]>) {
    this.#config = config
    this.#tokens = new Set([config.wrappedNative, ...config.stablecoins, ...config.anchors])
    for (const pool of pools) this.#pools.set(pool.address, pool)
    for (const [pool, { state, timestamp }] of states ?? []) this.record(pool, state, timestamp)
  }

  /** An independent copy: blocks walked on it can be given up. */
  copy(): ReferenceBook {
    const book = new ReferenceBook(this.#config, this.#pools.values())
    for (const [address, rated] of this.#rated) book.#rated.set(address, rated)
    return book
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
  record(address: Address, state: PoolState, timestamp: number): void {
    const pool = this.#pools.get(address)
    if (pool !== undefined) this.#rated.set(address, ratedPool(this.#config, pool, { state, timestamp }))
  }

  /** Prices for a block with this time, from what was recorded so far. */
  pricesAt(timestamp: number): AnchorPrices {
    return pricesOf(this.#config, this.#rated.values(), timestamp)
  }
}
