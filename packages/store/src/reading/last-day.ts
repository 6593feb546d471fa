import {
  type Address,
  DAY_S,
  MINUTE_S,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type Token,
  usdE8Of,
  usdText,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type Db, inSnapshot } from '../database/transaction.ts'
import { hexOf, readRows } from '../stored.ts'
import { type PoolRow, readPoolPage } from '../tables/pool.ts'
import { readCreations } from '../tables/pool-creation.ts'
import type { AgeSums } from '../tables/rollups/day-figures.ts'
import { CHANGE_AGES_S, type Span } from '../tables/rollups/merge-candles.ts'
import { type PoolDayRow, poolDays } from '../tables/rollups/pool-candle.ts'
import { priceInOther, storedPriceText } from '../tables/rollups/price-rule.ts'
import { type TokenDayRow, tokenDays } from '../tables/rollups/token-volume.ts'
import { readTokenPage, readTokens } from '../tables/token.ts'
import { findNetwork, type IndexedNetwork } from './networks.ts'
import { type PricedNetwork, readPricedNetwork, readPricesOfDay, type WeightedPrice } from './token-prices.ts'

const CHANGE_DIGITS = 4
/** Small enough that each statement ends within seconds, however much was traded. */
const PAGE_ROWS = 500

export interface PriceOfDay {
  /** USD per whole token; null if no hop of the last two days set a price, or the decimals are unknown. */
  priceUsd: string | null
  /** Change in percent since each of CHANGE_AGES_S, rounded toward zero; null if unknown. */
  changes: readonly (string | null)[]
}

interface TokenPriceOfDay extends PriceOfDay {
  isWeighted: boolean | null
}

interface DayVolume {
  volumeUsd: string
  trades: number
  unpriced: number
  ages: readonly AgeSums[]
  /** Minute of the first hop that is still stored, in seconds since 1970. */
  firstSeen: number | null
}

export interface TokenDay extends DayVolume, TokenPriceOfDay {
  token: Address
}

export interface PoolDay extends DayVolume {
  pool: PoolAddress
  /** In seconds since 1970; null if the creation was not read. */
  createdAt: number | null
  /** Index of the token that is not money, to which buys, sells and price refer. */
  side: 0 | 1
  price: PriceOfDay & {
    /** Price in the other token, with as many digits as the stored prices tell, at most 18; null like `priceUsd`. */
    priceInOther: string | null
  }
}

export interface DayPages {
  /**
   * Called first, and again whenever the read restarts. `anchors` has the stored anchors and the wrapped coin; the day
   * ends at `to` (seconds).
   */
  begin(network: IndexedNetwork, anchors: readonly Token[], to: number): void
  takeTokens(days: readonly TokenDay[]): void
  takePools(days: readonly PoolDay[]): void
}

/**
 * Passes the figures of the 24 hours before `now` (seconds since 1970) to `take`. Returns false if the network is not
 * active.
 */
export async function readLastDay(
  database: Database,
  name: NetworkName,
  now: number,
  take: DayPages,
): Promise<boolean> {
  const { chainId } = NETWORKS[name]
  const span = lastDay(now)
  const read = async (tx: Db) => {
    const network = await findNetwork(tx, name)
    if (network === null) return false
    const { wrappedNative, anchors } = network
    const priced = await readPricedNetwork(tx, chainId, network.covered)
    take.begin(network, await readTokens(tx, chainId, [wrappedNative, ...anchors]), span.to)
    await eachPage(
      (after: Token | null) => readTokenPage(tx, chainId, after?.address ?? null, PAGE_ROWS),
      async (tokens) => take.takeTokens(await readTokenDays(tx, priced, tokens, span)),
    )
    await eachPage(
      (after: PoolRow | null) => readPoolPage(tx, chainId, after?.address ?? null, PAGE_ROWS),
      async (pools) => take.takePools(await readPoolDays(tx, network, pools, span)),
    )
    return true
  }
  return inSnapshot(database, read)
}

async function eachPage<Row>(
  read: (after: Row | null) => Promise<Row[]>,
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  let last: Row | null = null
  for (;;) {
    const rows: Row[] = await read(last)
    if (rows.length > 0) await take(rows)
    last = rows.at(-1) ?? null
    if (rows.length < PAGE_ROWS) return
  }
}

