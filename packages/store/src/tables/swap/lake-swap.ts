import type { HopRow } from './swap-hop.ts'
import type { SwapPlace } from './swap-list.ts'
import type { FoundSwap } from './swap-page.ts'
import type { SwapFilter } from './swap-search.ts'

/** A search of a day in the lake. */
export interface LakeSwapSearch {
  filter: Omit<SwapFilter, 'since' | 'until'>
  ascending: boolean
  /** Where the search begins, as in a SwapBoundary; null for the whole day. */
  from: SwapPlace | null
  limit: number
}

export interface LakeSwap extends FoundSwap {
  hops: readonly Omit<HopRow, 'pool'>[]
}

/** A trade, in order, or at the end where the search continues, if the time was up. */
export type LakeSwapRow = LakeSwap | { reached: SwapPlace }
