import { setImmediate as turn } from 'node:timers/promises'
import { parseQuoteRequest, type QuoteResponse } from '@dexfeed/contract'
import { MOST_WORK, type NetworkName, QuoteOverBudget, QuoteWork, quotePrice } from '@dexfeed/dex'
import type { Request, Response } from 'express'
import { jsonResponse, sendCached } from '../http/cached-response.ts'
import type { ShortRoute } from '../http/front.ts'
import { HttpFailure, notNow } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import { FairQueue, type QueueLimits } from '../http/limits/quotas.ts'
import { freshUntil, indexedBlocks, isFresh } from '../service/freshness.ts'
import type { CatalogToken, TokenCatalog } from '../token-catalog.ts'
import type { LiveMarket } from './live-market.ts'
import type { MarketFeed } from './market-feed.ts'
import { QuoteCache } from './quote-cache.ts'
import { resolveToken } from './resolve-token.ts'

export interface QuoteRouteOptions {
  feed: Pick<MarketFeed, 'market' | 'changing'>
  catalog: Pick<TokenCatalog, 'fresh' | 'token' | 'symbol'>
  /** Pool state that is older than this gives no quote. */
  maxAgeS: number
  /** Returns the current time in seconds. */
  now: () => number
  /** Called for each quote that is aborted because it takes too much work. */
  onOverBudget?: () => void
}

/** Quotes run one at a time. Queue limits: per client and total. */
const QUEUE: QueueLimits = { slots: 1, perClient: 1_024, total: 8_192 }

/** Milliseconds of quotes before other requests get their turn. */
const SLICE_MS = 4

interface RequestedPair {
  network: NetworkName
  sell: CatalogToken
  buy: CatalogToken
}

interface Price {
  price: string
  basis: 'exact' | 'marginal'
}

/**
 * Serves `/api/quote` from the markets in memory. A repeated request gets the stored response while the market is
 * unchanged. New quotes run one at a time, clients in turn: a quote blocks the process for milliseconds.
 */
export function quoteRoute({ feed, catalog, maxAgeS, now, onOverBudget }: QuoteRouteOptions): ShortRoute {
  const cache = new QuoteCache(feed)
  const queue = new FairQueue(QUEUE)
  const slice = new Slice(SLICE_MS)
  const sendStored = (request: Request, response: Response) => {
    const known = cache.get(request.originalUrl, now())
    if (known !== undefined) sendCached(request, response, known)
    return known !== undefined
  }
  const sendNew = (request: Request, response: Response, { network, sell, buy }: RequestedPair) => {
    // No `await` in here, so that price and block belong together.
    const live = indexedMarket(feed, network)
    const time = now()
    const isSame = sell.address === buy.address
    const isPartial = !isSame && live.unread.mightCarry(live.market, sell.address, buy.address)
    if (isPartial) response.set('X-Quote-Partial', 'true')
    const { price, basis } = priceOf(live, sell, buy, {
      isFresh: () => isFresh(live.network, time, maxAgeS),
      onOverBudget,
    })
    const body: QuoteResponse = {
      result: { network, sell_token: sell.metadata, buy_token: buy.metadata, price },
    }
    const cached = jsonResponse(body, {
      'Cache-Control': 'public, max-age=1',
      'X-Price-Basis': basis,
      'X-Indexed-Block': indexedBlocks([live.network]),
      ...(isPartial && { 'X-Quote-Partial': 'true' }),
    })
    const until = isSame ? Number.POSITIVE_INFINITY : freshUntil(live.network, maxAgeS)
    cache.keep(request.originalUrl, { response: cached, live, now: time, until })
    sendCached(request, response, cached)
  }
  const sendInTurn = (request: Request, response: Response, pair: RequestedPair) =>
    queue.run(clientOf(request), async (hasWaited) => {
      try {
        const isChanging = feed.changing(pair.network) !== null
        if (isChanging) await settled(feed, pair.network)
        // During the wait the client may have left, or another client may have requested the same quote.
        if (response.closed || ((hasWaited || isChanging) && sendStored(request, response))) return
        sendNew(request, response, pair)
      } finally {
        if (slice.isOver()) await slice.next()
      }
    })
  const send = (request: Request, response: Response, pair: RequestedPair) => {
    // A turn in an empty queue would cost as much as a quote.
    const isMyTurn = queue.isFree && !slice.isOver() && feed.changing(pair.network) === null
    return isMyTurn ? sendNew(request, response, pair) : sendInTurn(request, response, pair)
  }
  return (request, response) => {
    if (sendStored(request, response)) return
    const pair = requestedPair(request, feed, catalog)
    if (pair instanceof Promise) return pair.then((known) => send(request, response, known))
    return send(request, response, pair)
  }
}

/** Returns the tokens of a request, without a promise if nothing has to be read. @throws InvalidRequest, HttpFailure */
function requestedPair(
  { query }: Request,
  feed: QuoteRouteOptions['feed'],
  catalog: QuoteRouteOptions['catalog'],
): RequestedPair | Promise<RequestedPair> {
  const { network, sellToken, buyToken } = parseQuoteRequest(query)
  const { wrappedNative } = indexedMarket(feed, network).network
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

/** Waits until the market is as of one block. */
async function settled(feed: Pick<MarketFeed, 'changing'>, network: NetworkName): Promise<void> {
  for (let changing = feed.changing(network); changing !== null; changing = feed.changing(network)) await changing
}

function indexedMarket(feed: Pick<MarketFeed, 'market'>, network: NetworkName): LiveMarket {
  const live = feed.market(network)
  if (live === undefined) throw notNow(`the pools of ${network} are being loaded`)
  if (live === null) throw new HttpFailure(404, `${network} is not indexed by this server`)
  // Before the first indexed block nothing is known about its tokens.
  if (live.network.start === null) throw notNow(`nothing of ${network} is indexed yet`, 5)
  return live
}

function priceOf(
  { market, network }: LiveMarket,
  sell: CatalogToken,
  buy: CatalogToken,
  { isFresh, onOverBudget }: { isFresh: () => boolean; onOverBudget: (() => void) | undefined },
): Price {
  // The coin and its wrapper always swap one to one, whatever the state of any pool.
  if (sell.address === buy.address) return { price: '1', basis: 'exact' }
  if (!isFresh()) throw notNow(`the pool state of ${network.network} is too old for a quote`, 5)
  const quote = withinBudget((work) => quotePrice(market, { sell, buy }, work), onOverBudget)
  if (quote === null) throw new HttpFailure(404, 'no route over indexed pools sells one of these tokens for the other')
  return quote
}

/** @throws HttpFailure 503 if the quote takes more work than its budget; the work done so far helps the next one */
function withinBudget<T>(quote: (work: QuoteWork) => T, onOverBudget: (() => void) | undefined): T {
  try {
    return quote(new QuoteWork(MOST_WORK))
  } catch (error) {
    if (!(error instanceof QuoteOverBudget)) throw error
    onOverBudget?.()
    throw notNow('the best route between these tokens takes too much work to find')
  }
}

/** Limits the time of consecutive work before other work of the process gets its turn. */
class Slice {
  readonly #ms: number
  #endsAt = 0

  constructor(ms: number) {
    this.#ms = ms
  }

  isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Lets other work run, then starts a new slice. */
  async next(): Promise<void> {
    await turn()
    this.#endsAt = performance.now() + this.#ms
  }
}
