import type { IndexedNetwork } from '@dexfeed/store'
import type { FigureTable } from './table/figure-table.ts'

/** The figures of all tokens and pools of a network; they never change. */
export interface NetworkFigures {
  /** As it was when they were read. */
  readonly network: IndexedNetwork
  readonly tokens: FigureTable
  readonly pools: FigureTable
}
