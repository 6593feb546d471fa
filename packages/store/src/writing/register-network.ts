import type { BlockPoint, Deployment, Hex } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  fence,
  type NetworkKey,
  type NetworkRow,
  readNetwork,
  setTrusted,
  touchNetwork,
  upsertNetwork,
} from '../tables/network.ts'
import { listsExactly, replaceListedTokens } from '../tables/token.ts'

export interface NetworkRegistration {
  /** Null if no endpoint keeps block 0: then only the stored headers distinguish one chain from another. */
  genesisHash: Hex | null
  deployment: Pick<Deployment, 'wrappedNative'>
  start: BlockPoint
}

/** The row of a network whose nodes have reported the start. */
export interface RegisteredNetwork extends NetworkRow {
  start: BlockPoint
}

/**
 * Inserts the network's row, or reuses it: an earlier start moves the stored one back, a later one leaves it.
 *
 * @throws GenesisMismatch
 */
export async function registerNetwork(
  database: Pick<Database, 'pool' | 'prisma'>,
  network: NetworkKey,
  { genesisHash, deployment: { wrappedNative }, start }: NetworkRegistration,
): Promise<RegisteredNetwork> {
  const known = await readNetwork(database.prisma, network.chainId)
  // Usually the row is reused as it is: then nothing is locked or committed.
  if (known?.active && known.start !== null && known.start.number <= start.number) {
    if (genesisHash === null || genesisHash === known.genesisHash) return { ...known, start: known.start }
  }
  return inTransaction(database, async (tx) => {
    await upsertNetwork(tx, network, { genesisHash, wrappedNative, start })
    const row = await readNetwork(tx, network.chainId)
    if (row?.start == null) throw new Error(`the row of ${network.name} was deleted while it was being registered`)
    return { ...row, start: row.start }
  })
}

/**
 * Sets the trusted tokens, the curated tokens and their symbols to those of a deployment. Call it only while holding
 * the lease: a process that waits for the lease may have another configuration than the writer. If nothing differs,
 * nothing is written.
 *
 * @throws LeaseLost
 */
export async function configureNetwork(
  database: Pick<Database, 'pool' | 'prisma'>,
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
    if (await replaceListedTokens(tx, chainId, tokens)) await touchNetwork(tx, chainId)
  })
}

/** Returns the tokens with a trusted price as one text, in their order. */
function textOf({ wrappedNative, anchors, stablecoins }: Parameters<typeof setTrusted>[2]): string {
  return JSON.stringify([wrappedNative, anchors, stablecoins])
}
