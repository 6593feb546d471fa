import { parseQuoteRequest, type QuoteResponse } from '@dexfeed/contract'
import { type NetworkName, quotePrice } from '@dexfeed/dex'
import type { RequestHandler } from 'express'
import { HttpFailure, notNow } from '../http/http-failure.ts'
import { indexedBlocks, isFresh } from '../service/freshness.ts'
import type { CatalogToken, TokenCatalog } from '../token-catalog.ts'
import type { LiveMarket } from './live-market.ts'
import type { MarketFeed } from './market-feed.ts'
import { resolveToken } from './resolve-token.ts'

export interface QuoteRouteOptions {
  feed: Pick<MarketFeed, 'market'>
  catalog: Pick<TokenCatalog, 'token' | 'symbol'>
  /** Older state gives no quote. */
  maxAgeS: number
  /** Seconds. */
  now: () => number
}

interface Price {
  price: string
  basis: 'exact' | 'marginal'
}

/** `/api/quote` from the markets in memory. */
export function quoteRoute({ feed, catalog, maxAgeS, now }: QuoteRouteOptions): RequestHandler {
  return async (request, response) => {
    const { network, sellToken, buyToken } = parseQuoteRequest(request.query)
    const { wrappedNative } = indexedMarket(feed, network).network
    const scope = { network, wrappedNative, catalog }
    const sell = await resolveToken('sellToken', sellToken, scope)
    const buy = await resolveToken('buyToken', buyToken, scope)
    if (sell.address === buy.address && sell.native === buy.native) {
      throw new HttpFailure(400, 'sellToken and buyToken are the same token')
    }
    // Nothing is awaited from here on, so that price and block belong together.
    const live = indexedMarket(feed, network)
    if (sell.address !== buy.address && live.unread.mightCarry(live.market, sell.address, buy.address)) {
      response.set('X-Quote-Partial', 'true')
    }
    const { price, basis } = priceOf(live, sell, buy, () => isFresh(live.network, now(), maxAgeS))
    const body: QuoteResponse = {
      result: { network, sell_token: sell.metadata, buy_token: buy.metadata, price },
    }
    response
      .set({
        'Cache-Control': 'public, max-age=1',
        'X-Price-Basis': basis,
        'X-Indexed-Block': indexedBlocks([live.network]),
      })
      .json(body)
  }
}

function indexedMarket(feed: Pick<MarketFeed, 'market'>, network: NetworkName): LiveMarket {
  const live = feed.market(network)
  if (live === undefined) throw notNow(`the pools of ${network} are being loaded`)
  if (live === null) throw new HttpFailure(404, `${network} is not indexed by this server`)
  return live
}

function priceOf({ market, network }: LiveMarket, sell: CatalogToken, buy: CatalogToken, fresh: () => boolean): Price {
  // The coin and its wrapper change one for one, whatever the state of any pool.
  if (sell.address === buy.address) return { price: '1', basis: 'exact' }
  if (!fresh()) throw notNow(`the pool state of ${network.network} is too old for a quote`, 5)
  const quote = quotePrice(market, { sell, buy })
  if (quote === null) throw new HttpFailure(404, 'no route over indexed pools sells one of these tokens for the other')
  return quote
}
