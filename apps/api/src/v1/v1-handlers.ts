import type { V1Handlers } from '@dexfeed/contract'
import { MINUTE_S, type NetworkName } from '@dexfeed/dex'
import type { Extent, Reader } from '@dexfeed/store'
import { type CachedRead, cachedRead } from '../http/cache.ts'
import { amountQuote, amountQuotes } from '../quote/amount/amount-quotes.ts'
import { PriceBoard } from '../quote/prices/price-board.ts'
import { tokenPrices } from '../quote/prices/token-prices.ts'
import type { QuoteDesk } from '../quote/quote-desk.ts'
import type { Readiness } from '../service/readiness.ts'
import type { CachedProgress } from '../service/service-routes.ts'
import type { TokenCatalog } from '../token-catalog.ts'
import { candles } from './candles.ts'
import { type CatalogCounts, networks } from './catalog/networks.ts'
import { pool, pools } from './catalog/pools.ts'
import { search } from './catalog/search.ts'
import { token, tokens } from './catalog/tokens.ts'
import type { FiguresBoard } from './figures/figures-board.ts'
import { type SwapsOptions, swaps } from './swaps.ts'
import { transaction } from './transactions/transaction.ts'
import { volume } from './volume.ts'
import { washFlags } from './wash-flags.ts'

export interface V1Options {
  reader: Reader
  recent: SwapsOptions['recent']
  board: FiguresBoard
  desk: QuoteDesk
  catalog: TokenCatalog
  standing: CachedProgress
  extent: CachedRead<Extent>
  readiness: Readiness
  /** Returns seconds since 1970. */
  now: () => number
}

export function v1Handlers(options: V1Options): V1Handlers {
  const { desk, catalog, board } = options
  const counted = countedCatalog(options)
  const prices = new PriceBoard(desk.feed, catalog)
  const names = async (network: NetworkName) => {
    const { protocols } = await counted()
    return new Set(protocols.filter((protocol) => protocol.network === network).map(({ name }) => name))
  }
  const known = { ...options, protocols: names }
  const quotes = { desk, catalog, board: prices, protocols: names }
  const priced = tokenPrices({
    ...options,
    board: prices,
    trades: (network) => board.pricesByTrades(network),
  })
  return {
    listNetworks: networks(options, counted),
    search: search(options),
    searchSwaps: swaps(known),
    getTransaction: transaction(options),
    listTokens: tokens(options),
    getToken: token(options),
    listPools: pools(known),
    getPool: pool(known),
    listProtocols: async () => ({
      body: { data: (await counted()).protocols.map((storedProtocol) => ({ ...storedProtocol })) },
    }),
    listCandles: candles(known),
    listVolume: volume(known),
    listWashFlags: washFlags(options),
    quoteAmount: amountQuote(quotes),
    quoteMany: amountQuotes(quotes),
    getPrices: priced,
    findPrices: priced,
  }
}

function countedCatalog({ reader, now }: V1Options): CachedRead<CatalogCounts> {
  return cachedRead(
    async (second) => {
      const value = { protocols: await reader.protocols(), tokens: await reader.tokenCounts() }
      return { value, until: second + MINUTE_S }
    },
    { now },
  )
}
