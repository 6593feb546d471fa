import { geckoterminalNetwork, type V1Row } from '@dexfeed/contract'
import { type Address, fixedText, type NetworkName, SECOND, significantDecimal, ZERO_ADDRESS } from '@dexfeed/dex'

// The objects of GeckoTerminal's API (JSON:API). What is not known is null.

export type PoolRow = V1Row<'listPools'>
export type TokenRow = Omit<V1Row<'listTokens'>, 'flow'>
type PoolToken = PoolRow['tokens'][number]
type Trade = V1Row<'listPoolTrades'>

export interface Listed {
  id: string
  type: string
  attributes: Record<string, unknown>
  relationships?: Record<string, unknown>
}

export function idOf(network: NetworkName, name: string): string {
  return `${geckoterminalNetwork(network).id}_${name}`
}

/** The coin is the zero address. */
export function shownAddress(address: string): Address {
  return address === '' ? ZERO_ADDRESS : (address.toLowerCase() as Address)
}

/** Pools inside a manager are known by their id alone. */
function shownPool(address: string): string {
  return address.length > 82 ? `0x${address.slice(-64)}` : address
}

export function networkObject({ network }: { network: NetworkName }): Listed {
  const { id, name, platform } = geckoterminalNetwork(network)
  return { id, type: 'network', attributes: { name, coingecko_asset_platform_id: platform } }
}

export function dexObject(name: string): Listed {
  return { id: name, type: 'dex', attributes: { name } }
}

/** Returns the two tokens whose prices a pool shows, also of a pool of several. */
export function pairOf({ tokens, base_token }: Pick<PoolRow, 'tokens' | 'base_token'>) {
  const unknown = { address: base_token, symbol: null, name: null, decimals: null }
  const base = tokens.find(({ address }) => address === base_token) ?? unknown
  return { base, quote: tokens.find(({ address }) => address !== base_token) ?? unknown }
}

export function tokenOfPool(network: NetworkName, { address, name, symbol, decimals }: PoolToken): Listed {
  const shown = shownAddress(address)
  const attributes = {
    address: shown,
    name,
    symbol,
    decimals: decimals === null ? null : Number(decimals),
    image_url: null,
    coingecko_coin_id: null,
  }
  return { id: idOf(network, shown), type: 'token', attributes }
}

const PERIODS = [
  ['m5', '5m'],
  ['m15', null],
  ['m30', null],
  ['h1', '1h'],
  ['h6', '6h'],
  ['h24', '24h'],
] as const

function byPeriod<Value>(read: (window: '5m' | '1h' | '6h' | '24h') => Value, unknown: Value | null = null) {
  return Object.fromEntries(PERIODS.map(([period, window]) => [period, window === null ? unknown : read(window)]))
}

const NO_TRADES = { buys: null, sells: null, buyers: null, sellers: null }

/** @param of what the row lacks: the coin's price, the base token's diluted value, and the token whose pools were requested, if one was */
export function poolObject(
  row: PoolRow,
  of: { coinUsd: string | null; fdvUsd: string | null; token: string | null },
): Listed {
  const { network, flow, price_usd, price_quote, fee_millionths, tick_spacing } = row
  const { base, quote } = pairOf(row)
  const quoteUsd = priceIn(price_usd, price_quote)
  const inCoin = (token: PoolToken, priceUsd: string | null) =>
    token.address === '' ? '1' : priceIn(priceUsd, of.coinUsd)
  const pair = [base, quote].map(({ symbol, address }) => symbol || shownAddress(address)).join(' / ')
  const fee = fee_millionths === null ? null : percentText(fee_millionths)
  const address = shownPool(row.address)
  const data = (id: string, type: string) => ({ data: { id, type } })
  return {
    id: idOf(network, address),
    type: 'pool',
    attributes: {
      base_token_price_usd: price_usd,
      base_token_price_native_currency: inCoin(base, price_usd),
      quote_token_price_usd: quoteUsd,
      quote_token_price_native_currency: inCoin(quote, quoteUsd),
      base_token_price_quote_token: price_quote,
      quote_token_price_base_token: priceIn('1', price_quote),
      address,
      name: fee === null || tick_spacing === null ? pair : `${pair} ${fee}%`,
      pool_name: pair,
      pool_fee_percentage: fee,
      pool_created_at: row.created_at && timeText(row.created_at),
      ...(of.token !== null && {
        token_price_usd:
          of.token === shownAddress(base.address)
            ? price_usd
            : of.token === shownAddress(quote.address)
              ? quoteUsd
              : null,
      }),
      fdv_usd: of.fdvUsd,
      market_cap_usd: null,
      price_change_percentage: byPeriod((window) => row[`price_change_${window}`]),
      transactions: byPeriod((window) => {
        const { buys, sells, buyers, sellers } = flow[window]
        return { buys, sells, buyers, sellers }
      }, NO_TRADES),
      volume_usd: byPeriod((window) => flow[window].volume_usd),
      reserve_in_usd: row.liquidity_usd,
      locked_liquidity_percentage: null,
    },
    relationships: {
      base_token: data(idOf(network, shownAddress(base.address)), 'token'),
      quote_token: data(idOf(network, shownAddress(quote.address)), 'token'),
      network: data(geckoterminalNetwork(network).id, 'network'),
      dex: data(row.protocol, 'dex'),
    },
  }
}

