import { checksumAddress, type TokenPrice, type TokenPriceFlag, type V1Body, type V1Handlers } from '@dexfeed/contract'
import { type Address, isUnlisted, type NetworkName, plainDecimal, significantDecimal, usdText } from '@dexfeed/dex'
import { indexedBlocks } from '../../service/freshness.ts'
import type { TokenCatalog } from '../../token-catalog.ts'
import { blockOf } from '../facts/quoted-block.ts'
import type { LiveMarket } from '../live-market.ts'
import type { QuoteDesk } from '../quote-desk.ts'
import { type PastPricesOptions, pastPrices } from './past-prices.ts'
import { type KnownPrice, type PriceBoard, tradedAs } from './price-board.ts'

/** Tokens in one turn. */
const AT_ONCE = 50
const DIGITS = 18
const PRICE_E = 18
/** Less than 1,000 USD can be sold: times 10^8. */
const THIN_E8 = 100_000_000_000n
/** Two prices that are further apart differ. */
const APART = 1.1

/** The price of a token in USD by its trades, and whether 24 whole hours weigh its pools. */
export interface TradedPrice {
  priceUsd: string
  isWeighted: boolean
}

export interface TokenPricesOptions extends PastPricesOptions {
  desk: QuoteDesk
  board: PriceBoard
  catalog: Pick<TokenCatalog, 'tokens'>
  /** Returns a lookup of prices by trades, as `/v1/tokens` has them. */
  trades: (network: NetworkName) => Promise<(token: Address) => TradedPrice | null>
}

interface AskedToken {
  token: Address
  isCoin: boolean
  decimals: number | null
}

/** Serves `/v1/prices`. */
export function tokenPrices(options: TokenPricesOptions): V1Handlers['findPrices'] & V1Handlers['getPrices'] {
  const { desk, board, catalog, trades } = options
  return async ({ network, tokens, at }, { client, signal }) => {
    const indexed = desk.market(network).network
    if (at !== undefined) {
      const { body, isComplete } = await pastPrices(options, indexed, tokens, at)
      return { body, headers: { 'X-Data-Complete': String(isComplete) } }
    }
    const { wrappedNative } = indexed
    const traded = tokens.map((token) => tradedAs(network, token, wrappedNative))
    const known = await catalog.tokens(network, traded)
    const asked = traded.map((token, at) => ({
      token,
      isCoin: token !== tokens[at],
      decimals: known.get(token)?.decimals ?? null,
    }))
    const byTrades = await trades(network)
    const pieces = Array.from({ length: Math.ceil(asked.length / AT_ONCE) }, (_, at) =>
      asked.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
    )
    const { live, results } = await desk.together(
      pieces,
      { client, network, signal },
      {
        prepare: (live) => board.prepare(live),
        piece: (some, live) => {
          desk.checkFresh(live)
          return some.map((each) =>
            priceOf(each, live, board.priceOf(live, each.token), byTrades(each.token), desk.now()),
          )
        },
      },
    )
    const body: V1Body<'findPrices'> = { network, at: null, block: blockOf(live, desk.now()), prices: results.flat() }
    return { body, headers: { 'X-Indexed-Block': indexedBlocks([live.network]) } }
  }
}

/** Returns the price of a token: by its reference pools, else by a sale in the market, else by trades. */
function priceOf(
  { token, isCoin, decimals }: AskedToken,
  live: LiveMarket,
  known: KnownPrice | null,
  traded: TradedPrice | null,
  now: number,
): TokenPrice {
  const price = decimals === null || known === null ? null : priceText(known, decimals)
  const sale = known === null ? null : known.kind === 'market' ? known : known.sale
  const isMarket = price !== null
  const byTrades = traded?.priceUsd ?? null
  return {
    token: isCoin ? '' : checksumAddress(token),
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
  const end = known === null ? null : known.kind === 'market' ? known.endPrice : known.price
  const depth = known === null ? null : known.kind === 'market' ? known.depthE8 : (known.sale?.depthE8 ?? null)
  const { proof, short } = live.moves.evidence(token)
  const flags: TokenPriceFlag[] = []
  if (depth === null || depth < THIN_E8) flags.push('thin')
  if (proof === 'none') flags.push('unproven')
  if (short > 0) flags.push('short')
  if (end?.depegged) flags.push('depegged')
  if (end?.isOld) flags.push('old')
  if (price !== null && traded !== null && isApart(Number(price), Number(traded.priceUsd))) flags.push('differs')
  if (live.unread.trade(token)) flags.push('partial')
  const sale = known === null ? null : known.kind === 'market' ? known : known.sale
  if (sale !== null && isUnlisted(live.market, sale.hops)) flags.push('unlisted-route')
  if (price === null && traded?.isWeighted === false) flags.push('unweighted')
  return flags
}

function isApart(a: number, b: number): boolean {
  return a > APART * b || b > APART * a
}
