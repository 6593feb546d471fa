import { MINUTE_S, type NetworkName } from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { type CachedRead, cachedRead } from '../http/cache.ts'

export interface CatalogCounts {
  protocols: Awaited<ReturnType<Reader['protocols']>>
  tokens: ReadonlyMap<number, number>
}

export interface CountedCatalog {
  counted: CachedRead<CatalogCounts>
  /** Returns the names of the protocols that have pools. */
  protocols: (network: NetworkName) => Promise<ReadonlySet<string>>
}

/** Returns reads of the numbers of pools and tokens, which are counted at most once a minute. */
export function catalogCounts(reader: Pick<Reader, 'protocols' | 'tokenCounts'>, now: () => number): CountedCatalog {
  const counted = cachedRead(
    async (minute) => {
      const value = { protocols: await reader.protocols(), tokens: await reader.tokenCounts() }
      return { value, until: minute }
    },
    { now: () => Math.floor(now() / MINUTE_S) },
  )
  return {
    counted,
    async protocols(network) {
      const stored = (await counted()).protocols.filter((protocol) => protocol.network === network)
      return new Set(stored.map(({ name }) => name))
    },
  }
}
