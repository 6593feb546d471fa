import { dateOfDay, dayOf } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { readTogether, secondsOf } from '../stored.ts'
import { dayVolumes } from '../tables/day-total.ts'
import { dayAddresses } from '../tables/day-trader.ts'
import { unjudgedDays, type WashDayFlags, type WashPool, washDays, washPools } from '../tables/wash.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, toIndexedNetworks } from './networks.ts'

interface DayVolume {
  day: string
  addresses: number
  volumeUsd: string
  unpriced: number
  flagged: number
}

export interface Volumes {
  days: DayVolume[]
  washDays: WashDayFlags[]
  /** Whether every day before `last` with trades has been judged for wash trading. */
  allJudged: boolean
  networks: IndexedNetwork[]
}

const WITHOUT_TRADES = { volume: '0.00000000', unpriced: 0, flagged: 0, addresses: 0 }

/** Returns the `count` days that end with `last` (YYYY-MM-DD), newest first. */
export async function readVolumes(db: Db, last: string, count: number): Promise<Volumes> {
  type Rows = NetworkRows & {
    volumes: { day: string; volume: string; unpriced: number; flagged: number }
    addresses: { day: string; addresses: number }
    washDays: WashDayFlags
    unjudged: { days: number }
  }
  const found = await readTogether<Rows>(db, {
    ...NETWORK_QUERIES,
    volumes: dayVolumes(last, count),
    addresses: dayAddresses(last, count),
    washDays: washDays(last, count),
    unjudged: unjudgedDays(last, count),
  })
  const allJudged = found.unjudged[0]?.days === 0
  const newest = dayOf(secondsOf(last))
  const days = Array.from({ length: count }, (_, age): DayVolume => {
    const day = dateOfDay(newest - age)
    const sums = found.volumes.find((row) => row.day === day) ?? WITHOUT_TRADES
    const traders = found.addresses.find((row) => row.day === day) ?? WITHOUT_TRADES
    return { day, addresses: traders.addresses, volumeUsd: sums.volume, unpriced: sums.unpriced, flagged: sums.flagged }
  })
  return { days, washDays: found.washDays, allJudged, networks: toIndexedNetworks(found) }
}

export async function readWashFlags(
  db: Db,
  last: string,
  count: number,
  limit: number,
): Promise<{ days: WashDayFlags[]; pools: WashPool[] }> {
  return readTogether<{ days: WashDayFlags; pools: WashPool }>(db, {
    days: washDays(last, count),
    pools: washPools(last, count, limit),
  })
}
