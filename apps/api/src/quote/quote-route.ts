import { InvalidRequest, parseQuoteRequest, type QuoteResponse } from '@dexfeed/contract'
import { type NetworkName, type PriceQuote, quotePrice, type Rate } from '@dexfeed/dex'
import type { Request, RequestHandler } from 'express'
import { Cache } from '../http/cache.ts'
import { type CachedResponse, jsonResponse, sendCached } from '../http/cached-response.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import { freshUntil, indexedBlocks } from '../service/freshness.ts'
import type { CatalogToken, TokenCatalog } from '../token-catalog.ts'
import type { LiveMarket } from './live-market.ts'
import type { QuoteDesk } from './quote-desk.ts'
import { impactText, midRate, quoteFlags } from './quote-facts.ts'
import { resolveToken } from './resolve-token.ts'

const MAX_BYTES = 5 * 1024 * 1024
/** Longer requests are unusual, and would take the place of many. */
const MAX_ENTRY_BYTES = 1_024
/** A token's symbol and name are read again after this many seconds. */
const LIFE_S = 60

interface RequestedPair {
  network: NetworkName
  sell: CatalogToken
  buy: CatalogToken
}

export function quoteRoute(desk: QuoteDesk, catalog: TokenCatalog): RequestHandler {
  const cache = new Cache<CachedResponse>(desk.now, {
    maxBytes: MAX_BYTES,
    maxEntryBytes: MAX_ENTRY_BYTES,
    bytesOf: ({ length }) => length,
  })
  // Most requests never repeat, and keeping a response costs the garbage collector more than computing it again.
  const isRepeated = repeats()
  return async (request, response) => {
    const url = request.originalUrl
    const stored = cache.get(url)
    if (stored !== undefined) return sendCached(request, response, stored)
    const pair = await requestedPair(request.query, desk, catalog)
    await desk.inTurn(clientOf(request), pair.network, () => {
      // In the meantime the client may have left, or another one may have requested the same quote.
      if (response.closed) return
      const meanwhile = cache.get(url)
      if (meanwhile !== undefined) return sendCached(request, response, meanwhile)
      // No `await` from here on, so that price and block belong together.
      const live = desk.market(pair.network)
      const isPartial = mightMissPools(live, pair)
      if (isPartial) response.set('X-Quote-Partial', 'true')
      const price = priceOf(desk, live, pair)
      const quote = quoteResponse(live, pair, price, isPartial)
      if (isRepeated(url)) cache.keep(url, { value: quote, until: lastSecond(desk, live, pair) }, desk.unchanged(live))
      sendCached(request, response, quote)
    })
  }
}

async function requestedPair(query: Request['query'], desk: QuoteDesk, catalog: TokenCatalog): Promise<RequestedPair> {
  const { network, sellToken, buyToken } = parseQuoteRequest(query)
  // Silently returning the price of another amount would be wrong. Other unknown parameters are ignored.
  if (query.amount !== undefined || query.amount_raw !== undefined) {
    throw new InvalidRequest('this is the price of one sellToken; for an amount use /v1/quote')
  }
  const { wrappedNative } = desk.market(network).network
  const scope = { network, wrappedNative, catalog }
  const sell = await resolveToken('sellToken', sellToken, scope)
  const buy = await resolveToken('buyToken', buyToken, scope)
  if (sell.address === buy.address && sell.native === buy.native) {
    throw new HttpFailure(400, 'sellToken and buyToken are the same token')
  }
  return { network, sell, buy }
}

function isWrapping({ sell, buy }: RequestedPair): boolean {
  return sell.address === buy.address
}

function mightMissPools({ unread, market }: LiveMarket, pair: RequestedPair): boolean {
  return !isWrapping(pair) && unread.mightCarry(market, pair.sell.address, pair.buy.address)
}

function priceOf(desk: QuoteDesk, live: LiveMarket, pair: RequestedPair): PriceQuote {
  if (isWrapping(pair)) return { price: '1', basis: 'exact', route: [] }
  desk.checkFresh(live)
  const quote = desk.withinBudget((work) => quotePrice(live.market, pair, work))
  if (quote === null) throw new HttpFailure(404, 'no route over indexed pools sells one of these tokens for the other')
  return quote
}

function quoteResponse(live: LiveMarket, pair: RequestedPair, quote: PriceQuote, isPartial: boolean): CachedResponse {
  const { network, sell, buy } = pair
  const body: QuoteResponse = {
    result: { network, sell_token: sell.metadata, buy_token: buy.metadata, price: quote.price },
  }
  return jsonResponse(body, {
    'Cache-Control': 'public, max-age=1',
    'X-Price-Basis': quote.basis,
    'X-Indexed-Block': indexedBlocks([live.network]),
    ...routeHeaders(live, pair, quote),
    ...(isPartial && { 'X-Quote-Partial': 'true' }),
  })
}

function routeHeaders(
  { market }: LiveMarket,
  { sell, buy }: RequestedPair,
  { price, route }: PriceQuote,
): Record<string, string> {
  if (route.length === 0) return {}
  const flags = quoteFlags(market, [sell.address, buy.address], [route])
  const mid = midRate(market, [{ amountIn: 10n ** BigInt(sell.decimals), hops: route }])
  return {
    'X-Quote-Route': route.map(({ pool }) => pool.address).join(', '),
    ...(flags.length > 0 && { 'X-Quote-Flags': flags.join(', ') }),
    ...(mid && { 'X-Price-Impact': impactText(rateOf(price, sell, buy), mid) }),
  }
}

function rateOf(price: string, sell: CatalogToken, buy: CatalogToken): Rate {
  const [whole = '', fraction = ''] = price.split('.')
  return {
    numerator: BigInt(whole + fraction) * 10n ** BigInt(buy.decimals),
    denominator: 10n ** BigInt(fraction.length + sell.decimals),
  }
}

/** Returns the last second at which a quote may be repeated: within a minute, and while its state is fresh. */
export function lastSecond(
  { maxAgeS, now }: Pick<QuoteDesk, 'maxAgeS' | 'now'>,
  { network }: Pick<LiveMarket, 'network'>,
  pair: RequestedPair,
): number {
  const until = now() + LIFE_S
  return isWrapping(pair) ? until : Math.min(until, freshUntil(network, maxAgeS))
}

/** A power of two. */
const SLOTS = 2 ** 14

/** Returns a function that tells whether a text came before, and remembers the last thousands of texts by a hash. */
export function repeats(): (text: string) => boolean {
  const lastHashes = new Int32Array(SLOTS)
  return (text) => {
    const hash = hashOf(text)
    const slot = hash & (SLOTS - 1)
    const isRepeated = lastHashes[slot] === hash
    lastHashes[slot] = hash
    return isRepeated
  }
}

/** FNV-1a, 32 bits. In a collision a text seems to have come before. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
