import {
  type Address,
  createMarket,
  isEmptyPool,
  type Market,
  type NetworkName,
  type QuotablePool,
  type TickLiquidityAt,
  withWrapper,
} from '@dexfeed/dex'
import type { MarketFrame, MarketPages, Reader, StatedPool } from '@dexfeed/store'
import type { KnownBlocks } from './apply-changes.ts'

interface LoadedMarket {
  market: Market
  frame: MarketFrame
}

/**
 * Loads a market page by page, so that the process is never blocked and nothing is held twice. Returns null if the
 * network is not indexed. Notes the block of each pool's state in `blocks`.
 */
export async function loadMarket(
  reader: { market: Reader['market'] },
  network: NetworkName,
  blocks: KnownBlocks,
): Promise<LoadedMarket | null> {
  const loader = new MarketLoader(blocks)
  return (await reader.market(network, loader)) ? loader.finish() : null
}

class MarketLoader implements MarketPages {
  readonly #blocks: KnownBlocks
  #loaded: LoadedMarket | null = null
  /** One string per token, shared by all its pools. */
  #tokens = new Map<Address, Address>()
  #tickless = new Set<Address>()
  /** Ticks of the last page's last pool; the next page may have more. */
  #ticks: TickLiquidityAt[] = []

  constructor(blocks: KnownBlocks) {
    this.#blocks = blocks
  }

  begin(frame: MarketFrame): void {
    // Trusted tokens have the most pools; making them passable at the end would block the process.
    const market = createMarket([], new Set(frame.trusted))
    if (frame.network.head !== null) market.setTime(frame.network.head.timestamp)
    this.#loaded = { market, frame }
    this.#tokens = new Map()
    this.#tickless = new Set()
    this.#ticks = []
    this.#blocks.begin(frame.network.finalNumber)
  }

  pools(pools: readonly StatedPool[]): void {
    const { market, frame } = this.#begun()
    for (const { pool, state, blockNumber } of pools) {
      const { address } = pool
      this.#blocks.note(address, blockNumber)
      market.upsertPool(this.#shared(withWrapper(pool, frame.network.wrappedNative)))
      market.setState(address, state)
      if (!isEmpty(market, address)) continue
      if (state.kind === 'concentrated') this.#tickless.add(address)
      else market.removePool(address)
    }
  }

  ticks(ticks: readonly TickLiquidityAt[]): void {
    for (const tick of ticks) {
      if (this.#ticks[0] !== undefined && this.#ticks[0].pool !== tick.pool) this.#endPool()
      this.#ticks.push(tick)
    }
  }

  finish(): LoadedMarket {
    this.#endPool()
    const { market, frame } = this.#begun()
    for (const pool of [...frame.invalidated, ...this.#tickless]) market.removePool(pool)
    return { market, frame }
  }

  #begun(): LoadedMarket {
    if (this.#loaded === null) throw new Error('no page comes before the beginning')
    return this.#loaded
  }

  #endPool(): void {
    const { market } = this.#begun()
    const address = this.#ticks[0]?.pool
    // Ticks of a pool without a state arrive again with that state.
    if (address !== undefined && market.pool(address) !== null) {
      market.setTicks(address, this.#ticks)
      if (!isEmpty(market, address)) this.#tickless.delete(address)
      for (const { blockNumber } of this.#ticks) this.#blocks.note(address, blockNumber)
    }
    this.#ticks = []
  }

  #shared(pool: QuotablePool): QuotablePool {
    const { token0, token1, coins } = pool
    const shared = { ...pool, token0: this.#token(token0), token1: this.#token(token1) }
    return coins === undefined ? shared : { ...shared, coins: coins.map((coin) => this.#token(coin)) }
  }

  #token(address: Address): Address {
    const known = this.#tokens.get(address)
    if (known !== undefined) return known
    this.#tokens.set(address, address)
    return address
  }
}

function isEmpty(market: Market, address: Address): boolean {
  const pool = market.pool(address)
  return pool !== null && isEmptyPool(pool)
}
