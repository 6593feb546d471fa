import { type BlockPoint, type NetworkName, startOfDay } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { lockCoverage, lockPartitions, lockRows } from '../database/locks.ts'
import { notify } from '../database/notifications.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { NetworkNotRestored } from '../store-error.ts'
import { readBlocks } from '../tables/block.ts'
import { coverRange, isCovered, readCoveredRanges, uncoverBetween } from '../tables/covered-range.ts'
import { oldPartitions } from '../tables/day-partition.ts'
import { deleteDayTotals } from '../tables/day-total.ts'
import { deleteAddressCounts } from '../tables/day-trader.ts'
import { keptSince, lowerKeptSince } from '../tables/kept-days.ts'
import { markLakeDays } from '../tables/lake-day.ts'
import {
  lockNetworks,
  lowerStart,
  NETWORKS_BY_ID,
  type NetworkKey,
  readNetwork,
  touchNetwork,
} from '../tables/network.ts'
import { deleteHours } from '../tables/rollups/hour-volume.ts'
import { readFirstTradeSince } from '../tables/swap/swap.ts'
import { MAX_STEP_BACK_S } from '../tables/swap/swap-hop.ts'
import { deleteWashDays } from '../tables/wash.ts'
import { deleteTrades, moveCounters } from './day-counters.ts'

export interface Restoration {
  /** In days since 1970 (UTC). It is kept from now on, and all later ones. */
  first: number
  /** Of each network that can fill these days in again: its first block in them, and the one before, if it had one. */
  networks: ReadonlyMap<NetworkName, { start: BlockPoint; before: BlockPoint | null }>
}

/**
 * Moves the first kept day back, over days whose rows are wholly gone, and lowers the starts, so that these days are
 * filled in again. They begin anew for all networks, without coverage and counters, because an address may have traded
 * on several networks. Writes nothing while rows of dropped days are left, or if these days are kept already.
 *
 * Commits leave out rows of days that are not kept, and check that once they have locked the rows (`checkLeftOut`). So
 * this locks the rows of all networks.
 *
 * @throws NetworkNotRestored if another network had blocks in these days
 */
export async function restoreDays(
  database: Database,
  restoration: Restoration,
): Promise<'restored' | 'kept' | 'rows-left'> {
  return inTransaction(database, async (tx) => {
    await lockPartitions(tx)
    await lockNetworks(tx)
    for (const { chainId } of NETWORKS_BY_ID) await lockRows(tx, chainId, 'exclusive')
    const since = await keptSince(tx)
    if (since === null || restoration.first >= since) return 'kept'
    if ((await oldPartitions(tx, since)).length > 0) return 'rows-left'
    await beginAnew(tx, restoration, since)
    for (const { chainId, name } of NETWORKS_BY_ID) {
      await touchNetwork(tx, chainId)
      await notify(tx, name)
    }
    return 'restored'
  })
}

async function beginAnew(tx: Db, { first, networks }: Restoration, since: number): Promise<void> {
  const days = new Set(Array.from({ length: since - first }, (_, index) => first + index))
  const firstKept = new Map<number, BlockPoint | null>()
  for (const network of NETWORKS_BY_ID) {
    const { chainId, name } = network
    const proven = startOfDay(since) + MAX_STEP_BACK_S
    const covered = await readCoveredRanges(tx, chainId)
    if (!covered.some(({ fromTime, toTime }) => fromTime < proven && toTime >= startOfDay(first))) continue
    if (!networks.has(name)) throw new NetworkNotRestored(name)
    const kept = await firstBlockSince(tx, chainId, proven)
    // The minute in which block times may decrease is filled in again, too.
    const gone = await deleteTrades(tx, chainId, { from: 0, to: (kept?.number ?? Number.MAX_SAFE_INTEGER) - 1 })
    await moveCounters(tx, network, 'exclusive', { gone })
    for (const { day } of gone.totals) days.add(day)
    firstKept.set(chainId, kept)
  }
  for (const network of NETWORKS_BY_ID) {
    const { chainId, name } = network
    const restored = networks.get(name)
    if (restored === undefined) continue
    const { start, before } = restored
    const kept = firstKept.get(chainId)
    await lockCoverage(tx, chainId)
    if (kept !== undefined) await uncoverBetween(tx, chainId, before, kept)
    await lowerStart(tx, chainId, start)
    if (before !== null) await coverBefore(tx, network, before)
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
async function coverBefore(tx: Db, network: NetworkKey, { number, timestamp }: BlockPoint): Promise<void> {
  const range = { from: number, to: number }
  if (await isCovered(tx, network.chainId, range)) return
  await coverRange(tx, network, { ...range, fromTime: timestamp, toTime: timestamp })
}
