import type { BlockPoint } from '../chain/block-range.ts'
import type { Address } from '../chain/hex.ts'
import type { PoolState } from '../pool-state.ts'
import type { AnchorPrices } from './anchor-prices.ts'
import { type RatedPool, ratedPool } from './rated-pool.ts'
import type { ReferenceConfig, ReferencePool, ReferenceState } from './reference-pool.ts'
import { pricesOf } from './reference-prices.ts'

/** What a block changed; `rated` is what stood there before, or null where the block made the pool known. */
interface Change {
  number: number
  pool: Address
  rated: RatedPool | undefined | null
}

/**
 * The reference pools' states while blocks are walked in order. Prices of a block are asked for before its own events
 * are recorded, so they depend on the chain before it alone. A book that is kept at a head remembers what the blocks
 * that may be rolled back have changed.
 */
export class ReferenceBook {
  readonly #config: ReferenceConfig
  readonly #pools = new Map<Address, ReferencePool>()
  readonly #rated = new Map<Address, RatedPool>()
  readonly #tokens: ReadonlySet<Address>
  /** What the blocks above `#since` have changed, in order. */
  #changes: Change[] = []
  /** Null: nothing is remembered. */
  #since: number | null = null

  constructor(config: ReferenceConfig, pools: Iterable<ReferencePool>, states?: Iterable<[Address, ReferenceState]>) {
    this.#config = config
    this.#tokens = new Set([config.wrappedNative, ...config.stablecoins, ...config.anchors])
    for (const pool of pools) this.#pools.set(pool.address, pool)
    for (const [pool, { state, timestamp }] of states ?? []) this.#rate(pool, state, timestamp)
  }

  /** An independent copy: blocks walked on it can be given up. */
  copy(): ReferenceBook {
    const book = new ReferenceBook(this.#config, this.#pools.values())
    for (const [address, rated] of this.#rated) book.#rated.set(address, rated)
    book.#changes = [...this.#changes]
    book.#since = this.#since
    return book
  }

  /** From now on what blocks change is remembered, but for those up to this one, which cannot be rolled back. */
  rememberSince(number: number): void {
    this.#since = Math.max(this.#since ?? number, number)
    const first = this.#changes.findIndex((change) => change.number > number)
    this.#changes.splice(0, first < 0 ? this.#changes.length : first)
  }

  /** Rolls back what the blocks above this one have changed; false: that is not remembered, and nothing happens. */
  rollBack(number: number): boolean {
    if (this.#since === null || number < this.#since) return false
    for (let last = this.#changes.at(-1); last !== undefined && last.number > number; last = this.#changes.at(-1)) {
      this.#changes.pop()
      if (last.rated === null) this.#pools.delete(last.pool)
      else if (last.rated === undefined) this.#rated.delete(last.pool)
      else this.#rated.set(last.pool, last.rated)
    }
    return true
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

  /** @param number of the block that made the pool */
  addPool(pool: ReferencePool, number: number): void {
    if (this.#pools.has(pool.address)) return
    this.#pools.set(pool.address, pool)
    if (this.#since !== null) this.#changes.push({ number, pool: pool.address, rated: null })
  }

  pools(): readonly ReferencePool[] {
    return [...this.#pools.values()]
  }

  /** Takes over the state after a price event (a pair's Sync, a concentrated pool's Swap) of a block. */
  record(pool: Address, state: PoolState, { number, timestamp }: BlockPoint): void {
    if (!this.#pools.has(pool)) return
    if (this.#since !== null) this.#changes.push({ number, pool, rated: this.#rated.get(pool) })
    this.#rate(pool, state, timestamp)
  }

  #rate(address: Address, state: PoolState, timestamp: number): void {
    const pool = this.#pools.get(address)
    if (pool !== undefined) this.#rated.set(address, ratedPool(this.#config, pool, { state, timestamp }))
  }

  /** Prices for a block with this time, from what was recorded so far. */
  pricesAt(timestamp: number): AnchorPrices {
    return pricesOf(this.#config, this.#rated.values(), timestamp)
  }
}
