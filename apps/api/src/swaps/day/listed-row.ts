import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'

export interface RowPlace {
  readonly network: NetworkName
  readonly blockNumber: number
  readonly transactionIndex: number
  readonly position: number
}

export interface ListedRow extends RowPlace {
  /** Of its block, in seconds. */
  readonly time: number
  readonly unpriced: boolean
  readonly flagged: boolean
  readonly json: string
}

export interface RowCounts {
  readonly rows: number
  readonly unpriced: number
  readonly flagged: number
}

export function countRows(rows: readonly ListedRow[]): RowCounts {
  return {
    rows: rows.length,
    unpriced: rows.filter(({ unpriced }) => unpriced).length,
    flagged: rows.filter(({ flagged }) => flagged).length,
  }
}

/** Orders rows as the list does: by block number, network (eth, bsc, polygon), and place in the block. */
export function compareRows(a: RowPlace, b: RowPlace): number {
  return (
    a.blockNumber - b.blockNumber ||
    NETWORK_NAMES.indexOf(a.network) - NETWORK_NAMES.indexOf(b.network) ||
    a.transactionIndex - b.transactionIndex ||
    a.position - b.position
  )
}
