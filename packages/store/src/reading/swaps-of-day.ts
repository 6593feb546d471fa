import { type Address, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { textRows, withSnapshot } from '../database/reading-session.ts'
import { type SwapBoundary, scanOfDay, toFoundSwap } from '../tables/swap/swap-search.ts'
import { readTokens } from '../tables/token.ts'
import { type SwapWithHops, withHops } from './find-swaps.ts'
import { boundaryAfter, inOrder } from './merge-found.ts'
import { findNetwork, type IndexedNetwork } from './networks.ts'

const PAGE_ROWS = 5_000

export interface SwapDay {
  network: IndexedNetwork
  pages(): AsyncGenerator<SwapWithHops[], undefined>
  tokens(addresses: readonly Address[]): Promise<Token[]>
}

/** Runs `work` in one snapshot; throws like `withSnapshot`. Returns null if the network is not active. */
export async function readSwapsOfDay<T>(
  database: Database,
  { network: name, day, signal }: { network: NetworkName; day: number; signal: AbortSignal },
  work: (day: SwapDay) => Promise<T>,
): Promise<T | null> {
  return withSnapshot(database, signal, async (tx, client) => {
    const network = await findNetwork(tx, name)
    if (network === null) return null
    const page = async (from: SwapBoundary | null) => {
      const search = { network: name, day, filter: {}, ascending: true, from, limit: PAGE_ROWS }
      const rows = await textRows(client, scanOfDay(search, PAGE_ROWS))
      const found = rows.filter(([mark]) => mark === 't').map(([, , ...row]) => toFoundSwap(name, row))
      return withHops(tx, [network], found.sort(inOrder(true)))
    }
    async function* pages(): AsyncGenerator<SwapWithHops[], undefined> {
      for (let rows = await page(null); ; ) {
        const last = rows.at(-1)
        if (last === undefined) return
        yield rows
        rows = rows.length < PAGE_ROWS ? [] : await page(boundaryAfter(last, true))
      }
    }
    return work({ network, pages, tokens: (addresses) => readTokens(tx, NETWORKS[name].chainId, addresses) })
  })
}