async function readTokenDays(
  db: Db,
  network: PricedNetwork,
  tokens: readonly Token[],
  span: Span,
): Promise<TokenDay[]> {
  const addresses = tokens.map(({ address }) => address)
  const rows = await readRows<TokenDayRow>(db, tokenDays(network.chainId, addresses, span))
  const found = new Map(rows.map((row) => [hexOf(row.token), row]))
  const minutes = new Map(rows.map(({ token, price, before }) => [hexOf(token), [price, ...before]]))
  const pricesOf = await readPricesOfDay(db, network, minutes, span)
  return tokens.map(({ address, decimals }) => {
    const [last = null, ...before] = pricesOf(address)
    const amountOf = (price: WeightedPrice | null) => price?.price ?? null
    const price = priceOf(amountOf(last), before.map(amountOf), decimals)
    const isWeighted = price.priceUsd === null ? null : (last?.isWeighted ?? null)
    return { token: address, ...volumeOf(found.get(address) ?? {}), ...price, isWeighted }
  })
}

async function readPoolDays(
  db: Db,
  network: IndexedNetwork,
  pools: readonly PoolRow[],
  span: Span,
): Promise<PoolDay[]> {
  const { chainId, wrappedNative } = network
  // Hops name the wrapper instead of the native coin.
  const tokenOf = (token: Address) => (token === ZERO_ADDRESS ? wrappedNative : token)
  const requested = pools.map(({ address, ...pool }) => {
    const token0 = tokenOf(pool.token0)
    const token1 = tokenOf(pool.token1)
    const side = moneyRank(token0, network) <= moneyRank(token1, network) ? 0 : 1
    const [base, quote] = side === 0 ? [token0, token1] : [token1, token0]
    return { address, token0, token1, side, base, quote } as const
  })
  // Reads only this page's tokens: those of all pools would dominate this read.
  const tokens = await readTokens(db, chainId, [...new Set(requested.flatMap(({ base, quote }) => [base, quote]))])
  const decimals = new Map(tokens.map(({ address, decimals: of }) => [address, of]))
  const rows = await readRows<PoolDayRow>(db, poolDays(chainId, requested, span))
  const found = new Map<string, PoolDayRow>(rows.map((row) => [row.pool, row]))
  const created = await readCreations(
    db,
    chainId,
    pools.map(({ address }) => address),
  )
  return requested.map(({ address, side, base, quote }) => {
    const { price = null, before = [], ...row } = found.get(address) ?? {}
    const [own = null, other = null] = price ?? []
    const prices = priceOf(
      own,
      before.map((then) => then?.[0] ?? null),
      decimals.get(base),
    )
    const inOther = { price: other, decimals: decimals.get(quote) }
    const priceInQuote = priceInOther({ price: own, decimals: decimals.get(base) }, inOther)
    const createdAt = created.get(address)?.timestamp ?? null
    return { pool: address, createdAt, side, ...volumeOf(row), price: { ...prices, priceInOther: priceInQuote } }
  })
}

export type Moneys = Pick<IndexedNetwork, 'stablecoins' | 'wrappedNative' | 'anchors'>

/** Returns how much a token is money: a stablecoin most, then the coin, then another anchor. */
export function moneyRank(token: Address, { stablecoins, wrappedNative, anchors }: Moneys): number {
  if (stablecoins.includes(token)) return 3
  if (token === wrappedNative || token === ZERO_ADDRESS) return 2
  return anchors.includes(token) ? 1 : 0
}

function lastDay(now: number): Span {
  const to = Math.floor(now / MINUTE_S + 1) * MINUTE_S
  return { from: to - DAY_S, to }
}

function volumeOf({ ages, first = null }: Partial<Pick<TokenDayRow, 'ages' | 'first'>>): DayVolume {
  const day = { trades: 0, unpriced: 0, usdE8: 0n }
  for (const [, trades, unpriced, volume] of ages ?? []) {
    day.trades += trades
    day.unpriced += unpriced
    day.usdE8 += usdE8Of(volume)
  }
  const { usdE8, ...counts } = day
  return { ...counts, volumeUsd: usdText(usdE8), ages: ages ?? [], firstSeen: first }
}

function priceOf(
  price: string | bigint | null,
  before: readonly (string | bigint | null)[],
  decimals: number | null | undefined,
): PriceOfDay {
  const changeSince = (then: string | bigint | null | undefined) =>
    price === null || then == null ? null : changeOf(BigInt(price), BigInt(then))
  return { priceUsd: storedPriceText(price, decimals), changes: CHANGE_AGES_S.map((_, at) => changeSince(before[at])) }
}

function changeOf(price: bigint, before: bigint): string {
  const change = ((price - before) * 100n * 10n ** BigInt(CHANGE_DIGITS)) / before
  const digits = String(change < 0n ? -change : change).padStart(CHANGE_DIGITS + 1, '0')
  return `${change < 0n ? '-' : ''}${digits.slice(0, -CHANGE_DIGITS)}.${digits.slice(-CHANGE_DIGITS)}`
}
