import { type Address, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { withSnapshot } from '../database/reading-session.ts'
import { readPage, type SwapWithHops } from '../tables/swap/swap-page.ts'
import { type SwapBoundary, swapsOfDay } from '../tables/swap/swap-search.ts'
import { readTokens } from '../tables/token.ts'
import { boundaryAfter, edgeOf } from './merge-found.ts'
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
  return withSnapshot(database, signal, async (tx) => {
    const network = await findNetwork(tx, name)
    if (network === null) return null
    const page = (from: SwapBoundary) => readPage(tx, swapsOfDay(name, from, PAGE_ROWS))
    async function* pages(): AsyncGenerator<SwapWithHops[], undefined> {
      for (let rows = await page(edgeOf(day, true).at); ; ) {
        const last = rows.at(-1)
        if (last === undefined) return
        yield rows
        rows = rows.length < PAGE_ROWS ? [] : await page(boundaryAfter(last, true))
      }
    }
    return work({ network, pages, tokens: (addresses) => readTokens(tx, NETWORKS[name].chainId, addresses) })
  })
}
