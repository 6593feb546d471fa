import { UDF_RESOLUTIONS, type UdfBody, type V1Row } from '@dexfeed/contract'

type Token = Omit<V1Row<'listTokens'>, 'flow'>
type Pool = Omit<V1Row<'listPools'>, 'flow'>
type UdfSymbol = UdfBody<'symbols'>
type UdfSearchResult = UdfBody<'search'>[number]

export type SymbolAsked = { network: string } & (
  | { type: 'token'; address: string }
  | { type: 'pool'; address: string; currency: 'usd' | 'quote' }
)

/** Reads a ticker in lower case, whose form the contract has checked. */
export function readTicker(ticker: string): SymbolAsked {
  const [network = '', type, address = '', currency] = ticker.split(':')
  if (type === 'token') return { network, type, address }
  return { network, type: 'pool', address, currency: currency === 'quote' ? 'quote' : 'usd' }
}

interface Described {
  ticker: string
  name: string
  description: string
  exchange: string
  type: 'token' | 'pool'
  currency: string
  price: string | null
}

export function ofToken({ network, address, symbol, name, price_usd }: Token): Described {
  const short = nameOf({ address, symbol })
  return {
    ticker: `${network}:token:${address.toLowerCase()}`,
    name: `${short}/USD`,
    description: `${name || short} on ${network}`,
    exchange: network,
    type: 'token',
    currency: 'USD',
    price: price_usd,
  }
}

export function ofPool(pool: Pool, currency: 'usd' | 'quote'): Described {
  const { network, address, tokens, base_token, protocol, price_usd, price_quote } = pool
  const base = nameOf(tokens.find((token) => token.address === base_token) ?? { address: base_token, symbol: null })
  const quotes = tokens.filter((token) => token.address !== base_token).map(nameOf)
  const inQuote = currency === 'quote'
  const paid = inQuote ? quotes.join('/') : 'USD'
  return {
    ticker: `${network}:pool:${address}${inQuote ? ':quote' : ''}`,
    name: `${base}/${paid}`,
    description: `${[base, ...quotes].join('/')} of ${protocol} on ${network}`,
    exchange: network,
    type: 'pool',
    currency: paid,
    price: inQuote ? price_quote : price_usd,
  }
}

/** Symbols are what contracts claim. */
function nameOf({ address, symbol }: Pick<Token, 'address' | 'symbol'>): string {
  return symbol || `${address.slice(0, 6)}…${address.slice(-4)}`
}

export function foundSymbol({ ticker, name, description, exchange, type }: Described): UdfSearchResult {
  return { symbol: name, full_name: ticker, description, exchange, ticker, type }
}

const INTRADAY = Object.keys(UDF_RESOLUTIONS).filter((resolution) => /^\d+$/.test(resolution))

export function symbolInfo({ ticker, name, description, exchange, type, currency, price }: Described): UdfSymbol {
  return {
    ticker,
    name,
    description,
    type,
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange,
    listed_exchange: exchange,
    format: 'price',
    minmov: 1,
    pricescale: 10 ** decimalsOf(price),
    currency_code: currency,
    has_intraday: true,
    has_daily: true,
    has_weekly_and_monthly: true,
    intraday_multipliers: INTRADAY,
    supported_resolutions: Object.keys(UDF_RESOLUTIONS),
    volume_precision: 2,
    data_status: 'streaming',
  }
}

const DIGITS = 6
/** The library's numbers are exact up to here. */
const MAX_DECIMALS = 15

/** Returns the decimals that show six digits of a price; 8 if it is unknown. */
export function decimalsOf(price: string | null): number {
  if (price === null) return 8
  const [whole = '0', fraction = ''] = price.split('.')
  if (whole !== '0') return Math.max(2, DIGITS - whole.length)
  return Math.min(MAX_DECIMALS, fraction.search(/[1-9]|$/) + DIGITS)
}
