import type { DayVolume } from '@dexfeed/contract'
import { dateOfDay, dayOf, startOfDay, usdE8Of, usdText } from '@dexfeed/dex'
import { coversSince, type Reader } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { indexedBlocks, isFresh } from '../service/freshness.ts'

const DAYS = 7

export interface VolumeRouteOptions {
  reader: Pick<Reader, 'dayVolumes'>
  maxAgeS: number
  /** Seconds. */
  now: () => number
}

/** `/api/trade_volume_usd_7d`: today, running, and the six days before, newest first. Days are UTC. */
export function volumeRoute({ reader, maxAgeS, now }: VolumeRouteOptions): RequestHandler {
  return async (_request, response) => {
    const time = now()
    const today = dayOf(time)
    const { days, washDays, networks } = await reader.dayVolumes(dateOfDay(today), DAYS)
    const since = startOfDay(today - (DAYS - 1))
    const complete = networks.every((network) => coversSince(network, since) && isFresh(network, time, maxAgeS))
    const body: DayVolume[] = days.map(({ day, addresses, volumeUsd }) => ({
      date: day,
      address_count: String(addresses),
      trade_volume_usd: volumeUsd,
    }))
    response
      .set({
        'Cache-Control': 'public, max-age=1',
        'X-Data-Complete': String(networks.length > 0 && complete),
        'X-Unpriced-Swaps': String(days.reduce((sum, { unpriced }) => sum + unpriced, 0)),
        'X-Flagged-Swaps': String(days.reduce((sum, { flagged }) => sum + flagged, 0)),
        'X-Wash-Flagged-Volume-Usd': usdText(
          washDays.reduce((sum, { flaggedVolumeUsd }) => sum + usdE8Of(flaggedVolumeUsd), 0n),
        ),
        'X-Indexed-Block': indexedBlocks(networks),
      })
      .json(body)
  }
}
