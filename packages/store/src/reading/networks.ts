import { type CoveredRange, NETWORK_NAMES } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import type { CoveredRange as CoveredRangeModel, Network } from '../generated/client.ts'
import { readTogether, type Stored } from '../stored.ts'
import { FRESH_RATES, type FreshRate } from '../tables/backfill-rate.ts'
import { COVERED_RANGES, toCoveredRange } from '../tables/covered-range.ts'
import { ACTIVE_NETWORKS, type NetworkRow, toNetwork } from '../tables/network.ts'
import { UNREAD_COUNTS, type UnreadCount } from '../tables/pool.ts'

/** A network that is being indexed, and how far. */
export interface IndexedNetwork extends NetworkRow {
  /** Blocks of history that are being covered a second; null when nothing was measured within the last minute. */
  backfillBlocksPerS: number | null
  /** Ascending, apart from each other. */
  covered: readonly CoveredRange[]
  /** Pools with trades of the last day whose state is still to be read, and the place of the first by trades. */
  unread: { pools: number; firstPlace: number | null }
}

/** The rows that `toIndexedNetworks` is made of. */
export type NetworkRows = {
  networks: Stored<Network>
  ranges: Stored<CoveredRangeModel>
  rates: FreshRate
  unread: UnreadCount
}

/** The queries for them. */
export const NETWORK_QUERIES = {
  networks: ACTIVE_NETWORKS,
  ranges: COVERED_RANGES,
  rates: FRESH_RATES,
  unread: UNREAD_COUNTS,
}

/** The networks that are being indexed, in the order that breaks ties. */
export async function readNetworks(db: Db): Promise<IndexedNetwork[]> {
  return toIndexedNetworks(await readTogether<NetworkRows>(db, NETWORK_QUERIES))
}

/**
 * What every transaction sees that begins now: the same text, the same rows. It names the transactions that are under
 * way and the next one that will write, of all databases of the server.
 */
export async function readRevision(db: Db): Promise<string> {
  const [row] = await db.$queryRaw<{ revision: string }[]>`SELECT pg_current_snapshot()::text AS revision`
  if (row === undefined) throw new Error('a statement without FROM gives one row')
  return row.revision
}

export function toIndexedNetworks(found: { [Name in keyof NetworkRows]: NetworkRows[Name][] }): IndexedNetwork[] {
  const networks = found.networks.map((row) => ({
    ...toNetwork(row),
    backfillBlocksPerS: found.rates.find((rate) => rate.chain_id === row.chain_id)?.blocks_per_s ?? null,
    covered: found.ranges.filter((range) => range.chain_id === row.chain_id).map(toCoveredRange),
    unread: unreadOf(found.unread.find((count) => count.chain_id === row.chain_id)),
  }))
  return NETWORK_NAMES.flatMap((name) => networks.filter(({ network }) => network === name))
}

function unreadOf(count: UnreadCount | undefined): IndexedNetwork['unread'] {
  return { pools: count?.pools ?? 0, firstPlace: count?.first ?? null }
}
