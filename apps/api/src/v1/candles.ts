import { CANDLE_INTERVALS, InvalidRequest, type V1Handlers } from '@dexfeed/contract'
import { SECOND } from '@dexfeed/dex'
import type { CandleSelection, Reader } from '@dexfeed/store'
import { checkIndexed } from './check-indexed.ts'
import { intervalPage, intervalResponse } from './interval-page.ts'

type Handler = V1Handlers['listCandles']

export interface CandlesOptions {
  reader: Pick<Reader, 'candles' | 'keptSince' | 'networks' | 'volumesSince'>
  /** Returns the current time in seconds. */
  now: () => number
}

/** Serves `/v1/candles`: open, high, low, close and volume of a token, from its roll-ups per minute. */
export function candles({ reader, now }: CandlesOptions): Handler {
  return async (filters, scan) => {
    const { network } = filters
    const within = withinOf(filters)
    const networks = await reader.networks()
    checkIndexed(network, networks)
    const interval = CANDLE_INTERVALS[filters.interval]
    const since = Math.max((await reader.volumesSince(network)) ?? now(), (await reader.keptSince()) ?? 0)
    // An interval that began before the first row has only the rows since then.
    const from = Math.max(filters.from ?? 0, Math.floor(since / interval) * interval)
    const to = Math.min(filters.to ?? Number.POSITIVE_INFINITY, now() + 1)
    const page = intervalPage({ interval, from, to }, scan)
    const span = { from: page.from, to: page.to }
    const found = await reader.candles({ network, token: filters.token, within, interval, ...span })
    const rows = found.map(({ time, open, high, low, close, volumeUsd, trades, unpriced }) => ({
      ...{ time: new Date(time * SECOND).toISOString(), open, high, low, close },
      ...{ volume_usd: volumeUsd, swaps: trades, unpriced_swaps: unpriced },
    }))
    const indexed = networks.filter((one) => one.network === network)
    return intervalResponse(rows, page, scan.order, indexed)
  }
}

function withinOf({ pool, against }: Parameters<Handler>[0]): CandleSelection['within'] {
  if (pool !== undefined && against !== undefined) {
    throw new InvalidRequest('pool and against cannot be given together', 'invalid_parameter')
  }
  if (pool !== undefined) return { pool }
  return against === undefined ? null : { other: against }
}
