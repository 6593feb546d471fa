import { setImmediate as turn } from 'node:timers/promises'
import { type Address, heldAmounts, heldE8, type Market, MINUTE, type PoolInState } from '@dexfeed/dex'
import type { IndexedNetwork, Reader } from '@dexfeed/store'
import { anchorPrices } from './anchor-prices.ts'

/**
 * Pools worth less than this are dropped: 0.10 USD, times 10^8. Pools are valued only when they change, so a pool of
 * one dollar is missing only if its tokens' prices rose tenfold without an event of the pool.
 */
const MIN_E8 = 10_000_000n

const PRICES_LIFE_MS = 10 * MINUTE
const STEP = 1_000

interface TokenReader {
  tokens: Reader['tokens']
}

/** Finds pools that hold next to nothing. Anyone can create thousands of them to slow quotes down. */
export class DustPools {
  readonly #reader: TokenReader
  prices: Awaited<ReturnType<typeof anchorPrices>> = new Map()
  #readAt = Number.NEGATIVE_INFINITY

  constructor(reader: TokenReader) {
    this.#reader = reader
  }

  /** The market must not change while this runs. */
  async refresh(market: Market, network: IndexedNetwork): Promise<void> {
    if (performance.now() - this.#readAt < PRICES_LIFE_MS) return
    const anchors = [...new Set([network.wrappedNative, ...network.stablecoins, ...network.anchors])]
    const tokens = await this.#reader.tokens(network.network, anchors)
    this.prices = await anchorPrices(market, network, tokens)
    this.#readAt = performance.now()
  }

  has(poolInState: PoolInState): boolean {
    const { pool } = poolInState
    if (!this.prices.has(pool.token0) || !this.prices.has(pool.token1)) return false
    const isMore = (held: readonly [bigint, bigint]) => (heldE8(pool, held, this.prices) ?? MIN_E8) >= MIN_E8
    const held = heldAmounts(poolInState, isMore)
    return held !== null && !isMore(held)
  }

  async removeFrom(market: Market): Promise<void> {
    let checked = 0
    const dust: Address[] = []
    for (const poolInState of market.pools()) {
      if (this.has(poolInState)) dust.push(poolInState.pool.address)
      if (++checked % STEP === 0) await turn()
    }
    for (const [index, pool] of dust.entries()) {
      market.removePool(pool)
      if (index % STEP === STEP - 1) await turn()
    }
  }
}
