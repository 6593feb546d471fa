import type { DayVolume } from '@dexfeed/contract'
import { dateOfDay, dayOf, type NetworkName, startOfDay, usdE8Of, usdText } from '@dexfeed/dex'
import { coversSince, type Reader } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { type CachedResponse, jsonResponse, sendCached } from '../http/cached-response.ts'
import { CachedRead, type ValidUntil } from '../service/cached-read.ts'
import type { ChangeFeed } from '../service/change-feed.ts'
import { freshUntil, indexedBlocks, isFresh, missingNetworks } from '../service/freshness.ts'

const DAYS = 7

export interface VolumeRouteOptions {
  reader: Pick<Reader, 'dayVolumes'>
  changes: Pick<ChangeFeed, 'subscribe'>
  maxAgeS: number
  /** Returns the current time in seconds. */
  now: () => number
  /** Further networks, beside those in the database, that complete volumes must have. */
  expected: readonly NetworkName[]
}

/**
 * Serves `/api/trade_volume_usd_7d`: today so far and the six days before, newest first. Days are UTC. The response is
 * cached until the database changes, the day ends or a network's head becomes too old.
 */
export function volumeRoute({ changes, now, ...options }: VolumeRouteOptions): RequestHandler {
  const cached = new CachedRead((time) => readVolumes(options, time))
  changes.subscribe(() => cached.invalidate())
  return async (request, response) => {
    const time = now()
    sendCached(request, response, cached.peek(time) ?? (await cached.get(time)))
  }
}

async function readVolumes(
  { reader, maxAgeS, expected }: Pick<VolumeRouteOptions, 'reader' | 'maxAgeS' | 'expected'>,
  time: number,
): Promise<ValidUntil<CachedResponse>> {
  const today = dayOf(time)
  const { days, washDays, allJudged, networks } = await reader.dayVolumes(dateOfDay(today), DAYS)
  const since = startOfDay(today - (DAYS - 1))
  const isCovered = networks.length > 0 && networks.every((network) => coversSince(network, since))
  const isComplete = isCovered && networks.every((network) => isFresh(network, time, maxAgeS))
  const washE8 = washDays.reduce((sum, { flaggedVolumeUsd }) => sum + usdE8Of(flaggedVolumeUsd), 0n)
  const body: DayVolume[] = days.map(({ day, addresses, volumeUsd }) => ({
    date: day,
    address_count: String(addresses),
    trade_volume_usd: volumeUsd,
  }))
  const value = jsonResponse(body, {
    'Cache-Control': 'public, max-age=1',
    'X-Data-Complete': String(isComplete && missingNetworks(expected, networks).length === 0),
    'X-Unpriced-Swaps': String(days.reduce((sum, { unpriced }) => sum + unpriced, 0)),
    'X-Flagged-Swaps': String(days.reduce((sum, { flagged }) => sum + flagged, 0)),
    // Before every day is judged, the sum would be too small.
    ...(isCovered && allJudged && { 'X-Wash-Flagged-Volume-Usd': usdText(washE8) }),
    'X-Indexed-Block': indexedBlocks(networks),
  })
  const ends = networks.flatMap((network) => (isFresh(network, time, maxAgeS) ? [freshUntil(network, maxAgeS)] : []))
  return { value, until: Math.min(startOfDay(today + 1) - 1, ...ends) }
}
