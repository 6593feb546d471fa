import { CANDLE_INTERVALS, checksumAddress, InvalidRequest, type V1Handlers } from '@dexfeed/contract'
import { type Address, isoTime } from '@dexfeed/dex'
import type { Candle, CandleSelection } from '@dexfeed/store'
import { tradedAs } from '../quote/prices/price-board.ts'
import { checkKnown, indexedOf } from './check-known.ts'
import { readIntervals } from './interval-page.ts'
import type { V1Context } from './v1-context.ts'

type Handler = V1Handlers['listCandles']

export function candles(context: V1Context): Handler {
  const { reader, extent, now } = context
  return async (filters, scan) => {
    const { network, pool, against } = filters
    const { networks, keptSince, tradedSince } = await extent()
    const indexed = indexedOf(network, networks)
    const traded = (token: Address) => tradedAs(network, token, indexed.wrappedNative)
    const tokens = [...new Set(filters.token.map(traded))]
    const limit = Math.floor(scan.limit / tokens.length)
    if (limit === 0) throw new InvalidRequest('limit must be at least the number of tokens', 'invalid_parameter')
    const within = withinOf(filters, traded)
    const interval = CANDLE_INTERVALS[filters.interval]
    const since = Math.max(tradedSince.get(network) ?? now(), keptSince ?? Number.NEGATIVE_INFINITY)
    return readIntervals(filters, { ...scan, limit }, { indexed, interval, since, now: now() }, async (span) => {
      const candles: (Candle & { token: Address })[] = []
      for (const token of tokens) {
        const found = await reader.candles({ network, token, within, interval, ...span })
        if (found.length === 0) await checkKnown(context, [network], { tokens: [token, against], pool })
        candles.push(...found.map((each) => ({ ...each, token })))
      }
      candles.sort((a, b) => a.time - b.time)
      return candles.map(({ token, time, isWeighted, ...candle }) => ({
        token: checksumAddress(token),
        time: isoTime(time),
        open: candle.open,
        high: candle.high,
        low: candle.low,
        close: candle.close,
        weighted: isWeighted,
        ...candleSums(candle),
      }))
    })
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

function withinOf(
  { pool, against }: Parameters<Handler>[0],
  traded: (token: Address) => Address,
): CandleSelection['within'] {
  if (pool !== undefined && against !== undefined) {
    throw new InvalidRequest('pool and against cannot be given together', 'invalid_parameter')
  }
  if (pool !== undefined) return { pool }
  return against === undefined ? null : { other: traded(against) }
}
