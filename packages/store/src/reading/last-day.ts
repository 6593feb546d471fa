import {
  type Address,
  DAY_S,
  MINUTE_S,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type Token,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type Db, inSnapshot } from '../database/transaction.ts'
import { hexOf, readRows } from '../stored.ts'
import { type PoolRow, readPoolPage } from '../tables/pool.ts'
import { CHANGE_AGES_S, type Span } from '../tables/rollups/merge-candles.ts'
import { type PoolDayRow, poolDays } from '../tables/rollups/pool-candle.ts'
import { storedPriceText } from '../tables/rollups/price-rule.ts'
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
  /** Minute of the first hop that is still stored, in seconds since 1970. */
  firstSeen: number | null
}

export interface TokenDay extends DayVolume, TokenPriceOfDay {
  token: Address
}

export interface PoolDay extends DayVolume {
  pool: PoolAddress
  token0: PriceOfDay
  token1: PriceOfDay
}

export interface DayPages {
  /** Called first, and again whenever the read restarts. `anchors` has the stored anchors and the wrapped coin. */
  begin(network: IndexedNetwork, anchors: readonly Token[]): void
  takeTokens(days: readonly TokenDay[]): void
  takePools(pools: readonly PoolRow[], days: readonly PoolDay[]): void
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
    take.begin(network, await readTokens(tx, chainId, [wrappedNative, ...anchors]))
    await eachPage(
      (after: Token | null) => readTokenPage(tx, chainId, after?.address ?? null, PAGE_ROWS),
      async (tokens) => take.takeTokens(await readTokenDays(tx, priced, tokens, span)),
    )
    await eachPage(
      (after: PoolRow | null) => readPoolPage(tx, chainId, after?.address ?? null, PAGE_ROWS),
      async (pools) => take.takePools(pools, await readPoolDays(tx, network, pools, span)),
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
  { chainId, wrappedNative }: IndexedNetwork,
  pools: readonly PoolRow[],
  span: Span,
): Promise<PoolDay[]> {
  // Hops name the wrapper instead of the native coin.
  const tokenOf = (token: Address) => (token === ZERO_ADDRESS ? wrappedNative : token)
  const requested = pools.map(({ address, token0, token1 }) => ({
    address,
    token0: tokenOf(token0),
    token1: tokenOf(token1),
  }))
  // Reads only this page's tokens: those of all pools would dominate this read.
  const tokens = await readTokens(db, chainId, [
    ...new Set(requested.flatMap(({ token0, token1 }) => [token0, token1])),
  ])
  const decimals = new Map(tokens.map(({ address, decimals: of }) => [address, of]))
  const rows = await readRows<PoolDayRow>(db, poolDays(chainId, requested, span))
  const found = new Map<string, PoolDayRow>(rows.map((row) => [row.pool, row]))
  return requested.map(({ address, token0, token1 }) => {
    const { price = null, before = [], ...row } = found.get(address) ?? {}
    const ofSide = (side: 0 | 1, token: Address) =>
      priceOf(
        price?.[side] ?? null,
        before.map((then) => then?.[side] ?? null),
        decimals.get(token),
      )
    return { pool: address, ...volumeOf(row), token0: ofSide(0, token0), token1: ofSide(1, token1) }
  })
}

function lastDay(now: number): Span {
  const to = Math.floor(now / MINUTE_S + 1) * MINUTE_S
  return { from: to - DAY_S, to }
}

type VolumeRow = Partial<Pick<TokenDayRow, 'volume' | 'trades' | 'unpriced' | 'first'>>

function volumeOf({ volume = '0.00000000', trades = 0, unpriced = 0, first = null }: VolumeRow): DayVolume {
  return { volumeUsd: volume, trades, unpriced, firstSeen: first }
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
