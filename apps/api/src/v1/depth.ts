import { amountDecimal, DEPTH_BPS, InvalidRequest, type V1Body, type V1Handlers } from '@dexfeed/contract'
import {
  type Address,
  DepthSearch,
  type Exchange,
  MAX_WORK,
  marginalRate,
  type NetworkName,
  type PoolAddress,
  type QuoteWork,
  quoteAmount,
  type Rate,
  significantDecimal,
  usdText,
} from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { HttpFailure } from '../http/http-failure.ts'
import type { LiveMarket } from '../quote/live-market.ts'
import { type PriceBoard, tradedAs } from '../quote/prices/price-board.ts'
import type { QuoteDesk } from '../quote/quote-desk.ts'
import { blockOf } from '../quote/quote-facts.ts'
import { resolveToken } from '../quote/resolve-token.ts'
import { indexedBlocks } from '../service/freshness.ts'
import type { CatalogToken, TokenCatalog } from '../token-catalog.ts'
import { poolTokens, theOnly } from './one-pool.ts'

interface DepthOptions {
  reader: { findPools: Reader['findPools'] }
  desk: QuoteDesk
  catalog: TokenCatalog
  prices: PriceBoard
}

const BPS = 10_000n
const PRICE_DIGITS = 18
/** Work of all quotes of a request together. */
const MAX_DEPTH_WORK = 10 * MAX_WORK
/** Values of the reference amount, in USD times 10^8. A smaller one is tried only if no route pays for the larger one. */
const REFERENCES_E8 = [10_000_000_000n, 100_000_000n, 1_000_000n]

type Side = NonNullable<V1Body<'getDepth'>['sell']>
interface Asked {
  token: CatalogToken
  against: CatalogToken
  pool: PoolAddress | null
}

/** Serves `/v1/depth`. Each quote takes a turn. */
export function depth(options: DepthOptions): V1Handlers['getDepth'] {
  const { desk, prices } = options
  return async (request, { client, signal }) => {
    const { network } = request
    const asked = await askedDepth(options, request)
    const by = { client, network, signal, prices }
    const { live, result } = await desk.inSteps(by, (live) => sidesOf(options, live, asked))
    if (result.sell === null && result.buy === null) {
      throw new HttpFailure(404, 'no route over indexed pools exchanges these tokens at a known price')
    }
    const { token, against, pool } = asked
    const isPartial = pool === null && live.unread.mightCarry(live.market, token.address, against.address)
    return {
      body: {
        network,
        token: token.metadata,
        against: against.metadata,
        pool,
        ...result,
        block: blockOf(live, desk.now()),
        partial: isPartial ? 'unread-pools' : null,
      },
      headers: { 'X-Indexed-Block': indexedBlocks([live.network]) },
    }
  }
}

async function askedDepth(
  { desk, catalog, reader }: DepthOptions,
  { network, token, against, pool }: Parameters<V1Handlers['getDepth']>[0],
): Promise<Asked> {
  const { wrappedNative } = desk.market(network).network
  const scope = { network, wrappedNative, catalog }
  const first = await resolveToken('token', token, scope)
  const found = pool === undefined ? null : await poolOf(reader, network, pool)
  const others = (found?.tokens ?? []).map((each) => tradedAs(network, each, wrappedNative))
  if (found !== null && !others.includes(first.address))
    throw new HttpFailure(404, 'this pool does not trade this token')
  const [other, ...more] = others.filter((each) => each !== first.address)
  const second = against ?? (more.length === 0 ? other : undefined)
  if (second === undefined) throw new InvalidRequest('against must be given, unless pool is one of two tokens')
  const asked = { token: first, against: await resolveToken('against', second, scope), pool: found?.address ?? null }
  if (asked.token.address === asked.against.address) throw new InvalidRequest('token and against are the same token')
  return asked
}

async function poolOf(
  reader: DepthOptions['reader'],
  network: NetworkName,
  pool: PoolAddress,
): Promise<{ address: PoolAddress; tokens: readonly Address[] }> {
  const page = { filter: { address: pool }, network, ascending: true, from: null, limit: 2 }
  const found = theOnly((await reader.findPools(page)).rows, network)
  return { address: found.address, tokens: poolTokens(found) }
}

interface Trading {
  sell: CatalogToken
  buy: CatalogToken
  pool: PoolAddress | null
}

