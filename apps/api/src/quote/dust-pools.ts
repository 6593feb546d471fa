import { setImmediate as turn } from 'node:timers/promises'
import { type Address, heldAmounts, heldE8, type Market, MINUTE, type PoolInState } from '@dexfeed/dex'
import type { IndexedNetwork, Reader } from '@dexfeed/store'
import { anchorPrices } from './anchor-prices.ts'

/**
 * Pools that hold less are not kept: 0.10 USD, times 10^8. A pool is valued when it changes, so that the prices of its
 * tokens would have to rise tenfold without an event of it before one of a dollar were missing.
 */
const LEAST_E8 = 10_000_000n

/** How long prices are used: they need not be close. */
const PRICES_LIFE_MS = 10 * MINUTE

/** Pools that are looked at before others have their turn: a few milliseconds. */
const STEP = 1_000

/** Which pools of a market hold next to nothing. Anybody makes thousands of them, and each would take part in quotes. */
export class DustPools {
  readonly #reader: Pick<Reader, 'tokens'>
  #prices: Awaited<ReturnType<typeof anchorPrices>> = new Map()
  #readAt = Number.NEGATIVE_INFINITY

  constructor(reader: Pick<Reader, 'tokens'>) {
    this.#reader = reader
  }

  /** Brings the prices up to date, now and then. The market must not change meanwhile. */
  async refresh(market: Market, network: IndexedNetwork): Promise<void> {
    if (performance.now() - this.#readAt < PRICES_LIFE_MS) return
    const anchors = [...new Set([network.wrappedNative, ...network.stablecoins, ...network.anchors])]
    const tokens = await this.#reader.tokens(network.network, anchors)
    this.#prices = await anchorPrices(market, network, tokens)
    this.#readAt = performance.now()
  }

  /**
   * Whether a pool surely holds less than the least amount: both of its tokens have a price, and what it holds of them is
   * known. What is not known may be much.
   */
  has(one: PoolInState): boolean {
    const { pool } = one
    if (!this.#prices.has(pool.token0) || !this.#prices.has(pool.token1)) return false
    const isMore = (held: readonly [bigint, bigint]) => (heldE8(pool, held, this.#prices) ?? LEAST_E8) >= LEAST_E8
    const held = heldAmounts(one, isMore)
    return held !== null && !isMore(held)
  }

  /** Takes all of them out of a market. */
  async removeFrom(market: Market): Promise<void> {
    let looked = 0
    const dust: Address[] = []
    for (const one of market.pools()) {
      if (this.has(one)) dust.push(one.pool.address)
      if (++looked % STEP === 0) await turn()
    }
    for (const [at, pool] of dust.entries()) {
      market.removePool(pool)
      if (at % STEP === STEP - 1) await turn()
    }
  }
}
