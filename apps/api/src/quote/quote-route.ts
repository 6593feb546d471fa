import { InvalidRequest, parseQuoteRequest, type QuoteResponse } from '@dexfeed/contract'
import { type NetworkName, quotePrice, type Rate, type RouteHop } from '@dexfeed/dex'
import type { Request, RequestHandler, Response } from 'express'
import { jsonResponse, sendCached } from '../http/cached-response.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import { freshUntil, indexedBlocks } from '../service/freshness.ts'
import type { CatalogToken, TokenCatalog } from '../token-catalog.ts'
import { impactText, midRate } from './facts/quote-figures.ts'
import { quoteFlags } from './facts/quote-flags.ts'
import type { LiveMarket } from './live-market.ts'
import { QuoteCache } from './quote-cache.ts'
import type { QuoteDesk } from './quote-desk.ts'
import { resolveToken } from './resolve-token.ts'

export interface QuoteRouteOptions {
  desk: QuoteDesk
  catalog: Pick<TokenCatalog, 'fresh' | 'token' | 'symbol'>
}

interface RequestedPair {
  network: NetworkName
  sell: CatalogToken
  buy: CatalogToken
}

interface Price {
  price: string
  basis: 'exact' | 'marginal'
  route: readonly RouteHop[]
}

/**
 * Serves `/api/quote` from the markets in memory. A repeated request gets the stored response while the market is
 * unchanged. New quotes take turns at the desk.
 */
export function quoteRoute({ desk, catalog }: QuoteRouteOptions): RequestHandler {
  const { feed, maxAgeS, now } = desk
  const cache = new QuoteCache(feed)
  const sendStored = (request: Request, response: Response) => {
    const known = cache.get(request.originalUrl, now())
    if (known !== undefined) sendCached(request, response, known)
    return known !== undefined
  }
  const sendNew = (request: Request, response: Response, { network, sell, buy }: RequestedPair) => {
    // No `await` in here, so that price and block belong together.
    const live = desk.market(network)
    const time = now()
    const isSame = sell.address === buy.address
    const isPartial = !isSame && live.unread.mightCarry(live.market, sell.address, buy.address)
    if (isPartial) response.set('X-Quote-Partial', 'true')
    const { price, basis, route } = priceOf(desk, live, sell, buy)
    const body: QuoteResponse = {
      result: { network, sell_token: sell.metadata, buy_token: buy.metadata, price },
    }
    const cached = jsonResponse(body, {
      'Cache-Control': 'public, max-age=1',
      'X-Price-Basis': basis,
      'X-Indexed-Block': indexedBlocks([live.network]),
      ...routeHeaders(live, { price, route }, { sell, buy }),
      ...(isPartial && { 'X-Quote-Partial': 'true' }),
    })
    const until = isSame ? Number.POSITIVE_INFINITY : freshUntil(live.network, maxAgeS)
    cache.keep(request.originalUrl, { response: cached, live, now: time, until })
    sendCached(request, response, cached)
  }
  const sendInTurn = (request: Request, response: Response, pair: RequestedPair) =>
    desk.inTurn(clientOf(request), pair.network, (hasWaited) => {
      // During the wait the client may have left, or another client may have requested the same quote.
      if (response.closed || (hasWaited && sendStored(request, response))) return
      sendNew(request, response, pair)
    })
  const send = (request: Request, response: Response, pair: RequestedPair) => {
    const isMyTurn = desk.isFreeFor(pair.network)
    return isMyTurn ? sendNew(request, response, pair) : sendInTurn(request, response, pair)
  }
  return (request, response) => {
    if (sendStored(request, response)) return
    const pair = requestedPair(request, desk, catalog)
    if (pair instanceof Promise) return pair.then((known) => send(request, response, known))
    return send(request, response, pair)
  }
}

/** Returns the tokens of a request, without a promise if nothing has to be read. @throws InvalidRequest, HttpFailure */
function requestedPair(
  { query }: Request,
  desk: QuoteDesk,
  catalog: QuoteRouteOptions['catalog'],
): RequestedPair | Promise<RequestedPair> {
  const { network, sellToken, buyToken } = parseQuoteRequest(query)
  // A price for another amount would be wrong without a word. Other unknown parameters are ignored.
  if (query.amount !== undefined || query.amount_raw !== undefined) {
    throw new InvalidRequest('this is the price of one sellToken; for an amount use /v1/quote')
  }
  const { wrappedNative } = desk.market(network).network
  const scope = { network, wrappedNative, catalog }
  const sell = resolveToken('sellToken', sellToken, scope)
  // In order, so that the first error is reported if both are wrong.
  if (sell instanceof Promise) {
    return sell.then(async (first) => pairOf(network, first, await resolveToken('buyToken', buyToken, scope)))
  }
  const buy = resolveToken('buyToken', buyToken, scope)
  return buy instanceof Promise ? buy.then((second) => pairOf(network, sell, second)) : pairOf(network, sell, buy)
}

function pairOf(network: NetworkName, sell: CatalogToken, buy: CatalogToken): RequestedPair {
  if (sell.address === buy.address && sell.native === buy.native) {
    throw new HttpFailure(400, 'sellToken and buyToken are the same token')
  }
  return { network, sell, buy }
}

function priceOf(desk: QuoteDesk, live: LiveMarket, sell: CatalogToken, buy: CatalogToken): Price {
  // The coin and its wrapper always swap one to one, whatever the state of any pool.
  if (sell.address === buy.address) return { price: '1', basis: 'exact', route: [] }
  desk.checkFresh(live)
  const quote = desk.withinBudget((work) => quotePrice(live.market, { sell, buy }, work))
  if (quote === null) throw new HttpFailure(404, 'no route over indexed pools sells one of these tokens for the other')
  return quote
}

/** Returns what `/v1/quote` has in its body: the pools of the route, its flags, and the price impact. */
function routeHeaders(
  live: LiveMarket,
  { price, route }: Pick<Price, 'price' | 'route'>,
  { sell, buy }: Pick<RequestedPair, 'sell' | 'buy'>,
): Record<string, string> {
  if (route.length === 0) return {}
  const flags = quoteFlags(live.market, [sell.address, buy.address], [route])
  const headers = {
    'X-Quote-Route': route.map(({ pool }) => pool.address).join(', '),
    ...(flags.length > 0 && { 'X-Quote-Flags': flags.join(', ') }),
  }
  const amount = 10n ** BigInt(sell.decimals)
  const mid = midRate(live.market, [{ amountIn: amount, hops: route }])
  return mid === null ? headers : { ...headers, 'X-Price-Impact': impactText(rateOf(price, sell, buy), mid) }
}

/** Returns a price of whole tokens as a rate of base units. */
function rateOf(price: string, sell: CatalogToken, buy: CatalogToken): Rate {
  const [whole = '', fraction = ''] = price.split('.')
  return {
    numerator: BigInt(whole + fraction) * 10n ** BigInt(buy.decimals),
    denominator: 10n ** BigInt(fraction.length + sell.decimals),
  }
}
