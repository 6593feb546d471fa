import type { AnchorPrices } from '../anchor-prices.ts'
import type { Address, BlockPoint } from '../chain.ts'
import type { ReferenceEvent } from '../pool-event.ts'
import {
  afterEvent,
  type FollowedPool,
  followedPool,
  type ReferenceChange,
  type ReferenceConfig,
  type ReferencePool,
} from './reference/reference-pool.ts'
import { pricesOf } from './reference-prices.ts'

/** `before` is null if the block added the pool. */
interface Change {
  number: number
  pool: Address
  before: FollowedPool | null
}

/**
 * Tracks the reference pools' states while blocks are processed in order. Read a block's prices before recording its
 * events. At the head, it remembers the changes of blocks that may be rolled back.
 */
export class ReferenceBook {
  readonly #config: ReferenceConfig
  readonly #pools = new Map<Address, FollowedPool>()
  readonly #tokens: ReadonlySet<Address>
  /** Changes of the blocks above `#since`, in order. */
  #changes: Change[] = []
  #since: number | null = null

  /** @param changes those before the first block, in order for each pool */
  constructor(config: ReferenceConfig, pools: Iterable<ReferencePool>, changes: Iterable<ReferenceChange> = []) {
    this.#config = config
    this.#tokens = new Set([config.wrappedNative, ...config.stablecoins, ...config.anchors])
    for (const pool of pools) this.#pools.set(pool.address, followedPool(pool))
    for (const { pool, event, block } of changes) this.record(pool, event, block)
  }

  copy(): ReferenceBook {
    const book = new ReferenceBook(this.#config, [])
    for (const [address, pool] of this.#pools) book.#pools.set(address, pool)
    book.#changes = [...this.#changes]
    book.#since = this.#since
    return book
  }

  /** Remembers changes of blocks above this one. The blocks up to it can no longer be rolled back. */
  rememberSince(number: number): void {
    this.#since = Math.max(this.#since ?? number, number)
    const first = this.#changes.findIndex((change) => change.number > number)
    this.#changes.splice(0, first < 0 ? this.#changes.length : first)
  }

  /** Rolls back the blocks above this one. Returns false if their changes are not remembered. */
  rollBack(number: number): boolean {
    if (this.#since === null || number < this.#since) return false
    for (let last = this.#changes.at(-1); last !== undefined && last.number > number; last = this.#changes.at(-1)) {
      this.#changes.pop()
      if (last.before === null) this.#pools.delete(last.pool)
      else this.#pools.set(last.pool, last.before)
    }
    return true
  }

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

  addPool(pool: ReferencePool, number: number): void {
    if (this.#pools.has(pool.address)) return
    this.#pools.set(pool.address, followedPool(pool))
    if (this.#since !== null) this.#changes.push({ number, pool: pool.address, before: null })
  }

  pools(): readonly ReferencePool[] {
    return [...this.#pools.values()].map(({ pool }) => pool)
  }

  /** Applies an event. Events must be recorded in chain order. */
  record(pool: Address, event: ReferenceEvent, block: BlockPoint): void {
    const before = this.#pools.get(pool)
    if (before === undefined) return
    if (this.#since !== null) this.#changes.push({ number: block.number, pool, before })
    this.#pools.set(pool, afterEvent(this.#config, before, event, block))
  }

  /** Uses only events of earlier blocks. */
  pricesAt(block: BlockPoint): AnchorPrices {
    return pricesOf(this.#config, this.#pools.values(), block)
  }
}
