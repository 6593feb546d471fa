import {
  type Address,
  DAY_S,
  HOUR_S,
  MINUTE_S,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type Token,
} from '@dexfeed/dex'
import type { Reads } from '../database/transaction.ts'
import { readRows } from '../stored.ts'
import { byInterval, type CandleRow, type OrderFlow } from '../tables/rollups/merge-candles.ts'
import { pairCandles, poolCandles } from '../tables/rollups/pool-candle.ts'
import { storedPriceText } from '../tables/rollups/price-rule.ts'
import { lastValuedMinutes, type ValuedMinuteRow, type VolumeRow } from '../tables/rollups/token-volume.ts'
import { readTokens } from '../tables/token.ts'
import { joinCandles } from './join-past.ts'
import type { Past } from './past.ts'
import { type PricedNetwork, readPricedNetwork, readPricesAt, readTokenIntervals } from './token-prices.ts'

export interface CandleSelection {
  network: NetworkName
  token: Address
  within: { pool: PoolAddress } | { other: Address } | null
  /** Prices are in this token, the other one of the pool's two or of the pair; absent for USD. */
  quote?: Address | undefined
  interval: number
  /** Seconds since 1970; `to` is exclusive. */
  from: number
  to: number
}

export interface Candle {
  time: number
  /** Per whole token; null if no hop set a price or decimals are unknown. */
  open: string | null
  high: string | null
  low: string | null
  close: string | null
  /** Whether the pools are weighted by 24 fully indexed hours; null for a pool or a pair, and without a price. */
  isWeighted: boolean | null
  volumeUsd: string
  trades: number
  unpriced: number
  /** Null while rows of an older version are not filled in. */
  buys: number | null
  sells: number | null
  buyVolumeUsd: string | null
  sellVolumeUsd: string | null
}

/** @param past if given, days that are no longer kept count, too */
export async function readCandles(
  db: Reads,
  { within, ...selection }: CandleSelection,
  past: Past | null = null,
): Promise<Candle[]> {
  const candles =
    within === null
      ? await readTokenCandles(db, selection, past)
      : await readPoolCandles(db, { ...selection, within }, past)
  await past?.assertKept()
  return candles
}

type PoolSelection = CandleSelection & { within: NonNullable<CandleSelection['within']> }

async function readPoolCandles(
  db: Reads,
  { network, token, within, quote, interval, from, to }: PoolSelection,
  past: Past | null,
): Promise<Candle[]> {
  const { chainId } = NETWORKS[network]
  const span = { from, to }
  const inOther = quote !== undefined
  const parts =
    'pool' in within
      ? poolCandles(chainId, within.pool, { token, quote }, span)
      : pairCandles(chainId, { token, other: within.other, inOther }, span)
  const of = 'pool' in within ? { pool: within.pool, other: quote ?? null } : { pool: null, other: within.other }
  const [old, kept] = await Promise.all([
    past?.rows('candles', span, { token, ...of, inOther, seconds: interval }) ?? [],
    readRows<CandleRow>(db, byInterval(parts, interval)),
  ])
  const rows = joinCandles(old, kept)
  const decimals = rows.length === 0 ? null : await decimalsOf(db, chainId, token, quote)
  return rows.map((row) => toCandle(row, row, decimals))
}

async function readTokenCandles(
  db: Reads,
  { network, token, interval, from, to }: Omit<CandleSelection, 'within'>,
  past: Past | null,
): Promise<Candle[]> {
  const { chainId } = NETWORKS[network]
  const options = { seconds: interval, span: { from, to }, past }
  const { intervals, decimals } = await readTokenIntervals(db, chainId, token, options)
  return intervals.map((interval) => toCandle(interval, interval.prices, decimals))
}