export function tokenObject(row: TokenRow, topPools: readonly Listed[]): Listed {
  const { network, total_supply: supply, decimals } = row
  const token = tokenOfPool(network, row)
  return {
    ...token,
    attributes: {
      ...token.attributes,
      total_supply: supply,
      normalized_total_supply:
        supply === null || decimals === null ? null : priceIn(supply, `1${'0'.repeat(Number(decimals))}`),
      price_usd: row.price_usd,
      fdv_usd: row.fdv_usd,
      total_reserve_in_usd: row.liquidity_usd,
      volume_usd: { h24: row.volume_24h_usd },
      market_cap_usd: null,
    },
    relationships: { top_pools: { data: topPools.map(({ id, type }) => ({ id, type })) } },
  }
}

/** @param token whose buys and sells are shown: the base token, the quote token, or one by address */
export function tradeObject(network: NetworkName, row: Trade, token: string): Listed {
  const { tx_hash, log_index, base_token: base, quote_token: quote, price_usd, price_quote } = row
  const isOfQuote = token === 'quote' || token === shownAddress(quote.address)
  const isBaseBought = row.side === 'buy'
  const prices = {
    base: { inCurrency: isOfQuote ? '1' : price_quote, usd: price_usd },
    quote: { inCurrency: isOfQuote ? priceIn('1', price_quote) : '1', usd: priceIn(price_usd, price_quote) },
  }
  const [from, to] = isBaseBought ? [quote, base] : [base, quote]
  const [fromPrice, toPrice] = isBaseBought ? [prices.quote, prices.base] : [prices.base, prices.quote]
  return {
    id: idOf(network, [row.block_number, tx_hash, log_index, Date.parse(row.time) / SECOND].join('_')),
    type: 'trade',
    attributes: {
      block_number: Number(row.block_number),
      tx_hash,
      tx_from_address: row.trader && shownAddress(row.trader),
      from_token_amount: from.amount_decimal,
      to_token_amount: to.amount_decimal,
      price_from_in_currency_token: fromPrice.inCurrency,
      price_to_in_currency_token: toPrice.inCurrency,
      price_from_in_usd: fromPrice.usd,
      price_to_in_usd: toPrice.usd,
      block_timestamp: timeText(row.time),
      kind: isBaseBought === isOfQuote ? 'sell' : 'buy',
      volume_in_usd: row.volume_usd,
      from_token_address: shownAddress(from.address),
      to_token_address: shownAddress(to.address),
    },
  }
}

export function candleText(candle: V1Row<'listCandles'>): string {
  const { time, open, high, low, close, volume_usd, swaps, unpriced_swaps } = candle
  const isUnvalued = swaps > 0 && unpriced_swaps === swaps
  return `[${[Date.parse(time) / SECOND, open, high, low, close, isUnvalued ? 'null' : volume_usd].join()}]`
}

const DIGITS = 18

/** Returns the ratio of two decimals, rounded down to 18 digits; null if one is unknown or zero. */
function priceIn(price: string | null, unit: string | null): string | null {
  if (price === null || unit === null) return null
  const [numerator, decimals] = scaled(price)
  const [denominator, unitDecimals] = scaled(unit)
  if (numerator === 0n || denominator === 0n) return null
  const rate = { numerator: numerator * 10n ** unitDecimals, denominator: denominator * 10n ** decimals }
  return significantDecimal(rate, DIGITS)
}

function scaled(decimal: string): readonly [bigint, bigint] {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return [BigInt(whole + fraction), BigInt(fraction.length)]
}

/** Returns millionths in percent. */
function percentText(millionths: number): string {
  return fixedText(BigInt(millionths), 4).replace(/\.?0+$/, '')
}

function timeText(iso: string): string {
  return iso.replace('.000Z', 'Z')
}
