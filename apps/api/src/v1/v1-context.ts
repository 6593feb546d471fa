import type { V1Row } from '@dexfeed/contract'
import type { Extent, FoundRecent, Reader, SwapSearch, SwapWithHops } from '@dexfeed/store'
import type { CachedRead } from '../http/cache.ts'
import type { PriceBoard } from '../quote/prices/price-board.ts'
import type { QuoteDesk } from '../quote/quote-desk.ts'
import type { Readiness } from '../service/readiness.ts'
import type { CachedProgress } from '../service/service-routes.ts'
import type { TokenCatalog } from '../token-catalog.ts'
import type { CountedCatalog } from './catalog-counts.ts'
import type { FiguresBoard } from './figures/figures-board.ts'

/** What the handlers under `/v1` read from. */
export interface V1Context extends CountedCatalog {
  reader: Reader
  /** Finds a page of trades that are in memory; null if it must be read. */
  recent: { find(search: SwapSearch): FoundRecent<SwapWithHops & { row: Omit<V1Row<'searchSwaps'>, 'final'> }> | null }
  board: FiguresBoard
  desk: QuoteDesk
  catalog: TokenCatalog
  prices: PriceBoard
  standing: CachedProgress
  extent: CachedRead<Extent>
  readiness: Readiness
  /** Returns seconds since 1970. */
  now: () => number
}
