import { createHash } from 'node:crypto'
import type { NetworkName } from '@dexfeed/dex'
import { cellOf } from '@dexfeed/store'
import type { Cell, NetworkDay } from '../network-day.ts'
import { compareBlocks, type RenderedBlock, type RowPlace, rowsAfter } from '../rendered-block.ts'
import type { Segment, SegmentStore } from '../segment-store.ts'

export interface ListState {
  readonly days: readonly NetworkDay[]
  /** Files of cells in which several networks have rows, by cell. Each rendering has another map. */
  readonly merged: ReadonlyMap<number, Segment>
}

export interface Selection {
  since: number
  network?: NetworkName
  after?: RowPlace
}

export interface CellOfNetwork {
  cell: Cell
  network: NetworkName
}

export function selectedDays({ days }: ListState, { network }: { network?: NetworkName }): NetworkDay[] {
  return days.filter((day) => network === undefined || day.network.network === network)
}

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
  const [oldest] = cells
  return oldest === undefined ? 0 : Math.max(0, first - oldest.number)
}

function isInWindow({ segment, blocks }: Cell, since: number): boolean {
  return segment === null ? blocks !== null && blocks.length > 0 : segment.youngest >= since
}

export interface ListCell {
  number: number
  cells: readonly CellOfNetwork[]
  segment: Segment | null
}

type CellsByNetwork = Map<NetworkName | undefined, readonly ListCell[]>

/** Cells by what the states of one rendering share: only their networks may differ. */
const known = new WeakMap<ListState['merged'], CellsByNetwork>()

export function listCells(state: ListState, network?: NetworkName): readonly ListCell[] {
  const byNetwork: CellsByNetwork = known.get(state.merged) ?? new Map()
  known.set(state.merged, byNetwork)
  const days = selectedDays(state, network === undefined ? {} : { network })
  const found =
    byNetwork.get(network) ??
    Array.from(cellsOf(days, { since: Number.NEGATIVE_INFINITY }), ([number, cells]) => {
      return { number, cells, segment: segmentOf(state, number, cells) }
    })
  byNetwork.set(network, found)
  return found
}

function segmentOf({ merged }: ListState, number: number, cells: readonly CellOfNetwork[]): Segment | null {
  if (cells.some(({ cell }) => cell.segment === null)) return null
  if (cells.length === 1) return cells[0]?.cell.segment ?? null
  const segment = merged.get(number)
  return segment?.name === mergedName(number, cells) ? segment : null
}

export function mergedName(number: number, cells: readonly CellOfNetwork[]): string {
  const parts = cells.map(({ cell, network }) => `${network} ${cell.segment?.digest}`)
  return `merged-${number}-${createHash('sha256').update(parts.join()).digest('base64url').slice(0, 22)}`
}

export async function selectedBlocks(
  cells: readonly CellOfNetwork[],
  { since, after }: Selection,
  store: SegmentStore,
): Promise<RenderedBlock[]> {
  const all: RenderedBlock[] = []
  for (const { cell } of cells) {
    for (const block of cell.segment === null ? (cell.blocks ?? []) : await store.blocks(cell.segment)) {
      const rows = after === undefined ? block : rowsAfter(block, after)
      if (block.time >= since && rows.marks.length > 0) all.push(rows)
    }
  }
  return all.sort(compareBlocks)
}
