import type { V1Handlers } from '@dexfeed/contract'
import { MINUTE, type NetworkName } from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { LRUCache } from 'lru-cache'
import { amountQuote, amountQuotes } from '../quote/amount/amount-quotes.ts'
import type { PastPricesOptions } from '../quote/prices/past-prices.ts'
import { PriceBoard } from '../quote/prices/price-board.ts'
import { tokenPrices } from '../quote/prices/token-prices.ts'
import type { QuoteDesk } from '../quote/quote-desk.ts'
import type { TokenCatalog } from '../token-catalog.ts'
import { type CandlesOptions, candles } from './candles.ts'
import { type CatalogCounts, type NetworksOptions, networks } from './catalog/networks.ts'
import { type PoolsOptions, pool, pools } from './catalog/pools.ts'
import { type SearchOptions, search } from './catalog/search.ts'
import { type TokensOptions, token, tokens } from './catalog/tokens.ts'
import { type SwapsOptions, swaps } from './swaps.ts'
import { transaction } from './transactions/transaction.ts'
import { type VolumeOptions, volume } from './volume.ts'
import { type WashFlagsOptions, washFlags } from './wash-flags.ts'

interface CountsOptions {
  reader: { protocols: Reader['protocols']; tokenCounts: Reader['tokenCounts'] }
}

interface MarketOptions {
  desk: QuoteDesk
  catalog: TokenCatalog
}

export type V1Options = Omit<
  SwapsOptions &
    TokensOptions &
    PoolsOptions &
    SearchOptions &
    CountsOptions &
    NetworksOptions &
    CandlesOptions &
    PastPricesOptions &
    VolumeOptions,
  'protocols'
> &
  WashFlagsOptions &
  MarketOptions

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
    desk,
    catalog,
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

function countedCatalog({ reader }: CountsOptions): () => Promise<CatalogCounts> {
  const counted = new LRUCache<'all', CatalogCounts>({
    max: 1,
    ttl: MINUTE,
    fetchMethod: async () => ({ protocols: await reader.protocols(), tokens: await reader.tokenCounts() }),
  })
  return () => counted.forceFetch('all')
}
