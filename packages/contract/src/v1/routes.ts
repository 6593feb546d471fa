import { V1_BATCH } from './batch.ts'
import { listCandles } from './candles.ts'
import { listNetworks } from './catalog/networks.ts'
import { getPool, listPools } from './catalog/pools.ts'
import { listProtocols } from './catalog/protocols.ts'
import { search } from './catalog/search.ts'
import { getToken, listTokens } from './catalog/tokens.ts'
import { listLiquidityEvents } from './liquidity-events.ts'
import { listPoolLiquidity } from './pool-liquidity.ts'
import { listPoolTrades } from './pool-trades.ts'
import { getDepth } from './quotes/depth.ts'
import { findPrices, getPrices } from './quotes/prices.ts'
import { quoteAmount } from './quotes/quote.ts'
import { quoteMany } from './quotes/quotes.ts'
import type { Route } from './route.ts'
import { searchSwaps } from './swaps.ts'
import { getTransaction } from './transactions.ts'
import { listVolume } from './volume.ts'
import { listWashFlags } from './wash-flags.ts'

/**
 * Every route under `/v1`. The OpenAPI document is generated from these, and the API does not compile if a handler is
 * missing.
 */
export const V1_ROUTES = {
  listNetworks,
  search,
  searchSwaps,
  getTransaction,
  listTokens,
  getToken,
  listPools,
  getPool,
  listPoolTrades,
  listPoolLiquidity,
  listProtocols,
  listCandles,
  listLiquidityEvents,
  listVolume,
  listWashFlags,
  quoteAmount,
  quoteMany,
  getDepth,
  getPrices,
  findPrices,
} as const satisfies Record<string, Route>
export type V1Routes = typeof V1_ROUTES

export function v1Methods(path: string): readonly string[] {
  return METHODS_OF.get(path) ?? READING
}

const READING = ['GET', 'HEAD', 'OPTIONS']
const POSTS = [V1_BATCH, ...Object.values<Route>(V1_ROUTES).filter(({ kind }) => kind === 'post')]
const METHODS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  POSTS.map(({ path }) => {
    const isRead = Object.values<Route>(V1_ROUTES).some((route) => route.path === path && route.kind !== 'post')
    return [path, isRead ? ['GET', 'HEAD', 'POST', 'OPTIONS'] : ['POST', 'OPTIONS']]
  }),
)
