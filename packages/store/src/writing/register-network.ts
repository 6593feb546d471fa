import { type BlockPoint, type Deployment, type Dex, type Hex, ownFees } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { notify } from '../database/notifications.ts'
import { inTransaction } from '../database/transaction.ts'
import { markWholeLake } from '../tables/lake-day.ts'
import { endHours } from '../tables/liquidity-hour.ts'
import {
  fence,
  type NetworkKey,
  type NetworkRow,
  readNetwork,
  setTrusted,
  touchNetwork,
  upsertNetwork,
} from '../tables/network.ts'
import { hasOtherFees, updateFees } from '../tables/pool.ts'
import { deleteMisreadStates, hasMisreadStates } from '../tables/pool-state.ts'
import { deleteTicksOf } from '../tables/pool-tick.ts'
import { listsExactly, replaceListedTokens } from '../tables/token.ts'
import { addUnreadPools } from '../tables/unread-pool.ts'
import { noteWholeRollback } from './roll-back.ts'

export interface NetworkRegistration {
  genesisHash: Hex | null
  deployment: Pick<Deployment, 'wrappedNative'>
  start: BlockPoint
}

interface RegisteredNetwork extends NetworkRow {
  start: BlockPoint
}

/** An earlier start lowers the stored one; a later start is ignored. Throws GenesisMismatch. */
export async function registerNetwork(
  database: Database,
  network: NetworkKey,
  { genesisHash, deployment: { wrappedNative }, start }: NetworkRegistration,
): Promise<RegisteredNetwork> {
  const stored = await readNetwork(database.prisma, network.chainId)
  // Usually the stored row is up to date, so nothing has to be locked or committed.
  if (stored?.active && stored.start !== null && stored.start.number <= start.number) {
    if (genesisHash === null || genesisHash === stored.genesisHash) return { ...stored, start: stored.start }
  }
  return inTransaction(database, async (tx) => {
    await upsertNetwork(tx, network, { genesisHash, wrappedNative, start })
    const row = await readNetwork(tx, network.chainId)
    if (row?.start == null) throw new Error(`the row of ${network.name} was deleted while it was being registered`)
    return { ...row, start: row.start }
  })
}

/**
 * Call it only while holding the lease: a process that waits for the lease may be configured differently. Throws
 * LeaseLost.
 */
export async function configureNetwork(
  database: Database,
  network: NetworkKey,
  epoch: number,
  { wrappedNative, stablecoins, anchors, tokens }: Omit<Deployment, 'dexes' | 'finalityDepth'>,
): Promise<void> {
  const { chainId } = network
  const trusted = { wrappedNative, anchors: [...stablecoins, ...anchors], stablecoins }
  const { prisma } = database
  const row = await readNetwork(prisma, chainId)
  const isTrusted = row !== null && textOf(row) === textOf(trusted)
  if (isTrusted && (await listsExactly(prisma, chainId, tokens))) return
  await inTransaction(database, async (tx) => {
    await fence(tx, network, epoch)
    await setTrusted(tx, chainId, trusted)
    const { isChanged, hasOtherDecimals } = await replaceListedTokens(tx, chainId, tokens)
    if (isChanged) await touchNetwork(tx, chainId)
    // Files have prices that follow from anchors, and doubles that follow from decimals.
    if (hasOtherDecimals || !isTrusted) await markWholeLake(tx, chainId)
  })
}

function textOf({ wrappedNative, anchors, stablecoins }: Parameters<typeof setTrusted>[2]): string {
  return JSON.stringify([wrappedNative, anchors, stablecoins])
}

/**
 * Deletes states that were read under a different configured fee, so that they are read again, and states of pools
 * whose DEX is no longer configured. Readers treat this like a rollback. Throws LeaseLost.
 *
 * Call it only while holding the lease: another writer would write the deleted states again.
 */
export async function alignFees(
  database: Database,
  network: NetworkKey,
  epoch: number,
  dexes: readonly Dex[],
): Promise<void> {
  const { chainId, name } = network
  const fees = ownFees(dexes)
  const rules = { fees, factories: dexes.map(({ factory }) => factory) }
  const { prisma } = database
  // Usually nothing differs, so nothing has to be locked or committed.
  if (!(await hasOtherFees(prisma, chainId, fees)) && !(await hasMisreadStates(prisma, chainId, rules))) return
  await inTransaction(database, async (tx) => {
    await fence(tx, network, epoch)
    await updateFees(tx, chainId, fees)
    const forgotten = await deleteMisreadStates(tx, chainId, rules)
    const pools = forgotten.map(({ pool }) => pool)
    await deleteTicksOf(tx, chainId, pools)
    await endHours(tx, chainId)
    const unread = forgotten.flatMap(({ pool, isQuoted }) => (isQuoted ? [pool] : []))
    await addUnreadPools(tx, chainId, unread, null)
    await noteWholeRollback(tx, chainId)
    await notify(tx, name)
  })
}
