import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { lockLake } from './database/locks.ts'
import { inTransaction } from './database/transaction.ts'
import { readNetworks } from './reading/networks.ts'
import { type RowsOfDay, readRowsOfDay } from './reading/rows-of-day.ts'
import { withStoreErrors } from './store-error.ts'
import { keptSince } from './tables/kept-days.ts'
import { beginLakeDay, confirmLakeDay, forgetLakeDay, readDueLakeDays, readLakeDays } from './tables/lake-day.ts'
import { lockLakeWriter } from './writing/lake-lock.ts'

export type LakeStore = ReturnType<typeof openLakeStore>

/**
 * Returns what the program that writes the lake keeps in the database. Days are counted since 1970 (UTC). Methods reject
 * with a StoreError.
 *
 * To write a day: `beginDay`, read its rows in a snapshot that begins afterwards (checking that the day is still
 * complete), write files and manifest, `confirmDay`.
 */
export function openLakeStore(database: Database) {
  const { prisma } = database
  const idOf = (network: NetworkName) => NETWORKS[network].chainId
  return {
    lockWriter: () => lockLakeWriter(database),
    /** Throws what `work` throws; see `readRowsOfDay`. */
    rowsOfDay: <T>(network: NetworkName, day: number, signal: AbortSignal, work: (rows: RowsOfDay) => Promise<T>) =>
      readRowsOfDay(database, { network, day, signal }, work),
    ...withStoreErrors({
      networks: async () => (await readNetworks(prisma)).map(({ network }) => network),
      /** The first day whose rows are kept, or null if all are. */
      keptSince: () => keptSince(prisma),
      lakeDays: (network: NetworkName) => readLakeDays(prisma, idOf(network)),
      /** Complete days that are not in the lake as they are, oldest first. */
      dueDays: (network: NetworkName) => readDueLakeDays(prisma, idOf(network)),
      /**
       * Returns the new version, which is higher than `newest`, the newest in the bucket. Waits for transactions that
       * change rows of complete days; no other commit waits for it.
       */
      beginDay: (network: NetworkName, day: number, newest = 0) =>
        inTransaction(database, async (tx) => {
          await lockLake(tx, [idOf(network)], 'exclusive')
          return beginLakeDay(tx, idOf(network), day, newest)
        }),
      /** Returns whether the version is what Postgres has; otherwise the day is due again. */
      confirmDay: (network: NetworkName, day: number, version: number) =>
        confirmLakeDay(prisma, idOf(network), day, version),
      /** For a day whose files are lost: it is due again. */
      forgetDay: (network: NetworkName, day: number) => forgetLakeDay(prisma, idOf(network), day),
    }),
  }
}
