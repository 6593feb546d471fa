import { CANDLE_INTERVALS, InvalidRequest, type V1Handlers } from '@dexfeed/contract'
import { type Address, SECOND } from '@dexfeed/dex'
import type { CandleSelection, Extent, Reader } from '@dexfeed/store'
import type { CachedRead } from '../http/cache.ts'
import { tradedAs } from '../quote/prices/price-board.ts'
import { checkIndexed } from './check-indexed.ts'
import { checkKnown, type KnownOptions, type KnownReader } from './check-known.ts'
import { intervalPage, intervalResponse } from './interval-page.ts'

type Handler = V1Handlers['listCandles']

interface CandlesReader extends KnownReader {
  candles: Reader['candles']
}

export interface CandlesOptions extends KnownOptions {
  reader: CandlesReader
  extent: CachedRead<Extent>
  now: () => number
}

export function candles(options: CandlesOptions): Handler {
  const { reader, extent, now } = options
  return async (filters, scan) => {
    const { network, pool } = filters
    const { networks, keptSince, tradedSince } = await extent()
    const indexed = checkIndexed(network, networks)
    const traded = (token: Address) => tradedAs(network, token, indexed.wrappedNative)
    const token = traded(filters.token)
    const within = withinOf(filters, traded)
    const interval = CANDLE_INTERVALS[filters.interval]
    const since = Math.max(tradedSince.get(network) ?? now(), keptSince ?? Number.NEGATIVE_INFINITY)
    // An interval that began before the first kept row contains only the rows since then.
    const from = Math.max(filters.from ?? Number.NEGATIVE_INFINITY, Math.floor(since / interval) * interval)
    const to = Math.min(filters.to ?? Number.POSITIVE_INFINITY, now() + 1)
    const page = intervalPage({ interval, from, to }, scan)
    const span = { from: page.from, to: page.to }
    const found = await reader.candles({ network, token, within, interval, ...span })
    if (found.length === 0) await checkKnown(options, [network], { tokens: [filters.token, filters.against], pool })
    const rows = found.map(({ time, open, high, low, close, isWeighted, volumeUsd, trades, unpriced }) => ({
      time: new Date(time * SECOND).toISOString(),
      open,
      high,
      low,
      close,
      weighted: isWeighted,
      volume_usd: volumeUsd,
      swaps: trades,
      unpriced_swaps: unpriced,
    }))
    return intervalResponse(rows, page, scan.order, [indexed])
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
