import { CANDLE_INTERVALS, checksumAddress, InvalidRequest, type V1Handlers } from '@dexfeed/contract'
import { type Address, DAY_S, intervalStart, isoTime, ZERO_ADDRESS } from '@dexfeed/dex'
import type { Candle, CandleSelection, IndexedNetwork } from '@dexfeed/store'
import { tradedAs } from '../quote/prices/price-board.ts'
import { indexedOf } from '../service/freshness.ts'
import { checkKnown } from './check-known.ts'
import { filled, type ShownCandle } from './fill-candles.ts'
import { readIntervals } from './interval-page.ts'
import { baseAmong, onePool, poolTokens } from './one-pool.ts'
import type { V1Context } from './v1-context.ts'

type Handler = V1Handlers['listCandles']
type Filters = Parameters<Handler>[0]

/** In the lake, the last close before a page is looked for on this many days. */
const MAX_LOOK_BACK_S = 90 * DAY_S

export function candles(context: V1Context): Handler {
  const { reader, extent, now } = context
  return async (filters, scan, { signal }) => {
    const { network, pool, against, fill } = filters
    const { networks, keptSince, tradedSince } = await extent()
    const indexed = indexedOf(network, networks)
    const prices = await pricesOf(context, filters, indexed)
    const limit = Math.floor(scan.limit / prices.length)
    if (limit === 0) throw new InvalidRequest('limit must be at least the number of tokens', 'invalid_parameter')
    const interval = CANDLE_INTERVALS[filters.interval]
    const past = await reader.past(network, signal)
    const since = Math.max(tradedSince.get(network) ?? now(), past?.since ?? keptSince ?? Number.NEGATIVE_INFINITY)
    const shown = async (selected: CandleSelection): Promise<ShownCandle[]> => {
      const { token, from, to } = selected
      const found = await reader.candles(selected, past)
      if (found.length === 0) await checkKnown(context, [network], { tokens: [token, against], pool })
      if (!fill) return found.map((candle) => ({ ...candle, isFilled: false }))
      const begins = found[0]?.time === from && found[0].close !== null
      const first = past === null ? since : Math.max(since, Math.min(past.keptSince, from - MAX_LOOK_BACK_S))
      const close = begins ? null : await reader.closeBefore(selected, intervalStart(first, interval), past)
      return filled(found, { from, to, interval }, close, indexed)
    }
    const reading = { indexed, interval, since, now: now(), past }
    const { span, headers, ...page } = await readIntervals(filters, { ...scan, limit }, reading, async (span) => {
      const found: (ShownCandle & { token: Address })[] = []
      for (const selected of prices) {
        const { token } = selected
        const candles = await shown({ network, interval, ...selected, ...span })
        found.push(...candles.map((candle) => ({ ...candle, token })))
      }
      return found.sort((a, b) => a.time - b.time)
    })
    const rows = page.rows.map(({ token, time, isWeighted, isFilled, ...candle }) => ({
      token: checksumAddress(token),
      time: isoTime(time),
      open: candle.open,
      high: candle.high,
      low: candle.low,
      close: candle.close,
      weighted: isWeighted,
      ...candleSums(candle),
      filled: isFilled,
    }))
    const covers = { 'X-Interval-Span': `${isoTime(span.from)}/${isoTime(span.to)}` }
    return { ...page, rows, headers: { ...headers, ...covers } }
  }
}

type CandleSums = Omit<Candle, 'time' | 'open' | 'high' | 'low' | 'close' | 'isWeighted'>

export function candleSums({ volumeUsd, trades, unpriced, buys, sells, buyVolumeUsd, sellVolumeUsd }: CandleSums) {
  return {
    volume_usd: volumeUsd,
    swaps: trades,
    unpriced_swaps: unpriced,
    buys,
    sells,
    buy_volume_usd: buyVolumeUsd,
    sell_volume_usd: sellVolumeUsd,
  }
}

type Prices = Pick<CandleSelection, 'token' | 'within' | 'quote'>

/** Returns whose prices are requested, and in what. */
async function pricesOf(
  context: V1Context,
  { network, token: requested, pool, against, currency }: Filters,
  { wrappedNative }: IndexedNetwork,
): Promise<Prices[]> {
  if (pool !== undefined && against !== undefined) {
    throw new InvalidRequest('pool and against cannot be given together', 'invalid_parameter')
  }
  const traded = (token: Address) => tradedAs(network, token, wrappedNative)
  const tokens = requested && [...new Set(requested.map(traded))]
  if (pool !== undefined) return pricesInPool(context, { network, pool, currency }, tokens)
  if (tokens === undefined) throw new InvalidRequest('token or pool must be given')
  if (against === undefined) {
    if (currency === 'quote') throw new InvalidRequest('currency=quote needs pool or against')
    return tokens.map((token) => ({ token, within: null }))
  }
  const other = traded(against)
  return tokens.map((token) => ({ token, within: { other }, ...(currency === 'quote' && { quote: other }) }))
}

async function pricesInPool(
  context: V1Context,
  { network, pool, currency }: Pick<Filters, 'network' | 'currency'> & { pool: NonNullable<Filters['pool']> },
  requested: readonly Address[] | undefined,
): Promise<Prices[]> {
  const within = { pool }
  if (requested !== undefined && currency !== 'quote') return requested.map((token) => ({ token, within }))
  const found = await onePool(context, network, pool)
  const { wrappedNative } = found.indexed
  const tokens = poolTokens(found.pool).map((each) => (each === ZERO_ADDRESS ? wrappedNative : each))
  const [first = wrappedNative, second = wrappedNative] = tokens
  return (requested ?? [baseAmong([first, second], found)]).map((token) => {
    if (currency !== 'quote') return { token, within }
    const [quote, ...others] = tokens.filter((each) => each !== token)
    if (quote !== undefined && others.length === 0) return { token, within, quote }
    throw new InvalidRequest('currency=quote needs a token of a pool of two tokens')
  })
}
