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
import { listsJust, replaceListedTokens } from '../tables/token.ts'

export interface NetworkRegistration {
  /** Null where no endpoint keeps block 0: then the stored headers tell one chain from another. */
  genesisHash: Hex | null
  deployment: Pick<Deployment, 'wrappedNative'>
  /** First block to cover. */
  start: BlockPoint
}

/** The row of a network whose nodes were asked. */
export interface RegisteredNetwork extends NetworkRow {
  start: BlockPoint
}

/**
 * Makes the network's row, or takes it up: an earlier start moves it back, a later one leaves it.
 *
 * @throws GenesisMismatch
 */
export async function registerNetwork(
  database: Pick<Database, 'pool' | 'prisma'>,
  network: NetworkKey,
  { genesisHash, deployment: { wrappedNative }, start }: NetworkRegistration,
): Promise<RegisteredNetwork> {
  const known = await readNetwork(database.prisma, network.chainId)
  // As a rule it is taken up as it is: then nothing is locked or committed.
  if (known?.active && known.start !== null && known.start.number <= start.number) {
    if (genesisHash === null || genesisHash === known.genesisHash) return { ...known, start: known.start }
  }
  return inTransaction(database, async (tx) => {
    await upsertNetwork(tx, network, { genesisHash, wrappedNative, start })
    const row = await readNetwork(tx, network.chainId)
    if (row?.start == null) throw new Error(`the row of ${network.name} vanished`)
    return { ...row, start: row.start }
  })
}

/**
 * Makes the tokens with a trusted price, the curated tokens and their symbols those of a deployment. Not before the
 * lease: who waits for it may be configured otherwise than who writes. Where nothing is otherwise nothing is written.
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
  if (isTrusted && (await listsJust(prisma, chainId, tokens))) return
  await inTransaction(database, async (tx) => {
    await fence(tx, network, epoch)
    await setTrusted(tx, chainId, trusted)
    if (await replaceListedTokens(tx, chainId, tokens)) await touchNetwork(tx, chainId)
  })
}

/** The tokens with a trusted price, in their order. */
function textOf({ wrappedNative, anchors, stablecoins }: Parameters<typeof setTrusted>[2]): string {
  return JSON.stringify([wrappedNative, anchors, stablecoins])
}
