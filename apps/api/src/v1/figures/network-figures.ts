import type { IndexedNetwork } from '@dexfeed/store'
import type { FigureTable } from './table/figure-table.ts'

/** The figures of all tokens and pools of a network. Immutable. */
export interface NetworkFigures {
  /** The network as it was when the figures were read. */
  readonly network: IndexedNetwork
  readonly tokens: FigureTable
  readonly pools: FigureTable
}
