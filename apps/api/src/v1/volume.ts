import { InvalidRequest, type V1Handlers, VOLUME_INTERVALS } from '@dexfeed/contract'
import { SECOND } from '@dexfeed/dex'
import type { Reader, VolumeSelection } from '@dexfeed/store'
import { checkIndexed } from './check-indexed.ts'
import { intervalPage, intervalResponse } from './interval-page.ts'

type Handler = V1Handlers['listVolume']

export interface VolumeOptions {
  reader: Pick<Reader, 'volumeSeries' | 'volumesSince' | 'networks'>
  /** Returns the current time in seconds. */
  now: () => number
}

/** Serves `/v1/volume`: trades, traders and volume of a network, a protocol, a pool or a token. */
export function volume({ reader, now }: VolumeOptions): Handler {
  return async (filters, scan) => {
    const { network } = filters
    const whose = whoseOf(filters)
    const networks = await reader.networks()
    checkIndexed(network, networks)
    const interval = VOLUME_INTERVALS[filters.interval]
    const first = Math.floor(((await reader.volumesSince(network)) ?? now()) / interval) * interval
    const to = Math.min(filters.to ?? Number.POSITIVE_INFINITY, now() + 1)
    const page = intervalPage({ interval, from: Math.max(filters.from ?? 0, first), to }, scan)
    const found = await reader.volumeSeries({ network, of: whose, interval, from: page.from, to: page.to })
    const rows = found.map(({ time, volumeUsd, trades, unpriced, traders, tradersUnknown }) => ({
      time: new Date(time * SECOND).toISOString(),
      volume_usd: volumeUsd,
      ...{ trades, unpriced_trades: unpriced, traders, traders_unknown: tradersUnknown },
    }))
    const indexed = networks.filter((one) => one.network === network)
    return intervalResponse(rows, page, scan.order, indexed)
  }
}

function whoseOf({ protocol, pool, token }: Parameters<Handler>[0]): VolumeSelection['of'] {
  if ([protocol, pool, token].filter((one) => one !== undefined).length > 1) {
    throw new InvalidRequest('of protocol, pool and token only one can be given', 'invalid_parameter')
  }
  if (protocol !== undefined) return { protocol }
  if (pool !== undefined) return { pool }
  return token === undefined ? null : { token }
}
