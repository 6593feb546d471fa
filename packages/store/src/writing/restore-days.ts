import { type BlockPoint, dayOf, NETWORK_NAMES, NETWORKS, startOfDay } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { lockCoverage, lockPartitions, lockRows } from '../database/locks.ts'
import { notify } from '../database/notifications.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { readBlocks } from '../tables/block.ts'
import { coverRange, isCovered, readCoveredRanges, uncoverBelow } from '../tables/covered-range.ts'
import { oldPartitions } from '../tables/day-partition.ts'
import { deleteDayTotals } from '../tables/day-total.ts'
import { deleteAddressCounts } from '../tables/day-trader.ts'
import { keptSince, lowerKeptSince } from '../tables/kept-days.ts'
import { markLakeDays } from '../tables/lake-day.ts'
import { lockNetworks, lowerStart, type NetworkKey, readNetwork, touchNetwork } from '../tables/network.ts'
import { deleteHours } from '../tables/rollups/hour-volume.ts'
import { readFirstTradeSince } from '../tables/swap/swap.ts'
import { MAX_STEP_BACK_S } from '../tables/swap/swap-hop.ts'
import { deleteWashDays } from '../tables/wash.ts'
import { deleteTrades, moveCounters } from './day-counters.ts'

interface Restoration {
  /** First block to require. Its day is the first that is kept from now on, unless earlier days are already. */
  start: BlockPoint
  /** The block before it. Null if there is none, or if the network never had earlier blocks. */
  before: BlockPoint | null
}

/** Sorted, so that locks are always taken in the same order. */
const NETWORKS_BY_ID: NetworkKey[] = NETWORK_NAMES.map((name) => ({ name, chainId: NETWORKS[name].chainId })).sort(
  (a, b) => a.chainId - b.chainId,
)

/**
 * Moves the first kept day back, over days whose rows are wholly gone, and lowers the start, so that they are filled in
 * again. These days begin anew for all networks: without coverage and counters, because an address may have traded on
 * several networks. Returns false, without writing anything, while rows of dropped days are left.
 *
 * Commits leave out rows of days that are not kept, and check that once they have locked the rows (`checkLeftOut`). So
 * this locks the rows of all networks.
 */
export async function restoreDays(
  database: Database,
  network: NetworkKey,
  { start, before }: Restoration,
): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    await lockPartitions(tx)
    await lockNetworks(tx)
    for (const { chainId } of NETWORKS_BY_ID) await lockRows(tx, chainId, 'exclusive')
    const since = await keptSince(tx)
    const first = dayOf(start.timestamp)
    if (since !== null && first < since) {
      if ((await oldPartitions(tx, since)).length > 0) return false
      await beginAnew(tx, first, since)
    }
    await lowerStart(tx, network.chainId, start)
    if (before !== null && since !== null) await coverBefore(tx, network, before, Math.min(first, since))
    for (const { chainId, name } of NETWORKS_BY_ID) {
      await touchNetwork(tx, chainId)
      await notify(tx, name)
    }
    return true
  })
}

async function beginAnew(tx: Db, first: number, since: number): Promise<void> {
  const days = new Set(Array.from({ length: since - first }, (_, index) => first + index))
  const firstKept = new Map<number, BlockPoint | null>()
  for (const network of NETWORKS_BY_ID) {
    const { chainId } = network
    const [oldest] = await readCoveredRanges(tx, chainId)
    const proven = startOfDay(since) + MAX_STEP_BACK_S
    if (oldest === undefined || oldest.fromTime >= proven) continue
    const kept = await firstBlockSince(tx, chainId, proven)
    // The minute in which block times may decrease is filled in again, too.
    const gone = await deleteTrades(tx, chainId, { from: 0, to: (kept?.number ?? Number.MAX_SAFE_INTEGER) - 1 })
    await moveCounters(tx, network, 'exclusive', { gone })
    for (const { day } of gone.totals) days.add(day)
    firstKept.set(chainId, kept)
  }
  for (const [chainId, kept] of firstKept) {
    await lockCoverage(tx, chainId)
    const begun = await uncoverBelow(tx, chainId, kept, startOfDay(first))
    if (begun !== null) await lowerStart(tx, chainId, begun)
  }
  await deleteDayTotals(tx, first, since)
  await deleteAddressCounts(tx, first, since)
  await deleteHours(tx, first, since)
  await deleteWashDays(tx, first, since)
  await lowerKeptSince(tx, first)
  const chainIds = NETWORKS_BY_ID.map(({ chainId }) => chainId)
  await markLakeDays(tx, chainIds, [...days])
}

/** Returns the lowest block known to be at this time (seconds) or later. */
async function firstBlockSince(tx: Db, chainId: number, time: number): Promise<BlockPoint | null> {
  const row = await readNetwork(tx, chainId)
  const found = [
    row?.start,
    row?.head,
    await readFirstTradeSince(tx, chainId, time),
    ...(await readBlocks(tx, chainId)),
  ]
  const later = found.flatMap((block) => (block != null && block.timestamp >= time ? [block] : []))
  return later.reduce<BlockPoint | null>(
    (low, block) => (low === null || block.number < low.number ? block : low),
    null,
  )
}

/**
 * A block on each side proves that a day is complete. This one is of a day that is not kept, so it has no rows to fill
 * in.
 */
async function coverBefore(
  tx: Db,
  network: NetworkKey,
  { number, timestamp }: BlockPoint,
  since: number,
): Promise<void> {
  const range = { from: number, to: number }
  if (dayOf(timestamp) >= since || (await isCovered(tx, network.chainId, range))) return
  await lockCoverage(tx, network.chainId)
  await coverRange(tx, network, { ...range, fromTime: timestamp, toTime: timestamp })
}
