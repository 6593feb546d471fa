import type { V1Row } from '@dexfeed/contract'
import type { NetworkName } from '@dexfeed/dex'
import type { Extent, FoundRecent, Reader, SwapSearch, SwapWithHops } from '@dexfeed/store'
import type { CachedRead } from '../http/cache.ts'
import type { PriceBoard } from '../quote/prices/price-board.ts'
import type { QuoteDesk } from '../quote/quote-desk.ts'
import type { Readiness } from '../service/readiness.ts'
import type { CachedProgress } from '../service/service-routes.ts'
import type { TokenCatalog } from '../token-catalog.ts'
import type { FiguresBoard } from './figures/figures-board.ts'

export interface V1Options {
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

export interface CatalogCounts {
  protocols: Awaited<ReturnType<Reader['protocols']>>
  tokens: ReadonlyMap<number, number>
}

/** What the handlers under `/v1` read from. */
export interface V1Context extends V1Options {
  counted: CachedRead<CatalogCounts>
  protocols: (network: NetworkName) => Promise<ReadonlySet<string>>
}
