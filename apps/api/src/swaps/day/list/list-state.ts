import { createHash } from 'node:crypto'
import type { NetworkName } from '@dexfeed/dex'
import { cellOf } from '@dexfeed/store'
import type { Cell, NetworkDay } from '../network-day.ts'
import { compareBlocks, type RenderedBlock, type RowPlace, rowsBehind } from '../rendered-block.ts'
import type { Segment, SegmentStore } from '../segment-store.ts'

/** The rendered rows of all networks, as of one moment; it never changes. */
export interface ListState {
  readonly days: readonly NetworkDay[]
  /** Where several networks have rows in the same cell: these, in order. Another map: another rendering. */
  readonly merged: ReadonlyMap<number, Segment>
}

/** Which rows. */
export interface Selection {
  /** In seconds: of blocks no older than this. */
  since: number
  network?: NetworkName
  /** Only those behind this place of the list. */
  after?: RowPlace
}

export interface CellOfNetwork {
  cell: Cell
  network: NetworkName
}

export function selectedDays({ days }: ListState, { network }: Pick<Selection, 'network'>): NetworkDay[] {
  return days.filter((day) => network === undefined || day.network.network === network)
}

/** The cells that have selected rows, ascending, each with those of its networks. */
export function* cellsOf(
  days: readonly NetworkDay[],
  { since, after }: Selection,
): Generator<[number, CellOfNetwork[]]> {
  const first = after === undefined ? 0 : cellOf(after.blockNumber)
  const lists = days.map(({ network: { network }, cells }) => ({ network, cells, at: startAt(cells, first) }))
  for (;;) {
    let number = Number.POSITIVE_INFINITY
    for (const { cells, at } of lists) number = Math.min(number, cells[at]?.number ?? Number.POSITIVE_INFINITY)
    if (number === Number.POSITIVE_INFINITY) return
    const found: CellOfNetwork[] = []
    for (const list of lists) {
      const cell = list.cells[list.at]
      if (cell?.number !== number) continue
      list.at++
      if (isInWindow(cell, since)) found.push({ cell, network: list.network })
    }
    if (found.length > 0) yield [number, found]
  }
}

/** Cells follow each other without a gap. */
function startAt(cells: readonly Cell[], first: number): number {
  return Math.max(0, first - (cells[0]?.number ?? 0))
}

function isInWindow({ segment, blocks }: Cell, since: number): boolean {
  return segment === null ? (blocks?.length ?? 0) > 0 : segment.youngest >= since
}

/** The file that has just the rows of a cell; null: there is none. */
export function segmentOf(
  { merged }: Pick<ListState, 'merged'>,
  number: number,
  cells: readonly CellOfNetwork[],
): Segment | null {
  if (cells.some(({ cell }) => cell.segment === null)) return null
  if (cells.length === 1) return cells[0]?.cell.segment ?? null
  const segment = merged.get(number)
  return segment?.name === mergedName(number, cells) ? segment : null
}

/** Of the file that has the rows of these cells, in order. */
export function mergedName(number: number, cells: readonly CellOfNetwork[]): string {
  const parts = cells.map(({ cell, network }) => `${network} ${cell.segment?.digest}`)
  return `merged-${number}-${createHash('sha256').update(parts.join()).digest('base64url').slice(0, 22)}`
}

/** The blocks of a cell with the rows that are selected, in order. */
export async function selectedBlocks(
  cells: readonly CellOfNetwork[],
  { since, after }: Selection,
  store: SegmentStore,
): Promise<RenderedBlock[]> {
  const all: RenderedBlock[] = []
  for (const { cell } of cells) {
    for (const block of cell.segment === null ? (cell.blocks ?? []) : await store.blocks(cell.segment)) {
      const rows = after === undefined ? block : rowsBehind(block, after)
      if (block.time >= since && rows.marks.length > 0) all.push(rows)
    }
  }
  return all.sort(compareBlocks)
}
