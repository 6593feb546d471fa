import { type Address, NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import type { IndexedNetwork, SwapRow } from '@dexfeed/store'
import { type CatalogToken, nativeToken, type TokenCatalog } from '../token-catalog.ts'
import { amountDecimal } from './amount-decimal.ts'

/** A value that is not known is written as nothing; how many there are stands in a header. */
export const NO_VALUE = '0.00000000'

/** A row that can be listed, with both of its tokens. */
export interface ListedSwap {
  row: SwapRow
  sell: CatalogToken
  buy: CatalogToken
}

/** Finds the tokens of rows. Rows with a token whose decimals are unknown cannot be stated and are left out. */
export type ListSwaps = (rows: readonly SwapRow[]) => Promise<ListedSwap[]>

export function swapLister(catalog: Pick<TokenCatalog, 'tokens'>, networks: readonly IndexedNetwork[]): ListSwaps {
  const coins = new Map(networks.map(({ network, wrappedNative }) => [network, nativeToken(network, wrappedNative)]))
  return async (rows) => {
    const tokens = await tokensOf(catalog, rows)
    const tokenOf = (network: NetworkName, address: Address, native: boolean) =>
      native ? coins.get(network) : tokens[network]?.get(address)
    return rows.flatMap((row) => {
      const sell = tokenOf(row.network, row.sellToken, row.sellNative)
      const buy = tokenOf(row.network, row.buyToken, row.buyNative)
      return sell && buy ? [{ row, sell, buy }] : []
    })
  }
}

/** One element of the response array. */
export function swapJson({ row, sell, buy }: ListedSwap): string {
  const sold = legJson(sell, row.sellAmount)
  const bought = legJson(buy, row.buyAmount)
  return (
    `{"tx_hash":"${row.txHash}","block_number":"${row.blockNumber}","sell_token":${sold},"buy_token":${bought},` +
    `"trade_volume_usd":"${row.volumeUsd ?? NO_VALUE}"}`
  )
}

function legJson({ jsonPrefix, decimals }: CatalogToken, amount: string): string {
  return `${jsonPrefix},"amount":"${amount}","amount_decimal":"${amountDecimal(amount, decimals)}"}`
}

type Tokens = Partial<Record<NetworkName, Map<Address, CatalogToken | null>>>

async function tokensOf(catalog: Pick<TokenCatalog, 'tokens'>, rows: readonly SwapRow[]): Promise<Tokens> {
  const addresses: Partial<Record<NetworkName, Set<Address>>> = {}
  for (const { network, sellToken, sellNative, buyToken, buyNative } of rows) {
    addresses[network] ??= new Set()
    const set = addresses[network]
    if (!sellNative) set.add(sellToken)
    if (!buyNative) set.add(buyToken)
  }
  const tokens: Tokens = {}
  for (const network of NETWORK_NAMES) {
    const wanted = addresses[network]
    if (wanted !== undefined) tokens[network] = await catalog.tokens(network, wanted)
  }
  return tokens
}
