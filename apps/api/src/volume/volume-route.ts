import type { DayVolume } from '@dexfeed/contract'
import { coversSince, type Reader } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { indexedBlocks, isFresh } from '../service/freshness.ts'
import { dateOf } from './date-of.ts'

const DAYS = 7
const DAY_S = 86_400

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
    const today = time - (time % DAY_S)
    const { days, washDays, networks } = await reader.dayVolumes(dateOf(today), DAYS)
    const since = today - (DAYS - 1) * DAY_S
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
        'X-Wash-Flagged-Volume-Usd': sumOfUsd(washDays.map(({ flaggedVolumeUsd }) => flaggedVolumeUsd)),
        'X-Indexed-Block': indexedBlocks(networks),
      })
      .json(body)
  }
}

/** Exact: every amount has eight fractional digits. */
function sumOfUsd(amounts: readonly string[]): string {
  const sum = amounts.reduce((total, amount) => total + BigInt(amount.replace('.', '')), 0n)
  const digits = sum.toString().padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`
}
