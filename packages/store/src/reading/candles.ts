import { type Address, DAY_S, NETWORKS, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { readRows } from '../stored.ts'
import { byInterval, type CandleRow, type Span } from '../tables/rollups/merge-candles.ts'
import { pairCandles, poolCandles } from '../tables/rollups/pool-candle.ts'
import { storedPriceText } from '../tables/rollups/price-text.ts'
import { type PastPriceRow, pricesWithin, tokenCandles } from '../tables/rollups/token-candle.ts'
import { readTokens } from '../tables/token.ts'

export interface CandleSelection {
  network: NetworkName
  token: Address
  /** Within a pool of the token, or against another token; null: all its trades. */
  within: { pool: PoolAddress } | { other: Address } | null
  /** Seconds, a multiple of a minute. */
  interval: number
  /** Seconds since 1970: the start of the first interval, and the end of the last. */
  from: number
  to: number
}

/** The hops of an interval, summed up (docs/internals/candles.md). */
export interface Candle {
  /** First second of the interval. */
  time: number
  /** USD for a whole token, plain decimals; null if no hop set a price, or the decimals are not known. */
  open: string | null
  high: string | null
  low: string | null
  close: string | null
  /** USD, eight fractional digits, of the hops whose value is known. */
  volumeUsd: string
  /** Number of hops, and of hops whose value is not known. */
  trades: number
  unpriced: number
}

/** Returns the intervals with hops, ascending. */
export async function readCandles(db: Db, selection: CandleSelection): Promise<Candle[]> {
  const { network, token, interval } = selection
  const { chainId } = NETWORKS[network]
  const rows = await readRows<CandleRow>(db, byInterval(partsOf(chainId, selection), interval))
  const [known] = rows.length === 0 ? [] : await readTokens(db, chainId, [token])
  return rows.map((row) => toCandle(row, known?.decimals ?? null))
}

function partsOf(chainId: number, { token, within, from, to }: CandleSelection) {
  const span: Span = { from, to }
  if (within === null) return tokenCandles(chainId, token, span)
  if ('pool' in within) return poolCandles(chainId, within.pool, token, span)
  return pairCandles(chainId, token, within.other, span)
}

/** Converts a candle of a token with these decimals. */
export function toCandle(
  { time, open, high, low, close, volume, trades, unpriced }: CandleRow,
  decimals: number | null,
): Candle {
  const text = (price: string | null) => storedPriceText(price, decimals)
  return {
    ...{ time, open: text(open), high: text(high), low: text(low), close: text(close) },
    ...{ volumeUsd: volume, trades, unpriced },
  }
}

/** The price of a token at a moment: that of the last whole minute before with a trade that sets one. */
export interface PastPrice {
  /** USD for a whole token, plain decimals; null if no trade of two days set one, or the decimals are not known. */
  priceUsd: string | null
  /** Seconds since 1970: the end of its minute. */
  time: number | null
}

const MINUTE_S = 60
/** How far back a trade may be that sets a price. */
export const PRICE_LIFE_S = 2 * DAY_S

/** Returns the prices of tokens at a moment (seconds since 1970), by the minutes that are over then. */
export async function readPastPrices(
  db: Db,
  network: NetworkName,
  tokens: readonly Address[],
  at: number,
): Promise<ReadonlyMap<Address, PastPrice>> {
  const { chainId } = NETWORKS[network]
  const to = Math.floor(at / MINUTE_S) * MINUTE_S
  const rows = await readRows<PastPriceRow>(db, pricesWithin(chainId, tokens, { from: to - PRICE_LIFE_S, to }))
  const known = new Map((await readTokens(db, chainId, tokens)).map((token) => [token.address, token.decimals]))
  return new Map(
    rows.map(({ token, price, minute }) => {
      const priceUsd = storedPriceText(price, known.get(token))
      return [token, { priceUsd, time: priceUsd === null || minute === null ? null : minute + MINUTE_S }]
    }),
  )
}
