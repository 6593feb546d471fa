import type { Address, BlockRange, Token } from '@dexfeed/dex'
import type { EdgeSnapshot, ListedNetwork, SwapWithHops } from '@dexfeed/store'
import { swapOf } from '../../swaps.ts'
import type { EdgeBlocks, EdgeRow } from './edge-rows.ts'

/** Returns the trades of some blocks, rendered; null if there are more than `limit`. */
export async function readRows(
  snapshot: EdgeSnapshot,
  network: ListedNetwork,
  ranges: readonly BlockRange[],
  limit: number,
): Promise<EdgeBlocks | null> {
  const swaps: SwapWithHops[] = []
  for (const range of ranges) {
    const found = await snapshot.swaps(network, range, limit - swaps.length + 1)
    for (const swap of found) swaps.push(swap)
    if (swaps.length > limit) return null
  }
  const addresses = new Set(swaps.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))
  const tokens = await snapshot.tokens(network.network, [...addresses])
  const known = new Map(tokens.map((token) => [token.address, token]))
  const blocks = new Map<number, EdgeRow[]>()
  for (const swap of swaps) {
    const own = blocks.get(swap.blockNumber)
    if (own === undefined) blocks.set(swap.blockNumber, [rowOf(swap, known)])
    else own.push(rowOf(swap, known))
  }
  return blocks
}

function rowOf(swap: SwapWithHops, tokens: ReadonlyMap<Address, Token>): EdgeRow {
  const { sellToken, sellNative, buyToken, buyNative } = swap
  const named = [sellNative ? null : sellToken, buyNative ? null : buyToken]
  return {
    swap,
    event: { name: 'swap', json: JSON.stringify(swapOf(swap, tokens)), swap },
    unknown: named.filter((token) => token !== null && !tokens.has(token)) as Address[],
  }
}
