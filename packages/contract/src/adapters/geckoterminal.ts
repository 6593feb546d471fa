import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { z } from 'zod'
import { readAddress } from '../checksum-address.ts'
import { choiceParameter, countParameter } from '../parameters.ts'
import { PLAIN_TEXT, poolParameter, protocolParameter, usdParameter } from '../v1/parameters.ts'
import type { RequestOf } from '../v1/route.ts'

// The part of GeckoTerminal's public API (geckoterminal.com/dex-api, version 2) that its client libraries call. Not in the
// OpenAPI document, because GeckoTerminal documents it.

interface NetworkNames {
  id: string
  name: string
  /** Id of the network at CoinGecko; null if it is not known. */
  platform: string | null
}

const NETWORKS: Partial<Record<NetworkName, NetworkNames>> = {
  eth: { id: 'eth', name: 'Ethereum', platform: 'ethereum' },
  bsc: { id: 'bsc', name: 'BNB Chain', platform: 'binance-smart-chain' },
  polygon: { id: 'polygon_pos', name: 'Polygon POS', platform: 'polygon-pos' },
}

export function geckoterminalNetwork(network: NetworkName): NetworkNames {
  return NETWORKS[network] ?? { id: network, name: network, platform: null }
}

const MAX_PAGE = 10
const MAX_ADDRESSES = 30
const MAX_CANDLES = 1_000

const INCLUDED = ['base_token', 'quote_token', 'dex', 'network', 'top_pools'] as const

const idOf = (name: NetworkName) => geckoterminalNetwork(name).id
const network = z.string().transform((id, context): NetworkName => {
  const found = NETWORK_NAMES.find((name) => idOf(name) === id.toLowerCase())
  if (found !== undefined) return found
  context.addIssue({
    code: 'custom',
    message: `network must be one of ${NETWORK_NAMES.map(idOf).join(', ')}`,
  })
  return z.NEVER
})

const whole = (name: string, max: number) => countParameter(name, /^[1-9]\d{0,10}$/, max)
const flag = (name: string) =>
  choiceParameter(name, ['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')

const QUERY_MESSAGE = 'query must be given once, as up to 128 characters without control characters'
const ADDRESS_MESSAGE = 'an address must be 0x and 40 hex digits, mixed case by EIP-55'
const address = z.string().transform((text, context): `0x${string}` => {
  const found = readAddress(text)
  if (found !== null) return found
  context.addIssue({ code: 'custom', message: ADDRESS_MESSAGE })
  return z.NEVER
})
const pool = poolParameter('pool', '')
const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(item).max(MAX_ADDRESSES, { error: `at most ${MAX_ADDRESSES} addresses can be given` }))

const include = z
  .string({ error: 'include must be given once' })
  .default('')
  .transform((text) => new Set(INCLUDED.filter((name) => text.split(',').includes(name))))
const page = whole('page', MAX_PAGE).default(1)
const listed = { page, include }
const token = z
  .union([z.enum(['base', 'quote']), address], { error: 'token must be given once, as base, quote or an address' })
  .default('base')

export const GECKOTERMINAL_ROUTES = {
  networks: { path: '/networks', request: { page } },
  dexes: { path: '/networks/{network}/dexes', request: { network, page } },
  trendingPools: { path: '/networks/trending_pools', request: listed },
  newPools: { path: '/networks/new_pools', request: listed },
  searchPools: {
    path: '/search/pools',
    request: {
      query: z.string({ error: QUERY_MESSAGE }).regex(PLAIN_TEXT, { error: QUERY_MESSAGE }).default(''),
      network: network.optional(),
      ...listed,
    },
  },
  networkPools: { path: '/networks/{network}/pools', request: { network, ...listed } },
  networkTrendingPools: { path: '/networks/{network}/trending_pools', request: { network, ...listed } },
  networkNewPools: { path: '/networks/{network}/new_pools', request: { network, ...listed } },
  dexPools: {
    path: '/networks/{network}/dexes/{dex}/pools',
    request: { network, dex: protocolParameter('dex'), ...listed },
  },
  tokenPools: { path: '/networks/{network}/tokens/{address}/pools', request: { network, address, ...listed } },
  pools: {
    path: '/networks/{network}/pools/multi/{addresses}',
    request: { network, addresses: listOf(pool), include },
  },
  pool: { path: '/networks/{network}/pools/{pool}', request: { network, pool, include } },
  tokens: {
    path: '/networks/{network}/tokens/multi/{addresses}',
    request: { network, addresses: listOf(address), include },
  },
  token: { path: '/networks/{network}/tokens/{address}', request: { network, address, include } },
  tokenPrices: {
    path: '/simple/networks/{network}/token_price/{addresses}',
    request: {
      network,
      addresses: listOf(address),
      include_market_cap: flag('include_market_cap'),
      mcap_fdv_fallback: flag('mcap_fdv_fallback'),
      include_24hr_vol: flag('include_24hr_vol'),
      include_24hr_price_change: flag('include_24hr_price_change'),
      include_total_reserve_in_usd: flag('include_total_reserve_in_usd'),
    },
  },
  ohlcv: {
    path: '/networks/{network}/pools/{pool}/ohlcv/{timeframe}',
    request: {
      network,
      pool,
      timeframe: choiceParameter('timeframe', ['day', 'hour', 'minute']),
      aggregate: z.string({ error: 'aggregate must be given once' }).default('1'),
      before_timestamp: whole('before_timestamp', 7_258_118_400).optional(),
      limit: whole('limit', MAX_CANDLES).default(100),
      currency: choiceParameter('currency', ['usd', 'token']).default('usd'),
      token,
      include_empty_intervals: flag('include_empty_intervals'),
    },
  },
  trades: {
    path: '/networks/{network}/pools/{pool}/trades',
    request: {
      network,
      pool,
      trade_volume_in_usd_greater_than: usdParameter('trade_volume_in_usd_greater_than', '').default('0'),
      token,
    },
  },
} as const satisfies Record<string, { path: string; request: z.ZodRawShape }>

export type GeckoterminalRoutes = typeof GECKOTERMINAL_ROUTES
export type GeckoterminalRequest<Name extends keyof GeckoterminalRoutes> = RequestOf<
  GeckoterminalRoutes[Name]['request']
>
