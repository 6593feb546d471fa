import { InvalidRequest, type V1Handlers, VOLUME_INTERVALS } from '@dexfeed/contract'
import { isoTime } from '@dexfeed/dex'
import type { IndexedNetwork, VolumeSelection } from '@dexfeed/store'
import { tradedAs } from '../quote/prices/price-board.ts'
import { indexedOf } from '../service/freshness.ts'
import { checkKnown } from './check-known.ts'
import { readIntervals } from './interval-page.ts'
import type { V1Context } from './v1-context.ts'

type Handler = V1Handlers['listVolume']

export function volume(context: V1Context): Handler {
  const { reader, extent, now } = context
  return async (filters, scan, { signal }) => {
    const { network, token, pool, protocol } = filters
    const { networks, tradedSince } = await extent()
    const indexed = indexedOf(network, networks)
    const of = whoseOf(filters, indexed)
    const interval = VOLUME_INTERVALS[filters.interval]
    const since = tradedSince.get(network) ?? now()
    const past = await reader.past(network, signal)
    return readIntervals(filters, scan, { indexed, interval, since, now: now(), past }, async (span) => {
      const found = await reader.volumeSeries({ network, of, interval, ...span }, past)
      if (found.length === 0) await checkKnown(context, [network], { tokens: [token], pool, protocol })
      return found.map(({ time, volumeUsd, trades, unpriced, traders, tradersUnknown }) => ({
        time: isoTime(time),
        volume_usd: volumeUsd,
        trades,
        unpriced_trades: unpriced,
        traders,
        traders_unknown: tradersUnknown,
      }))
    })
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
