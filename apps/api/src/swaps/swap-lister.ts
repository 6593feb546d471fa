import type { Address, NetworkName } from '@dexfeed/dex'
import type { IndexedNetwork, SwapRow } from '@dexfeed/store'
import { type CatalogToken, nativeToken, type TokenCatalog } from '../token-catalog.ts'

/** A row that can be listed, with both of its tokens. */
export interface ListedSwap {
  row: SwapRow
  sell: CatalogToken
  buy: CatalogToken
}

/** Finds the tokens of rows. Rows with a token whose decimals are unknown cannot be stated and are skipped. */
export type ListSwaps = (rows: readonly SwapRow[]) => Promise<ListedSwap[]>

/** The function for one list: what it has found it remembers, as most rows are of the same few tokens. */
export function swapLister(catalog: Pick<TokenCatalog, 'tokens'>, networks: readonly IndexedNetwork[]): ListSwaps {
  const coins = new Map(networks.map(({ network, wrappedNative }) => [network, nativeToken(network, wrappedNative)]))
  const known = new Map(networks.map(({ network }): [NetworkName, KnownTokens] => [network, new Map()]))
  return async (rows) => {
    await learn(catalog, known, rows)
    const listed: ListedSwap[] = []
    for (const row of rows) {
      const tokens = known.get(row.network)
      const sell = row.sellNative ? coins.get(row.network) : tokens?.get(row.sellToken)
      const buy = row.buyNative ? coins.get(row.network) : tokens?.get(row.buyToken)
      if (sell && buy) listed.push({ row, sell, buy })
    }
    return listed
  }
}

/** Null: the token cannot be stated. */
type KnownTokens = Map<Address, CatalogToken | null>

/** Makes every token of the rows known. */
async function learn(
  catalog: Pick<TokenCatalog, 'tokens'>,
  known: ReadonlyMap<NetworkName, KnownTokens>,
  rows: readonly SwapRow[],
): Promise<void> {
  const missing = new Map<NetworkName, Set<Address>>()
  const miss = (network: NetworkName, address: Address) => {
    const addresses = missing.get(network)
    if (addresses === undefined) missing.set(network, new Set([address]))
    else addresses.add(address)
  }
  for (const { network, sellToken, sellNative, buyToken, buyNative } of rows) {
    const tokens = known.get(network)
    if (!sellNative && !tokens?.has(sellToken)) miss(network, sellToken)
    if (!buyNative && !tokens?.has(buyToken)) miss(network, buyToken)
  }
  for (const [network, addresses] of missing) {
    const found = await catalog.tokens(network, addresses)
    for (const address of addresses) known.get(network)?.set(address, found.get(address) ?? null)
  }
}
