import { dayOf } from '@dexfeed/dex'
import { inOrder } from '../tables/swap/swap-list.ts'
import type { FoundSwap } from '../tables/swap/swap-page.ts'
import { AFTER_ALL, BEFORE_ALL, type SwapBoundary } from '../tables/swap/swap-search.ts'
import type { SwapSearch } from './find-swaps.ts'
import { mergeFound, type NetworkFound, type SwapBoundaries } from './merge-found.ts'
import type { IndexedNetwork } from './networks.ts'

/** Takes a few milliseconds of the event loop. */
const MAX_EXAMINED = 6_000
const compare = inOrder(false)

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

/**
 * Returns the page that `findSwaps` finds for a search from new to old, or null if the given trades do not fill it, or if
 * too many would have to be examined.
 */
export function findRecent<Trade extends FoundSwap>(
  recent: readonly RecentOfNetwork<Trade>[],
  { limit, from }: Pick<SwapSearch, 'limit' | 'from'>,
  isMatching: (trade: Trade) => boolean,
): FoundRecent<Trade> | null {
  const found: NetworkFound<Trade>[] = []
  let examined = 0
  for (const { network, floor, trades } of recent) {
    const { head } = network
    // Without a head, trades may still be added anywhere.
    if (head === null) return null
    const start = from?.[network.network] ?? { ...AFTER_ALL, day: dayOf(head.timestamp), blockNumber: head.number }
    const oldest = trades.at(-1)?.time ?? head.timestamp
    const below = { ...(floor === 0 ? BEFORE_ALL : { ...AFTER_ALL, blockNumber: floor - 1 }), day: dayOf(oldest) }
    // The search may continue where a page from the database ended, below these trades.
    const isBehind = start.day < below.day || (start.day === below.day && compare(start, below) > 0)
    const rows: Trade[] = []
    for (const trade of isBehind ? [] : trades) {
      if (rows.length > limit) break
      if (++examined > MAX_EXAMINED) return null
      if (trade.blockNumber <= head.number && isAtOrBelow(start, trade) && isMatching(trade)) rows.push(trade)
    }
    const frontier = { at: isBehind ? start : below, time: oldest }
    found.push({ network: network.network, start, rows, frontier })
  }
  const { rows, reached } = mergeFound(found, { ascending: false, limit })
  // One row beyond the page shows that another page follows.
  const isFull = rows.length === limit && found.some((own) => own.rows.length > limit || found.length > 1)
  return isFull ? { networks: recent.map(({ network }) => network), rows, reached } : null
}

function isAtOrBelow(start: SwapBoundary, trade: FoundSwap): boolean {
  const day = dayOf(trade.time)
  return day < start.day || (day === start.day && compare(start, trade) <= 0)
}
