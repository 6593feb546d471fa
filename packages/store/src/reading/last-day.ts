import { type Address, DAY_S, NETWORKS, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { hexOf, readRows } from '../stored.ts'
import { type PoolDayRow, poolDays } from '../tables/rollups/pool-candle.ts'
import { priceText } from '../tables/rollups/price-text.ts'
import { type TokenDayRow, tokenDays } from '../tables/rollups/token-candle.ts'
import { readTokens } from '../tables/token.ts'

const MINUTE_S = 60
/** Of a change in percent. */
const CHANGE_DIGITS = 4

/** The last price of a token, and how it moved. */
interface PriceOfDay {
  /** USD for a whole token, plain decimal; null where no hop has set one, or the decimals are not known. */
  priceUsd: string | null
  /** Percent against the last price a day before, four fractional digits, rounded toward zero; null where one is not known. */
  changePercent: string | null
}

/** What went through in the last 24 hours: whole minutes. */
interface DayVolume {
  volumeUsd: string
  /** Hops, and those of them whose value is not known. */
  trades: number
  unpriced: number
}

export interface TokenDay extends DayVolume, PriceOfDay {
  token: Address
}

/** Which pool, and the tokens whose prices are asked for. */
export interface PoolOfDay {
  address: PoolAddress
  token0: Address
  token1: Address
}

export interface PoolDay extends DayVolume {
  pool: PoolAddress
  token0: PriceOfDay
  token1: PriceOfDay
}

export async function readTokenDays(
  db: Db,
  network: NetworkName,
  tokens: readonly Address[],
  now: number,
): Promise<TokenDay[]> {
  const { chainId } = NETWORKS[network]
  if (tokens.length === 0) return []
  const rows = await readRows<TokenDayRow>(db, tokenDays(chainId, tokens, lastDay(now)))
  const found = new Map(rows.map((row) => [hexOf(row.token), row]))
  const decimals = await decimalsOf(db, chainId, tokens)
  return tokens.map((token) => {
    const { price = null, before = null, ...row } = found.get(token) ?? {}
    return { token, ...volumeOf(row), ...priceOf(price, before, decimals.get(token)) }
  })
}

export async function readPoolDays(
  db: Db,
  network: NetworkName,
  pools: readonly PoolOfDay[],
  now: number,
): Promise<PoolDay[]> {
  const { chainId } = NETWORKS[network]
  if (pools.length === 0) return []
  const rows = await readRows<PoolDayRow>(db, poolDays(chainId, pools, lastDay(now)))
  const found = new Map<string, PoolDayRow>(rows.map((row) => [row.pool, row]))
  const decimals = await decimalsOf(
    db,
    chainId,
    pools.flatMap(({ token0, token1 }) => [token0, token1]),
  )
  return pools.map(({ address, token0, token1 }) => {
    const { price0 = null, price1 = null, before0 = null, before1 = null, ...row } = found.get(address) ?? {}
    return {
      ...{ pool: address, ...volumeOf(row) },
      token0: priceOf(price0, before0, decimals.get(token0)),
      token1: priceOf(price1, before1, decimals.get(token1)),
    }
  })
}

/** The minutes that lie within a day as a whole, with the one that is under way. */
function lastDay(now: number): { from: number; to: number } {
  const to = Math.floor(now / MINUTE_S + 1) * MINUTE_S
  return { from: to - DAY_S, to }
}

async function decimalsOf(db: Db, chainId: number, tokens: readonly Address[]): Promise<Map<Address, number | null>> {
  const known = await readTokens(db, chainId, [...new Set(tokens)])
  return new Map(known.map(({ address, decimals }) => [address, decimals]))
}

function volumeOf({ volume = '0.00000000', trades = 0, unpriced = 0 }: Partial<Omit<TokenDayRow, 'token'>>): DayVolume {
  return { volumeUsd: volume, trades, unpriced }
}

function priceOf(price: string | null, before: string | null, decimals: number | null | undefined): PriceOfDay {
  const priceUsd =
    price === null || decimals === null || decimals === undefined ? null : priceText(BigInt(price), decimals)
  return { priceUsd, changePercent: price === null || before === null ? null : changeOf(BigInt(price), BigInt(before)) }
}

/** Both positive. */
function changeOf(price: bigint, before: bigint): string {
  const change = ((price - before) * 100n * 10n ** BigInt(CHANGE_DIGITS)) / before
  const digits = String(change < 0n ? -change : change).padStart(CHANGE_DIGITS + 1, '0')
  return `${change < 0n ? '-' : ''}${digits.slice(0, -CHANGE_DIGITS)}.${digits.slice(-CHANGE_DIGITS)}`
}
