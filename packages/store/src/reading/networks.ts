import {
  type BlockRange,
  type CoveredRange,
  countBlocks,
  NETWORK_NAMES,
  type NetworkName,
  sharedRanges,
} from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import type { CoveredRange as CoveredRangeModel, Network, UnknownHeader } from '../generated/client.ts'
import { readTogether, type Stored } from '../stored.ts'
import { COVERED_RANGES, toCoveredRanges, toOldRanges } from '../tables/covered-range.ts'
import { KEPT_DAYS, type KeptDaysRow, toKeptSinceTime } from '../tables/kept-days.ts'
import { ACTIVE_NETWORKS, type NetworkRow, toNetwork } from '../tables/network.ts'
import { FIRST_HOURS } from '../tables/rollups/hour-volume.ts'
import { FRESH_RATES, type FreshRate } from '../tables/status/backfill-rate.ts'
import { toUnknownHeaders, UNKNOWN_HEADERS, type UnknownHeadersSince } from '../tables/status/unknown-header.ts'
import { UNREAD_COUNTS, type UnreadCount } from '../tables/unread-pool.ts'

export interface IndexedNetwork extends NetworkRow {
  covered: readonly CoveredRange[]
}

export interface NetworkProgress extends IndexedNetwork {
  oldBlocks: number
  /** Null if not measured within the last minute. */
  backfillBlocksPerS: number | null
  unread: { pools: number; firstPlace: number | null }
  unknownHeaders: UnknownHeadersSince | null
}

export type NetworkRows = { networks: Stored<Network>; ranges: Stored<CoveredRangeModel> }

export const NETWORK_QUERIES = { networks: ACTIVE_NETWORKS, ranges: COVERED_RANGES }

export async function readNetworks(db: Reads): Promise<IndexedNetwork[]> {
  return toIndexedNetworks(await readTogether<NetworkRows>(db, NETWORK_QUERIES))
}

/** What is stored of the networks. Times are seconds since 1970. */
export interface Extent {
  networks: readonly IndexedNetwork[]
  /** The first second whose rows are kept; null if all are. */
  keptSince: number | null
  /** The first hour with trades, in seconds; no entry without trades. */
  tradedSince: ReadonlyMap<NetworkName, number>
}

export async function readExtent(db: Reads): Promise<Extent> {
  type Rows = NetworkRows & { kept: KeptDaysRow; hours: { chain_id: number; hour: number } }
  const found = await readTogether<Rows>(db, { ...NETWORK_QUERIES, kept: KEPT_DAYS, hours: FIRST_HOURS })
  const networks = toIndexedNetworks(found)
  const tradedSince = new Map(
    networks.flatMap(({ network, chainId }) =>
      found.hours.filter(({ chain_id }) => chain_id === chainId).map(({ hour }) => [network, hour] as const),
    ),
  )
  return { networks, keptSince: toKeptSinceTime(found.kept), tradedSince }
}

export async function findNetwork(db: Db, name: NetworkName): Promise<IndexedNetwork | null> {
  return (await readNetworks(db)).find(({ network }) => network === name) ?? null
}

export async function readNetworkProgress(db: Db): Promise<NetworkProgress[]> {
  type Rows = NetworkRows & { rates: FreshRate; unread: UnreadCount; headers: Stored<UnknownHeader> }
  const more = { rates: FRESH_RATES, unread: UNREAD_COUNTS, headers: UNKNOWN_HEADERS }
  const found = await readTogether<Rows>(db, { ...NETWORK_QUERIES, ...more })
  return toIndexedNetworks(found).map((network) => {
    const isIts = (row: { chain_id: number }) => row.chain_id === network.chainId
    const count = found.unread.find(isIts)
    const headers = found.headers.find(isIts)
    return {
      ...network,
      oldBlocks: countBlocks(oldRanges(network, found.ranges.filter(isIts))),
      backfillBlocksPerS: found.rates.find(isIts)?.blocks_per_s ?? null,
      unread: count === undefined ? { pools: 0, firstPlace: null } : { pools: count.pools, firstPlace: count.first },
      unknownHeaders: headers === undefined ? null : toUnknownHeaders(headers),
    }
  })
}

function oldRanges({ start, finalNumber }: IndexedNetwork, stored: readonly Stored<CoveredRangeModel>[]): BlockRange[] {
  if (start === null || finalNumber === null) return []
  return sharedRanges(toOldRanges(stored), { from: start.number, to: finalNumber })
}

/**
 * Returns a text that identifies the snapshot of a transaction that begins now. It also changes with transactions in
 * other databases of the server.
 */
export async function readRevision(db: Db): Promise<string> {
  const [row] = await db.$queryRaw<{ revision: string }[]>`SELECT pg_current_snapshot()::text AS revision`
  if (row === undefined) throw new Error('a statement without FROM gives one row')
  return row.revision
}

/** Returns networks in the order of NETWORK_NAMES, without those that only a newer release knows. */
export function toIndexedNetworks(found: { [Name in keyof NetworkRows]: NetworkRows[Name][] }): IndexedNetwork[] {
  const networks = found.networks.map((row) => ({
    ...toNetwork(row),
    covered: toCoveredRanges(found.ranges.filter((range) => range.chain_id === row.chain_id)),
  }))
  return NETWORK_NAMES.flatMap((name) => networks.filter(({ network }) => network === name))
}
