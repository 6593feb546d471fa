import type { Address, PoolAddress, PoolKey } from '@dexfeed/dex'
import type { IndexerStore, KeyProgress, NetworkRow } from '@dexfeed/store'

/** Where the search for keys keeps what it met: in the database, for all processes of a network, or in memory. */
export interface KeyShelf extends Pick<IndexerStore, 'poolKeys' | 'keyProgress' | 'saveKeys' | 'searchAlone'> {
  networkRow(): Promise<Pick<NetworkRow, 'finalNumber'> | null>
}

/** A shelf of one process that takes every block for final: for who asks once and goes. */
export function memoryShelf(): KeyShelf {
  const keys = new Map<PoolAddress, PoolKey>()
  const progress = new Map<Address, KeyProgress>()
  return {
    networkRow: async () => ({ finalNumber: Number.MAX_SAFE_INTEGER }),
    async poolKeys(pools) {
      return new Map(
        pools.flatMap((pool) => {
          const key = keys.get(pool)
          return key === undefined ? [] : [[pool, key] as const]
        }),
      )
    },
    async keyProgress(manager) {
      return progress.get(manager) ?? { searched: null, floor: null, inVainAt: null, rounds: 0 }
    },
    async saveKeys(found) {
      for (const [pool, key] of found.keys) keys.set(pool, key)
      progress.set(found.manager, found.now)
      return true
    },
    async searchAlone(step) {
      await step()
      return true
    },
  }
}
