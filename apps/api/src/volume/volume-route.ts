import type { DayVolume } from '@dexfeed/contract'
import { dateOfDay, dayOf, type NetworkName, startOfDay, usdE8Of, usdText } from '@dexfeed/dex'
import { coversSince, type Reader } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { cachedRead, type Dependencies, type Found } from '../http/cache.ts'
import { type CachedResponse, jsonResponse, sendCached } from '../http/cached-response.ts'
import { freshUntil, indexedBlocks, isFresh, missingNetworks } from '../service/freshness.ts'

const DAYS = 7

interface VolumeOptions {
  reader: { dayVolumes: Reader['dayVolumes'] }
  maxAgeS: number
  /** Networks whose absence from the database makes volumes incomplete. */
  expected: readonly NetworkName[]
}

export function volumeRoute(options: VolumeOptions, on: Dependencies): RequestHandler {
  const rendered = cachedRead((now) => readVolumes(options, now), on)
  return async (request, response) => sendCached(request, response, await rendered())
}

async function readVolumes({ reader, maxAgeS, expected }: VolumeOptions, time: number): Promise<Found<CachedResponse>> {
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
    // Until every day is judged, the sum is too small.
    ...(isCovered && allJudged && { 'X-Wash-Flagged-Volume-Usd': usdText(washE8) }),
    'X-Indexed-Block': indexedBlocks(networks),
  })
  const ends = networks.flatMap((network) => (isFresh(network, time, maxAgeS) ? [freshUntil(network, maxAgeS)] : []))
  return { value, until: Math.min(startOfDay(today + 1) - 1, ...ends) }
}
