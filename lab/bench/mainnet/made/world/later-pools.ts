import type { DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { accountOf } from './draft-block.ts'
import { draftCreation } from './draft-creation.ts'
import { draftTrade } from './draft-trade.ts'
import type { Market } from './market.ts'
import { mix } from './mix.ts'
import type { MadePool } from './pool.ts'
import { stateAfter } from './pool-states.ts'

/** A pool that is created after the first head. */
export interface LaterPool {
  pool: MadePool
  born: number
}

/** A later pool is traded first in the block after its own, then every this many blocks. */
const REST = 12

/** The pools that are created after a block, at even distances. */
export class LaterPools {
  readonly #market: Market
  readonly #after: number
  /** Blocks from one to the next; infinite: no pools. */
  readonly #distance: number
  readonly #made: LaterPool[] = []

  /** @param perBlock how many are created in a block, on average: at most 1 */
  constructor(market: Market, after: number, perBlock: number) {
    this.#market = market
    this.#after = after
    this.#distance = perBlock > 0 ? Math.max(1, 1 / perBlock) : Number.POSITIVE_INFINITY
  }

  /** Returns the pools that exist at the end of a block, oldest first. */
  until(block: number): readonly LaterPool[] {
    const count = Math.max(0, Math.floor((block - this.#after) / this.#distance))
    for (let i = this.#made.length; i < count; i++) {
      this.#made.push({ pool: this.#market.laterPool(i), born: this.bornAt(i) })
    }
    return this.#made.slice(0, count)
  }

  /** Returns the block that creates one of them, by its index. */
  bornAt(index: number): number {
    return this.#after + Math.ceil((index + 1) * this.#distance)
  }

  /** Returns their transactions in a block, which come after all others. */
  draft(block: number): DraftTransaction[] {
    return this.until(block).flatMap(({ pool, born }, index) => {
      if (born === block) return [draftCreation(pool, accountOf(this.#market, index))]
      const before = swapsUntil(born, block - 1)
      if (swapsUntil(born, block) === before) return []
      const swap = { pool, before: stateAfter(pool, before), after: stateAfter(pool, before + 1) }
      const { seed, routers, wrappedNative } = this.#market
      const trader = accountOf(this.#market, mix(seed, 31, index, block) % 10_000)
      return [draftTrade([swap], { trader, router: routers[0] ?? wrappedNative.address, wrappedNative, inCoin: false })]
    })
  }
}

/** Counts the swaps of a later pool up to the end of a block. */
export function swapsUntil(born: number, block: number): number {
  return block <= born ? 0 : 1 + Math.floor((block - born - 1) / REST)
}
