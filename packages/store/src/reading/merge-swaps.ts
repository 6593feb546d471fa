import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import type { SwapPlace, SwapRow } from '../tables/swap/swap-list.ts'

/** Pages of swaps in order, none empty. */
export type SwapPages = AsyncGenerator<SwapRow[], undefined>

/** Place of a swap in the list of all networks. */
export type PlacedSwap = SwapPlace & { network: NetworkName }

const RANK = Object.fromEntries(NETWORK_NAMES.map((network, rank) => [network, rank])) as Record<NetworkName, number>

/** The order of the list: block number, then network (eth, bsc, polygon), transaction, place in the transaction. */
export function compareSwaps(a: PlacedSwap, b: PlacedSwap): number {
  return (
    a.blockNumber - b.blockNumber ||
    RANK[a.network] - RANK[b.network] ||
    a.transactionIndex - b.transactionIndex ||
    a.position - b.position
  )
}

/** The place of `network` behind which the list goes on after `cursor`. */
export function placeAfter(network: NetworkName, cursor: PlacedSwap): SwapPlace {
  const { blockNumber, transactionIndex, position } = cursor
  const order = RANK[network] - RANK[cursor.network]
  if (order === 0) return { blockNumber, transactionIndex, position }
  return order < 0 ? lastPlaceOf(blockNumber) : lastPlaceOf(blockNumber - 1)
}

/** A place behind every swap of the block. */
export function lastPlaceOf(blockNumber: number): SwapPlace {
  return { blockNumber, transactionIndex: MAX_INT4, position: MAX_INT4 }
}

const MAX_INT4 = 2_147_483_647

/** Merges the pages of several networks, each of them already in order; holds one page of each at a time. */
export async function* mergeSwaps(sources: readonly SwapPages[]): AsyncGenerator<SwapRow[], undefined> {
  let heads = (await Promise.all(sources.map(nextPage))).filter((head) => head !== null)
  for (;;) {
    const [only] = heads
    if (only === undefined) return
    if (heads.length === 1) {
      yield only.page.slice(only.at)
      only.at = only.page.length
    } else {
      yield mergeUntilPageEnd(heads)
    }
    heads = (
      await Promise.all(heads.map((head) => (head.at < head.page.length ? head : nextPage(head.source))))
    ).filter((head) => head !== null)
  }
}

interface Head {
  source: SwapPages
  page: SwapRow[]
  at: number
}

async function nextPage(source: SwapPages): Promise<Head | null> {
  const { value } = await source.next()
  return value === undefined ? null : { source, page: value, at: 0 }
}

/** Takes rows in order until one of the pages has no more. */
function mergeUntilPageEnd(heads: readonly Head[]): SwapRow[] {
  const merged: SwapRow[] = []
  for (;;) {
    let least: Head | undefined
    let row: SwapRow | undefined
    for (const head of heads) {
      const candidate = head.page[head.at]
      if (candidate === undefined) return merged
      if (row === undefined || compareSwaps(candidate, row) < 0) {
        least = head
        row = candidate
      }
    }
    if (least === undefined || row === undefined) return merged
    merged.push(row)
    least.at++
  }
}
