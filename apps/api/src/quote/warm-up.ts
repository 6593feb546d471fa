import { setImmediate as turn } from 'node:timers/promises'
import { type Address, MAX_WORK, type Market, MarketPrices, QuoteOverBudget, QuoteWork, quotePrice } from '@dexfeed/dex'

/** Tokens for quotes at startup: those with the most neighbours. */
const HUBS = 6
/** The decimals of most tokens; and 0, so that an amount is too small for an exact price. */
const DECIMALS = [18, 6, 0]
/** Tokens that are priced. */
const PRICED = 2_000
/** Tokens that are priced in one turn of the event loop. */
const PRICED_AT_ONCE = 10
const ONE = 10n ** 18n

/**
 * Makes quotes between the tokens that most routes pass through, one per turn of the event loop, and drops the results.
 * The first quotes of a process take many times as long as later ones: their code is not compiled yet, and the pools of
 * most routes are not prepared.
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
        quoteOnce(market, { address: sell, decimals }, { address: buy, decimals })
        await turn()
      }
    }
  }
  await warmUpPrices(market, hubs)
}

/** Prices some tokens, as if each hub were worth a dollar, and drops the prices. */
async function warmUpPrices(market: Market, hubs: readonly Address[]): Promise<void> {
  const ends = new Map(hubs.map((hub) => [hub, { priceE18: ONE, decimals: 18 }]))
  const prices = new MarketPrices(market, ends, new Set(hubs))
  let priced = 0
  for (const { pool } of market.pools()) {
    if (priced >= PRICED) return
    for (const token of [pool.token0, pool.token1]) {
      try {
        prices.of(token, new QuoteWork(MAX_WORK))
      } catch (error) {
        if (!(error instanceof QuoteOverBudget)) throw error
      }
      if (++priced % PRICED_AT_ONCE === 0) await turn()
    }
  }
}

function quoteOnce(market: Market, sell: { address: Address; decimals: number }, buy: typeof sell): void {
  try {
    quotePrice(market, { sell, buy }, new QuoteWork(MAX_WORK))
  } catch (error) {
    if (!(error instanceof QuoteOverBudget)) throw error
  }
}
