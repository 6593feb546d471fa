import type { BlockPoint } from '../chain/block-range.ts'
import type { Address } from '../chain/hex.ts'
import type { ReferenceEvent } from '../pool-event.ts'
import type { AnchorPrices } from './anchor-prices.ts'
import {
  afterEvent,
  type FollowedPool,
  followedPool,
  type ReferenceChange,
  type ReferenceConfig,
  type ReferencePool,
} from './reference/reference-pool.ts'
import { pricesOf } from './reference-prices.ts'

/** What a block changed; `before` is the pool as it was, or null where the block made it known. */
interface Change {
  number: number
  pool: Address
  before: FollowedPool | null
}

/**
 * The reference pools' states while blocks are walked in order. Prices of a block are asked for before its own events
 * are recorded, so they depend on the chain before it alone. A book that is kept at a head remembers what the blocks
 * that may be rolled back have changed.
 */
export class ReferenceBook {
  readonly #config: ReferenceConfig
  readonly #pools = new Map<Address, FollowedPool>()
  readonly #tokens: ReadonlySet<Address>
  /** What the blocks above `#since` have changed, in order. */
  #changes: Change[] = []
  /** Null: nothing is remembered. */
  #since: number | null = null

  /** @param changes of the pools before the first block, each one's in order */
  constructor(config: ReferenceConfig, pools: Iterable<ReferencePool>, changes: Iterable<ReferenceChange> = []) {
    this.#config = config
    this.#tokens = new Set([config.wrappedNative, ...config.stablecoins, ...config.anchors])
    for (const pool of pools) this.#pools.set(pool.address, followedPool(pool))
    for (const { pool, event, block } of changes) this.record(pool, event, block)
  }

  /** An independent copy: blocks walked on it can be given up. */
  copy(): ReferenceBook {
    const book = new ReferenceBook(this.#config, [])
    for (const [address, pool] of this.#pools) book.#pools.set(address, pool)
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
      if (last.before === null) this.#pools.delete(last.pool)
      else this.#pools.set(last.pool, last.before)
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
    this.#pools.set(pool.address, followedPool(pool))
    if (this.#since !== null) this.#changes.push({ number, pool: pool.address, before: null })
  }

  pools(): readonly ReferencePool[] {
    return [...this.#pools.values()].map(({ pool }) => pool)
  }

  /** Takes over what an event of a block tells, in the order of the chain. */
  record(pool: Address, event: ReferenceEvent, block: BlockPoint): void {
    const before = this.#pools.get(pool)
    if (before === undefined) return
    if (this.#since !== null) this.#changes.push({ number: block.number, pool, before })
    this.#pools.set(pool, afterEvent(this.#config, before, event, block))
  }

  /** Prices for a block, from what was recorded so far: the events of all blocks before it, and of no other. */
  pricesAt(block: BlockPoint): AnchorPrices {
    return pricesOf(this.#config, this.#pools.values(), block)
  }
}
