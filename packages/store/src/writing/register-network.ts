import type { BlockPoint, Deployment, Hex } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { type NetworkKey, type NetworkRow, readNetwork, touchNetwork, upsertNetwork } from '../tables/network.ts'
import { replaceListedTokens } from '../tables/token.ts'

export interface NetworkRegistration {
  /** Null where no endpoint keeps block 0: then the stored headers tell one chain from another. */
  genesisHash: Hex | null
  deployment: Deployment
  /** First block to cover. */
  start: BlockPoint
}

/** The row of a network whose nodes were asked. */
export interface RegisteredNetwork extends NetworkRow {
  start: BlockPoint
}

/**
 * Makes the network's row, or takes it up: an earlier start moves it back, a later one leaves it. The anchors,
 * the curated tokens and their symbols become those of the deployment.
 *
 * @throws GenesisMismatch
 */
export async function registerNetwork(
  database: Pick<Database, 'pool' | 'prisma'>,
  network: NetworkKey,
  { genesisHash, deployment, start }: NetworkRegistration,
): Promise<RegisteredNetwork> {
  return inTransaction(database, async (tx) => {
    const { wrappedNative, stablecoins, anchors } = deployment
    const trusted = { wrappedNative, anchors: [...stablecoins, ...anchors], stablecoins }
    await upsertNetwork(tx, network, { genesisHash, ...trusted, start })
    const { chainId } = network
    if (await replaceListedTokens(tx, chainId, deployment.tokens)) await touchNetwork(tx, chainId)
    const row = await readNetwork(tx, chainId)
    if (row?.start == null) throw new Error(`the row of ${network.name} vanished`)
    return { ...row, start: row.start }
  })
}
