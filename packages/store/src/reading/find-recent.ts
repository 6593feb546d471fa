import { dayOf } from '@dexfeed/dex'
import { inOrder } from '../tables/swap/swap-list.ts'
import type { FoundSwap } from '../tables/swap/swap-page.ts'
import { AFTER_ALL, BEFORE_ALL, type SwapBoundary } from '../tables/swap/swap-search.ts'
import type { SwapSearch } from './find-swaps.ts'
import { mergeFound, type NetworkFound, type SwapBoundaries } from './merge-found.ts'
import type { IndexedNetwork } from './networks.ts'

/** The trades of a network from block `floor` to its head, newest first. */
export interface RecentOfNetwork<Trade extends FoundSwap> {
  network: IndexedNetwork
  floor: number
  trades: readonly Trade[]
}

export interface FoundRecent<Trade extends FoundSwap> {
  networks: readonly IndexedNetwork[]
  rows: readonly Trade[]
  reached: SwapBoundaries | null
}

/** Returns the page that `findSwaps` finds for a search from new to old, or null if the given trades do not fill it. */
export function findRecent<Trade extends FoundSwap>(
  recent: readonly RecentOfNetwork<Trade>[],
  { ascending, limit, from, final = false }: Pick<SwapSearch, 'ascending' | 'limit' | 'from' | 'final'>,
  isMatching: (trade: Trade) => boolean,
): FoundRecent<Trade> | null {
  if (ascending || final) return null
  const found: NetworkFound<Trade>[] = []
  for (const { network, floor, trades } of recent) {
    const { head } = network
    // Without a head, trades may still be added anywhere.
    if (head === null) return null
    const start = from?.[network.network] ?? { ...AFTER_ALL, day: dayOf(head.timestamp), blockNumber: head.number }
    const rows: Trade[] = []
    for (const trade of trades) {
      if (rows.length > limit) break
      if (trade.blockNumber <= head.number && isAtOrBelow(start, trade) && isMatching(trade)) rows.push(trade)
    }
    const oldest = trades.at(-1)?.time ?? head.timestamp
    const below = floor === 0 ? BEFORE_ALL : { ...AFTER_ALL, blockNumber: floor - 1 }
    const frontier = { at: { ...below, day: dayOf(oldest) }, time: oldest }
    found.push({ network: network.network, start, rows, frontier })
  }
  const { rows, reached } = mergeFound(found, { ascending, limit })
  // One row more than the page tells that another page follows.
  const isFull = rows.length === limit && found.some((own) => own.rows.length > limit || found.length > 1)
  return isFull ? { networks: recent.map(({ network }) => network), rows, reached } : null
}

function isAtOrBelow(start: SwapBoundary, trade: FoundSwap): boolean {
  const day = dayOf(trade.time)
  return day < start.day || (day === start.day && inOrder(false)(start, trade) <= 0)
}
