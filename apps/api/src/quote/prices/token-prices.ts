import { checksumAddress, type TokenPrice, type TokenPriceFlag, type V1Body, type V1Handlers } from '@dexfeed/contract'
import { type Address, isUnlisted, type NetworkName, plainDecimal, significantDecimal, usdText } from '@dexfeed/dex'
import { indexedBlocks } from '../../service/freshness.ts'
import type { TokenCatalog } from '../../token-catalog.ts'
import type { LiveMarket } from '../live-market.ts'
import type { QuoteDesk } from '../quote-desk.ts'
import { blockOf } from '../quote-facts.ts'
import { type PastPricesOptions, pastPrices } from './past-prices.ts'
import { type KnownPrice, type PriceBoard, tradedAs } from './price-board.ts'

const TOKENS_PER_TURN = 50
const DIGITS = 18
const PRICE_E = 18
/** USD times 10^8 that a token must sell for, else its price is thin. */
const THIN_E8 = 100_000_000_000n
const MAX_RATIO = 1.1

export interface TradedPrice {
  priceUsd: string
  isWeighted: boolean
}

export interface TokenPricesOptions extends PastPricesOptions {
  desk: QuoteDesk
  prices: PriceBoard
  catalog: TokenCatalog
  trades: (network: NetworkName) => Promise<(token: Address) => TradedPrice | null>
}

interface AskedToken {
  token: Address
  /** With its checksum; empty for the coin. */
  named: string
  decimals: number | null
}

export function tokenPrices(options: TokenPricesOptions): V1Handlers['findPrices'] & V1Handlers['getPrices'] {
  const { desk, prices, catalog, trades } = options
  return async ({ network, tokens, at }, { client, signal }) => {
    const indexed = desk.market(network).network
    if (at !== undefined) {
      const { body, isComplete } = await pastPrices(options, indexed, tokens, at)
      return { body, headers: { 'X-Data-Complete': String(isComplete) } }
    }
    const { wrappedNative } = indexed
    const traded = tokens.map((token) => tradedAs(network, token, wrappedNative))
    const known = await catalog.tokens(network, traded)
    const asked = traded.map((token, index) => {
      const { decimals = null, metadata } = known.get(token) ?? {}
      const isCoin = token !== tokens[index]
      return { token, named: isCoin ? '' : (metadata?.address ?? checksumAddress(token)), decimals }
    })
    const byTrades = await trades(network)
    const pieces = Array.from({ length: Math.ceil(asked.length / TOKENS_PER_TURN) }, (_, index) =>
      asked.slice(index * TOKENS_PER_TURN, (index + 1) * TOKENS_PER_TURN),
    )
    const { live, results } = await desk.together(pieces, { client, network, signal, prices }, (some, live) => {
      desk.checkFresh(live)
      return some.map((asked) => {
        const found = { known: prices.priceOf(live, asked.token), traded: byTrades(asked.token) }
        return priceOf(asked, found, live, desk.now())
      })
    })
    const body: V1Body<'findPrices'> = { network, at: null, block: blockOf(live, desk.now()), prices: results.flat() }
    return { body, headers: { 'X-Indexed-Block': indexedBlocks([live.network]) } }
  }
}

function priceOf(
  { token, named, decimals }: AskedToken,
  { known, traded }: { known: KnownPrice | null; traded: TradedPrice | null },
  live: LiveMarket,
  now: number,
): TokenPrice {
  const price = decimals === null || known === null ? null : priceText(known, decimals)
  const sale = saleOf(known)
  const isMarket = price !== null
  const byTrades = traded?.priceUsd ?? null
  return {
    token: named,
    price_usd: price ?? byTrades,
    source: isMarket && known !== null ? known.kind : byTrades === null ? null : 'trades',
    route: (isMarket ? (sale?.hops ?? []) : []).map(({ pool, tokenOut }) => ({
      pool: pool.address,
      token_out: checksumAddress(tokenOut),
    })),
    depth_usd: isMarket && sale !== null ? usdText(sale.depthE8) : null,
    age_s: isMarket ? Math.max(0, now - (live.network.head?.timestamp ?? now)) : null,
    flags: flagsOf(token, live, isMarket ? known : null, { price, traded }),
  }
}

/** Returns USD for a whole token, rounded down. */
function priceText(known: KnownPrice, decimals: number): string {
  if (known.kind === 'reference') return plainDecimal(known.price.priceE18, PRICE_E)
  const { amountIn, amountOut, endPrice } = known
  const rate = {
    numerator: amountOut * endPrice.priceE18 * 10n ** BigInt(decimals),
    denominator: amountIn * 10n ** BigInt(endPrice.decimals + PRICE_E),
  }
  return rate.numerator === 0n ? '0' : significantDecimal(rate, DIGITS)
}

function flagsOf(
  token: Address,
  live: LiveMarket,
  known: KnownPrice | null,
  { price, traded }: { price: string | null; traded: TradedPrice | null },
): TokenPriceFlag[] {
  const end = known?.kind === 'market' ? known.endPrice : known?.price
  const sale = saleOf(known)
  const { proof, short } = live.moves.evidence(token)
  const flags: TokenPriceFlag[] = []
  if (sale === null || sale.depthE8 < THIN_E8) flags.push('thin')
  if (proof === 'none') flags.push('unproven')
  if (short > 0) flags.push('short')
  if (end?.depegged) flags.push('depegged')
  if (end?.isOld) flags.push('old')
  if (price !== null && traded !== null && isApart(Number(price), Number(traded.priceUsd))) flags.push('differs')
  if (live.unread.trade(token)) flags.push('partial')
  if (sale !== null && isUnlisted(live.market, sale.hops)) flags.push('unlisted-route')
  if (price === null && traded?.isWeighted === false) flags.push('unweighted')
  return flags
}

function saleOf(known: KnownPrice | null) {
  return known?.kind === 'reference' ? known.sale : known
}

function isApart(a: number, b: number): boolean {
  return a > MAX_RATIO * b || b > MAX_RATIO * a
}
