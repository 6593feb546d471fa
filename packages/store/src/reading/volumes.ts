import { Counts, DAY_S, dateOfDay, dayOf, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import type { Prisma } from '../generated/client.ts'
import { readRows, readTogether, secondsOf } from '../stored.ts'
import { ALL_TRADES } from '../tables/day-counts.ts'
import { dayVolumes, tradesOfDays } from '../tables/day-total.ts'
import { dayAddresses, networkTraders } from '../tables/day-trader.ts'
import { keptSinceTime } from '../tables/kept-days.ts'
import { hourVolumes, volumesBy } from '../tables/rollups/hour-volume.ts'
import type { Span } from '../tables/rollups/merge-candles.ts'
import { poolVolumes } from '../tables/rollups/pool-candle.ts'
import { tokenVolumes, type VolumeRow } from '../tables/rollups/token-volume.ts'
import { countTraders, MAX_COUNTED, type TradesOf } from '../tables/swap/trader-count.ts'
import { unjudgedDays, type WashDayFlags, type WashPool, washDays, washPools } from '../tables/wash.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, toIndexedNetworks } from './networks.ts'
import type { Past } from './past.ts'

interface DayVolume {
  day: string
  addresses: number
  volumeUsd: string
  unpriced: number
  flagged: number
}

interface Volumes {
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

export interface VolumeSelection {
  network: NetworkName
  of: TradesOf
  interval: number
  /** Seconds since 1970; `to` is exclusive. */
  from: number
  to: number
}

interface VolumeInterval {
  time: number
  /** Number of trades for a whole network, otherwise of hops. `unpriced` of them have no known value. */
  trades: number
  unpriced: number
  volumeUsd: string
  traders: number | null
  tradersUnknown: 'too-many-trades' | 'not-kept' | null
}

/** @param past if given, days that are no longer kept count, too */
export async function readVolumeSeries(
  db: Reads,
  selection: VolumeSelection,
  past: Past | null = null,
): Promise<VolumeInterval[]> {
  const rows = await readSums(db, selection, past)
  const first = rows[0]
  const last = rows.at(-1)
  if (first === undefined || last === undefined) return []
  const tradersOf = await readTraders(db, selection, { from: first.time, to: last.time + selection.interval }, past)
  await past?.assertKept()
  return rows.map(({ volume, ...counts }) => ({ ...counts, volumeUsd: volume, ...tradersOf(counts.time) }))
}

async function readSums(db: Reads, selection: VolumeSelection, past: Past | null): Promise<VolumeRow[]> {
  const { of, interval: seconds } = selection
  const kept = readRows<VolumeRow>(db, sums(selection))
  // Hours of a network and its protocols are not dropped.
  if (past === null || of === null || 'protocol' in of) return kept
  return (await Promise.all([past.rows('volumes', selection, { of, seconds }), kept])).flat()
}

function sums({ network, of, interval, from, to }: VolumeSelection) {
  const { chainId } = NETWORKS[network]
  const span = { from, to }
  if (of === null) return hourVolumes(chainId, ALL_TRADES, interval, span)
  if ('protocol' in of) return hourVolumes(chainId, of.protocol, interval, span)
  return volumesBy('pool' in of ? poolVolumes(chainId, of.pool, span) : tokenVolumes(chainId, of.token, span), interval)
}

type Traders = Pick<VolumeInterval, 'traders' | 'tradersUnknown'>

async function readTraders(
  db: Reads,
  { network, of, interval }: VolumeSelection,
  span: Span,
  past: Past | null,
): Promise<(time: number) => Traders> {
  const { chainId } = NETWORKS[network]
  const first = dayOf(span.from)
  const last = dayOf(span.to - 1)
  if (of === null && interval === DAY_S) {
    const counted = await byTime(db, networkTraders({ chainId, name: network }, first, last))
    return (time) => known(counted.of(time))
  }
  const kept = Math.max(span.from, past?.since ?? (await keptSinceTime(db)) ?? span.from)
  const unlessLeft = (tradersAt: (time: number) => Traders) => (time: number) =>
    time < kept ? ({ traders: null, tradersUnknown: 'not-kept' } as const) : tradersAt(time)
  if ((await tradesOfDays(db, chainId, dayOf(kept), last)) > MAX_COUNTED) {
    return unlessLeft(() => ({ traders: null, tradersUnknown: 'too-many-trades' }))
  }
  const from = Math.max(kept, past?.keptSince ?? kept)
  const [old, counted] = await Promise.all([
    past?.rows('traders', { from: kept, to: span.to }, { of, seconds: interval }) ?? [],
    byTime(db, countTraders(chainId, of, interval, { from, to: span.to })),
  ])
  for (const { time, traders } of old) counted.set(time, traders)
  return unlessLeft((time) => known(counted.of(time)))
}

function known(traders: number): Traders {
  return { traders, tradersUnknown: null }
}

async function byTime(db: Reads, query: Prisma.Sql): Promise<Counts<number>> {
  const rows = await readRows<{ time: number; traders: number }>(db, query)
  return new Counts(rows.map(({ time, traders }) => [time, traders]))
}
