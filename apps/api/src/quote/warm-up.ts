import { setImmediate as turn } from 'node:timers/promises'
import { type Address, type Market, MOST_WORK, QuoteOverBudget, QuoteWork, quotePrice } from '@dexfeed/dex'

/** Tokens for quotes at startup: those with the most neighbours. */
const HUBS = 6
/** The decimals of most tokens; and 0, so that an amount is too small for an exact price. */
const DECIMALS = [18, 6, 0]

/**
 * Makes quotes between the tokens that most routes pass through, one per turn of the event loop, and drops the results.
 * The first quotes of a process take many times as long as later ones: their code is not compiled yet, and the pools of
 * most routes are not prepared.
 */
export async function warmUp(market: Market, tokens: readonly Address[]): Promise<void> {
  const neighbours = (token: Address) => {
    const id = market.graph.token(token)
    return id === null ? 0 : market.graph.passages.count(id)
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
}

function quoteOnce(market: Market, sell: { address: Address; decimals: number }, buy: typeof sell): void {
  try {
    quotePrice(market, { sell, buy }, new QuoteWork(MOST_WORK))
  } catch (error) {
    if (!(error instanceof QuoteOverBudget)) throw error
  }
}
