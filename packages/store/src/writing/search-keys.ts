import type { Address, PoolAddress, PoolKey } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { inTransaction } from '../database/transaction.ts'
import { asStoreError } from '../store-error.ts'
import { type KeyProgress, moveKeyProgress } from '../tables/keys/key-search.ts'
import { insertPoolKeys } from '../tables/keys/pool-key.ts'
import type { NetworkKey } from '../tables/network.ts'

// Bypasses Prisma, because a searching process holds a session lock while it reads the chain.

export interface KeysFound {
  manager: Address
  was: KeyProgress
  now: KeyProgress
  /** Verified by the ids of the pools. */
  keys: readonly (readonly [PoolAddress, PoolKey])[]
}

/** Returns false, and writes nothing, if another process has moved the search meanwhile. */
export async function saveKeys(database: Database, chainId: number, { keys, ...move }: KeysFound): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    if (!(await moveKeyProgress(tx, chainId, move))) return false
    await insertPoolKeys(tx, chainId, keys)
    return true
  })
}

/**
 * Runs `step`, or returns false if another process is running one. If the connection, and so the lock, is lost during
 * the step, its result is stored only if no other process has moved the search.
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
