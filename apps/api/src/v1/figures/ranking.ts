import { NETWORK_NAMES, type NetworkName, type PoolAddress, present } from '@dexfeed/dex'
import { pacer, sortInSteps } from './in-steps.ts'
import { compareWhole, WholeColumn } from './table/columns.ts'
import type { FigureTable, OrderBy } from './table/figure-table.ts'

export interface FigureRow {
  table: FigureTable
  row: number
}

export interface RankedPlace {
  key: bigint | null
  network: NetworkName
  address: PoolAddress
  side: 'before' | 'after'
}

/** The rows of a table in ascending order of a figure; null: in the table's own order. */
export interface Ranking {
  table: FigureTable
  rows: Uint32Array | null
}

export function keyOf({ table, row }: FigureRow, orderBy: OrderBy | null): bigint | null {
  return orderBy === null ? null : table.key(orderBy, row)
}

export async function ranked(table: FigureTable, orderBy: OrderBy | null): Promise<Ranking> {
  if (orderBy === null) return { table, rows: null }
  const rows = Array.from({ length: table.size }, (_, row) => row)
  const keys = new WholeColumn()
  const pause = pacer()
  for (const row of rows) {
    keys.push(table.key(orderBy, row))
    const turned = pause()
    if (turned) await turned
  }
  // Rows are by address, and the sort is stable.
  const sorted = await sortInSteps(rows, (a, b) => keys.compare(a, b))
  return { table, rows: Uint32Array.from(sorted) }
}

const known = new WeakMap<FigureTable, Map<OrderBy | null, Promise<Ranking>>>()

export function ranking(table: FigureTable, orderBy: OrderBy | null): Promise<Ranking> {
  const rankings = known.get(table) ?? new Map<OrderBy | null, Promise<Ranking>>()
  known.set(table, rankings)
  const found = rankings.get(orderBy) ?? ranked(table, orderBy)
  rankings.set(orderBy, found)
  return found
}

/** Yields the rows of several networks' tables in one order, starting at `from`; null starts with the first row. */
export function* walk(
  rankings: readonly Ranking[],
  orderBy: OrderBy | null,
  { ascending, from }: { ascending: boolean; from: RankedPlace | null },
): Generator<FigureRow, void> {
  const step = ascending ? 1 : -1
  const at = rankings.map((ranking) => startOf(ranking, orderBy, from, ascending))
  for (;;) {
    let best: { next: FigureRow; list: number } | null = null
    for (const [list, each] of rankings.entries()) {
      const next = rowAt(each, at[list] ?? -1)
      if (next === null) continue
      if (best === null || step * compareTables(next, best.next, orderBy) < 0) best = { next, list }
    }
    if (best === null) return
    at[best.list] = present(at[best.list]) + step
    yield best.next
  }
}

function rowAt({ table, rows }: Ranking, at: number): FigureRow | null {
  if (at < 0 || at >= table.size) return null
  return { table, row: rows?.[at] ?? at }
}

function compareTables(a: FigureRow, b: FigureRow, orderBy: OrderBy | null): number {
  return compareWhole(keyOf(a, orderBy), keyOf(b, orderBy)) || rankOf(a.table.network) - rankOf(b.table.network)
}

function startOf(ranking: Ranking, orderBy: OrderBy | null, from: RankedPlace | null, ascending: boolean): number {
  const { table } = ranking
  if (from === null) return ascending ? 0 : table.size - 1
  const byNetwork = rankOf(table.network) - rankOf(from.network)
  const limit = byNetwork === 0 ? table.rowsBefore(from.address) : byNetwork < 0 ? table.size : 0
  const isItself = byNetwork === 0 && from.side === 'after' && table.find(from.address) === limit
  const before = isItself ? limit + 1 : limit
  let low = 0
  let high = table.size
  while (low < high) {
    const middle = (low + high) >>> 1
    const each = rowAt(ranking, middle)
    if (each === null) break
    const order = compareWhole(keyOf(each, orderBy), from.key)
    if (order < 0 || (order === 0 && each.row < before)) low = middle + 1
    else high = middle
  }
  return ascending ? low : low - 1
}

function rankOf(network: NetworkName): number {
  return NETWORK_NAMES.indexOf(network)
}