function* sidesOf(
  options: DepthOptions,
  live: LiveMarket,
  { token, against, pool }: Asked,
): Generator<undefined, { sell: Side | null; buy: Side | null }> {
  const { desk, prices } = options
  desk.checkFresh(live)
  let left = MAX_DEPTH_WORK
  const quoting: Quoting = (quote) =>
    desk.withinBudget(
      (work) => {
        const paid = quote(work)
        left -= work.done
        return paid
      },
      Math.min(MAX_WORK, left),
    )
  const sides: { sell: Side | null; buy: Side | null } = { sell: null, buy: null }
  for (const kind of ['sell', 'buy'] as const) {
    const [sell, buy] = kind === 'sell' ? [token, against] : [against, token]
    const trading = { sell, buy, pool }
    const market =
      pool === null ? yield* overRoutes(live, trading, prices, quoting) : inPool(live, pool, trading, quoting)
    if (market !== null) {
      const usdE8 = (amount: bigint) => prices.usdE8(live, against.address, amount)
      sides[kind] = yield* sideOf(market, { kind, token, against, usdE8 })
    }
  }
  return sides
}

type Quoting = (quote: (work: QuoteWork) => bigint | null) => bigint | null

interface Compared {
  reference: Rate
  referenceAmount: bigint | null
  first: bigint
  quote: (amountIn: bigint) => bigint | null
}

function* overRoutes(
  live: LiveMarket,
  { sell, buy }: Trading,
  prices: PriceBoard,
  quoting: Quoting,
): Generator<undefined, Compared | null> {
  const query = { sell: sell.address, buy: buy.address, side: 'in', maxHops: 3, maxSplits: 4 } as const
  const quote = (amount: bigint) =>
    quoting((work) => quoteAmount(live.market, { ...query, amount }, work)?.amountOut ?? null)
  // A market price knows an amount that can be sold.
  const known = prices.priceOf(live, sell.address)
  const probe = known?.kind === 'market' ? known.amountIn : 10n ** BigInt(sell.decimals)
  const probeE8 = prices.usdE8(live, sell.address, probe)
  if (probeE8 === null || probeE8 === 0n) return null
  for (const usdE8 of REFERENCES_E8) {
    yield
    const amount = (probe * usdE8) / probeE8
    const paid = amount === 0n ? null : quote(amount)
    if (paid !== null && paid > 0n) {
      return {
        reference: { numerator: paid, denominator: amount },
        referenceAmount: amount,
        first: amount * 10n,
        quote,
      }
    }
  }
  return null
}

function inPool(live: LiveMarket, pool: PoolAddress, { sell, buy }: Trading, quoting: Quoting): Compared | null {
  const side = live.market.side(pool, sell.address, buy.address)
  const reference = side && marginalRate(side.current, side.zeroForOne)
  if (side === null || reference === null) return null
  const quote = (amount: bigint) => quoting((work) => side.quote(amount, work))
  return { reference, referenceAmount: null, first: 10n ** BigInt(sell.decimals), quote }
}

interface Shown {
  kind: 'sell' | 'buy'
  token: CatalogToken
  against: CatalogToken
  usdE8: (amount: bigint) => bigint | null
}

function* sideOf({ reference, referenceAmount, first, quote }: Compared, shown: Shown): Generator<undefined, Side> {
  const search = new DepthSearch(reference, first, quote)
  const levels: Side['levels'] = []
  for (const bps of DEPTH_BPS) {
    const moved = BigInt(bps)
    const kept =
      shown.kind === 'sell'
        ? { numerator: BPS - moved, denominator: BPS }
        : { numerator: BPS, denominator: BPS + moved }
    const found = yield* search.find(kept)
    if (found !== null) levels.push(levelOf(bps, found, shown))
  }
  return {
    reference_amount: referenceAmount === null ? null : String(referenceAmount),
    reference_price: priceText(reference, shown),
    levels,
  }
}

function levelOf(bps: number, { amountIn, amountOut }: Exchange, shown: Shown): Side['levels'][number] {
  const { kind, token, against, usdE8 } = shown
  const [sold, bought] = kind === 'sell' ? [token, against] : [against, token]
  const valueE8 = usdE8(kind === 'sell' ? amountOut : amountIn)
  return {
    bps,
    amount_in: String(amountIn),
    amount_in_decimal: amountDecimal(String(amountIn), sold.decimals),
    amount_out: String(amountOut),
    amount_out_decimal: amountDecimal(String(amountOut), bought.decimals),
    price: priceText({ numerator: amountOut, denominator: amountIn }, shown),
    value_usd: valueE8 === null ? null : usdText(valueE8),
  }
}

/** @param rate base units bought per base unit sold */
function priceText({ numerator, denominator }: Rate, { kind, token, against }: Shown): string {
  const [paid, received] = kind === 'sell' ? [numerator, denominator] : [denominator, numerator]
  const price = {
    numerator: paid * 10n ** BigInt(token.decimals),
    denominator: received * 10n ** BigInt(against.decimals),
  }
  return significantDecimal(price, PRICE_DIGITS)
}
