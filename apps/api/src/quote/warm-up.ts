import { setImmediate as turn } from 'node:timers/promises'
import { type Address, MAX_WORK, type Market, MarketPrices, QuoteOverBudget, QuoteWork, quotePrice } from '@dexfeed/dex'

const HUBS = 6
/** The decimals of most tokens, and 0, with which an amount is too small for an exact price. */
const DECIMALS = [18, 6, 0]
const PRICED = 2_000
const PRICES_PER_TURN = 10
const ONE = 10n ** 18n

/**
 * Makes quotes and discards them. The first ones take many times as long, until their code is compiled and the pools
 * are prepared.
 */
export async function warmUp(market: Market, tokens: readonly Address[]): Promise<void> {
  const neighbours = (token: Address) => {
    const id = market.graph.token(token)
    return id === null ? 0 : market.graph.passages.listed.count(id)
  }
  const hubs = [...new Set(tokens)].toSorted((a, b) => neighbours(b) - neighbours(a)).slice(0, HUBS)
  for (const decimals of DECIMALS) {
    for (const sell of hubs) {
      for (const buy of hubs) {
        if (sell === buy) continue
        const pair = { sell: { address: sell, decimals }, buy: { address: buy, decimals } }
        withinBudget((work) => quotePrice(market, pair, work))
        await turn()
      }
    }
  }
  await warmUpPrices(market, hubs)
}

async function warmUpPrices(market: Market, hubs: readonly Address[]): Promise<void> {
  const ends = new Map(hubs.map((hub) => [hub, { priceE18: ONE, decimals: 18 }]))
  const prices = new MarketPrices(market, ends, new Set(hubs))
  let priced = 0
  for (const { pool } of market.pools()) {
    if (priced >= PRICED) return
    for (const token of [pool.token0, pool.token1]) {
      withinBudget((work) => prices.of(token, work))
      if (++priced % PRICES_PER_TURN === 0) await turn()
    }
  }
}

function withinBudget(quote: (work: QuoteWork) => unknown): void {
  try {
    quote(new QuoteWork(MAX_WORK))
  } catch (error) {
    if (!(error instanceof QuoteOverBudget)) throw error
  }
}
