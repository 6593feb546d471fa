import type { Address, PoolAddress, PoolKey } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { inTransaction } from '../database/transaction.ts'
import { asStoreError } from '../store-error.ts'
import { type KeyProgress, moveKeyProgress } from '../tables/keys/key-search.ts'
import { insertPoolKeys } from '../tables/keys/pool-key.ts'
import type { NetworkKey } from '../tables/network.ts'

// Past Prisma: who searches holds a lock of a session while it reads the chain, and Prisma's sessions are its pool's.

/** What one step of the search for keys of a manager's pools found. */
export interface KeysFound {
  manager: Address
  /** As it was read before the step. */
  was: KeyProgress
  now: KeyProgress
  /** Each proven by its pool's id. */
  keys: readonly (readonly [PoolAddress, PoolKey])[]
}

/**
 * Stores the keys and how far the search is, in one transaction.
 *
 * @returns false: another has moved the search meanwhile, and nothing is written
 */
export async function saveKeys(
  database: Pick<Database, 'prisma'>,
  chainId: number,
  { manager, was, now, keys }: KeysFound,
): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    if (!(await moveKeyProgress(tx, chainId, manager, was, now))) return false
    await insertPoolKeys(tx, chainId, keys)
    return true
  })
}

/**
 * Does a step of the network's search for keys unless somebody else is doing one. A connection that is lost meanwhile
 * gives the turn away: what the step stores counts only where the search was not moved.
 *
 * @returns false: somebody is
 */
export async function searchAlone(
  database: Database,
  network: NetworkKey,
  step: () => Promise<void>,
): Promise<boolean> {
  const client = await database.hold(`dexfeed keys ${network.name}`).catch((error: unknown) => {
    throw asStoreError(error)
  })
  try {
    const lock = [ADVISORY_LOCKS.keySearch, network.chainId]
    const { rows } = await client
      .query<{ held: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS held', lock)
      .catch((error: unknown) => {
        throw asStoreError(error)
      })
    if (rows[0]?.held !== true) return false
    await step()
    return true
  } finally {
    await client.end().catch(() => {})
  }
}
