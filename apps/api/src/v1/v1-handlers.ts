import type { V1Handlers } from '@dexfeed/contract'
import { amountQuote, amountQuotes } from '../quote/amount/amount-quotes.ts'
import { tokenPrices } from '../quote/prices/token-prices.ts'
import { candles } from './candles.ts'
import { networks } from './catalog/networks.ts'
import { pool, pools } from './catalog/pools.ts'
import { search } from './catalog/search.ts'
import { token, tokens } from './catalog/tokens.ts'
import { depth } from './depth.ts'
import { liquidityEvents } from './liquidity-events.ts'
import { poolLiquidity } from './pool-liquidity.ts'
import { poolTrades } from './pool-trades.ts'
import { swaps } from './swaps.ts'
import { transaction } from './transactions/transaction.ts'
import type { V1Context } from './v1-context.ts'
import { volume } from './volume.ts'
import { washFlags } from './wash-flags.ts'

export function v1Handlers(context: V1Context): V1Handlers {
  const { board, counted } = context
  const priced = tokenPrices({ ...context, trades: (network) => board.pricesByTrades(network) })
  return {
    listNetworks: networks(context),
    search: search(context),
    searchSwaps: swaps(context),
    getTransaction: transaction(context),
    listTokens: tokens(context),
    getToken: token(context),
    listPools: pools(context),
    getPool: pool(context),
    listPoolTrades: poolTrades(context),
    listPoolLiquidity: poolLiquidity(context),
    listProtocols: async () => ({
      body: { data: (await counted()).protocols.map((storedProtocol) => ({ ...storedProtocol })) },
    }),
    listCandles: candles(context),
    listLiquidityEvents: liquidityEvents(context),
    listVolume: volume(context),
    listWashFlags: washFlags(context),
    quoteAmount: amountQuote(context),
    quoteMany: amountQuotes(context),
    getDepth: depth(context),
    getPrices: priced,
    findPrices: priced,
  }
}