/** Returns the decimals of a price: those of the token, less those of the token that pays it. */
async function decimalsOf(db: Reads, chainId: number, token: Address, quote?: Address): Promise<number | null> {
  const stored = await readTokens(db, chainId, quote === undefined ? [token] : [token, quote])
  const decimals = new Map(stored.map((known) => [known.address, known.decimals]))
  const own = decimals.get(token) ?? null
  if (quote === undefined || own === null) return own
  const ofQuote = decimals.get(quote) ?? null
  return ofQuote === null ? null : own - ofQuote
}

const FIRST_LOOK_S = 6 * HOUR_S

/** Returns the last close before `from`; null if there is none since `since`, the start of an interval. */
export async function readCloseBefore(
  db: Reads,
  selection: CandleSelection,
  since: number,
  past: Past | null = null,
): Promise<string | null> {
  let { from: to } = selection
  for (let look = Math.max(FIRST_LOOK_S, selection.interval); to > since; look *= 2) {
    const from = Math.max(since, to - (look - (look % selection.interval)))
    const candles = await readCandles(db, { ...selection, from, to }, past)
    const last = candles.findLast(({ close }) => close !== null)
    if (last !== undefined) return last.close
    to = from
  }
  return null
}

/** In USD per base unit, times 10^42. */
type CandlePrices = Record<'open' | 'high' | 'low' | 'close', string | bigint | null> & { isWeighted?: boolean }

const NO_PRICES: CandlePrices = { open: null, high: null, low: null, close: null }

export function toCandle(
  { time, volume, trades, unpriced, buys, sells, buy_volume, sell_volume }: VolumeRow & OrderFlow,
  prices: CandlePrices | null,
  decimals: number | null,
): Candle {
  const { open, high, low, close, isWeighted = null } = prices ?? NO_PRICES
  const text = (price: string | bigint | null) => storedPriceText(price, decimals)
  return {
    time,
    open: text(open),
    high: text(high),
    low: text(low),
    close: text(close),
    isWeighted,
    volumeUsd: volume,
    trades,
    unpriced,
    buys,
    sells,
    buyVolumeUsd: buy_volume,
    sellVolumeUsd: sell_volume,
  }
}

export interface PastPrice {
  /** USD per whole token; null if no hop of the last two days had a known value, or the decimals are unknown. */
  priceUsd: string | null
  /** End of that minute, in seconds since 1970. */
  time: number | null
  isWeighted: boolean | null
}

export const PRICE_LIFE_S = 2 * DAY_S

/** Returns prices at time `at` (seconds since 1970), using only minutes that have ended by then. */
export async function readPastPrices(
  db: Reads,
  name: NetworkName,
  tokens: readonly Address[],
  at: number,
): Promise<ReadonlyMap<Address, PastPrice>> {
  const { chainId } = NETWORKS[name]
  const to = Math.floor(at / MINUTE_S) * MINUTE_S
  const stored = await readTokens(db, chainId, tokens)
  return readLastPrices(db, await readPricedNetwork(db, chainId), stored, to)
}

export async function readLastPrices(
  db: Reads,
  network: PricedNetwork,
  tokens: readonly Pick<Token, 'address' | 'decimals'>[],
  to: number,
): Promise<Map<Address, PastPrice>> {
  const addresses = tokens.map(({ address }) => address)
  const query = lastValuedMinutes(network.chainId, addresses, { from: to - PRICE_LIFE_S, to })
  const rows = await readRows<ValuedMinuteRow>(db, query)
  const minutes = new Map(rows.flatMap(({ token, minute }) => (minute === null ? [] : [[token, minute] as const])))
  const priceOf = await readPricesAt(db, network, minutes, to)
  return new Map(
    tokens.map(({ address, decimals }): [Address, PastPrice] => {
      const found = priceOf(address)
      const priceUsd = storedPriceText(found?.price ?? null, decimals)
      const minute = minutes.get(address)
      if (found === null || priceUsd === null || minute === undefined) {
        return [address, { priceUsd: null, time: null, isWeighted: null }]
      }
      return [address, { priceUsd, time: minute + MINUTE_S, isWeighted: found.isWeighted }]
    }),
  )
}
