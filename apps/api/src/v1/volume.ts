import { InvalidRequest, type V1Handlers, VOLUME_INTERVALS } from '@dexfeed/contract'
import { SECOND } from '@dexfeed/dex'
import type { Extent, IndexedNetwork, Reader, VolumeSelection } from '@dexfeed/store'
import type { CachedRead } from '../http/cache.ts'
import { tradedAs } from '../quote/prices/price-board.ts'
import { checkIndexed } from './check-indexed.ts'
import { checkKnown, type KnownOptions, type KnownReader } from './check-known.ts'
import { intervalPage, intervalResponse } from './interval-page.ts'

type Handler = V1Handlers['listVolume']

interface VolumeReader extends KnownReader {
  volumeSeries: Reader['volumeSeries']
}

export interface VolumeOptions extends KnownOptions {
  reader: VolumeReader
  extent: CachedRead<Extent>
  now: () => number
}

export function volume(options: VolumeOptions): Handler {
  const { reader, extent, now } = options
  return async (filters, scan) => {
    const { network, token, pool, protocol } = filters
    const { networks, tradedSince } = await extent()
    const indexed = checkIndexed(network, networks)
    const whose = whoseOf(filters, indexed)
    const interval = VOLUME_INTERVALS[filters.interval]
    const first = Math.floor((tradedSince.get(network) ?? now()) / interval) * interval
    const to = Math.min(filters.to ?? Number.POSITIVE_INFINITY, now() + 1)
    const page = intervalPage({ interval, from: Math.max(filters.from ?? Number.NEGATIVE_INFINITY, first), to }, scan)
    const found = await reader.volumeSeries({ network, of: whose, interval, from: page.from, to: page.to })
    if (found.length === 0) await checkKnown(options, [network], { tokens: [token], pool, protocol })
    const rows = found.map(({ time, volumeUsd, trades, unpriced, traders, tradersUnknown }) => ({
      time: new Date(time * SECOND).toISOString(),
      volume_usd: volumeUsd,
      trades,
      unpriced_trades: unpriced,
      traders,
      traders_unknown: tradersUnknown,
    }))
    return intervalResponse(rows, page, scan.order, [indexed])
  }
}

function whoseOf(
  { network, protocol, pool, token }: Parameters<Handler>[0],
  { wrappedNative }: IndexedNetwork,
): VolumeSelection['of'] {
  if ([protocol, pool, token].filter((each) => each !== undefined).length > 1) {
    throw new InvalidRequest('of protocol, pool and token only one can be given', 'invalid_parameter')
  }
  if (protocol !== undefined) return { protocol }
  if (pool !== undefined) return { pool }
  return token === undefined ? null : { token: tradedAs(network, token, wrappedNative) }
}
