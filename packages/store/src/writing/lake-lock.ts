import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { asStoreError } from '../store-error.ts'

// Bypasses Prisma, because a program that writes the lake holds a session lock.

export interface LakeLock {
  /** False once the connection, and so the lock, is lost. */
  isHeld(): boolean
  release(): Promise<void>
}

/** Returns null if another program holds the lock. */
export async function lockLakeWriter(database: Database): Promise<LakeLock | null> {
  const client = await database.hold('dexfeed lake').catch((error: unknown) => {
    throw asStoreError(error)
  })
  let isHeld = true
  const lose = () => {
    isHeld = false
  }
  client.on('error', lose)
  client.on('end', lose)
  const release = () => client.end().catch(() => {})
  try {
    const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1, 0) AS held', [
      ADVISORY_LOCKS.lakeWriter,
    ])
    if (rows[0]?.held === true) return { isHeld: () => isHeld, release }
  } catch (error) {
    await release()
    throw asStoreError(error)
  }
  await release()
  return null
}
