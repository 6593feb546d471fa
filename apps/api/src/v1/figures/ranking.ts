import { NETWORK_NAMES, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import { sortInSteps } from './in-steps.ts'
import { compareWhole } from './table/columns.ts'
import type { FigureTable, OrderBy } from './table/figure-table.ts'

/** A token or pool with its figures: a row of a table. */
export interface FigureRow {
  table: FigureTable
  row: number
}

/** A place in an order: just before or after a token or pool, or where one with this key would stand. */
export interface RankedPlace {
  key: bigint | null
  network: NetworkName
  address: PoolAddress
  side: 'before' | 'after'
}

/** The rows of a table in the order of a figure, ascending; as they stand without one. */
export interface Ranking {
  table: FigureTable
  rows: Uint32Array | null
}

/** What a row is ordered by; null without a figure. */
export function keyOf({ table, row }: FigureRow, orderBy: OrderBy | null): bigint | null {
  return orderBy === null ? null : table.key(orderBy, row)
}

/** Puts a table in order. */
export async function ranked(table: FigureTable, orderBy: OrderBy | null): Promise<Ranking> {
  if (orderBy === null) return { table, rows: null }
  const rows = Array.from({ length: table.size }, (_, row) => row)
  // They stand by address, and those that are equal stay so.
  const sorted = await sortInSteps(rows, (a, b) => table.compare(orderBy, a, b))
  return { table, rows: Uint32Array.from(sorted) }
}

const known = new WeakMap<FigureTable, Map<OrderBy | null, Promise<Ranking>>>()

/** A table in order; it is put so once, for all who ask. */
export function ranking(table: FigureTable, orderBy: OrderBy | null): Promise<Ranking> {
  const rankings = known.get(table) ?? new Map<OrderBy | null, Promise<Ranking>>()
  known.set(table, rankings)
  const found = rankings.get(orderBy) ?? ranked(table, orderBy)
  rankings.set(orderBy, found)
  return found
}

/** All rows of several tables, each of another network, in one order, beyond a place; null: from the end of the list on. */
export function* walk(
  rankings: readonly Ranking[],
  orderBy: OrderBy | null,
  { ascending, from }: { ascending: boolean; from: RankedPlace | null },
): Generator<FigureRow, void> {
  const step = ascending ? 1 : -1
  const at = rankings.map((one) => startOf(one, orderBy, from, ascending))
  for (;;) {
    let best: { next: FigureRow; list: number } | null = null
    for (const [list, one] of rankings.entries()) {
      const next = rowAt(one, at[list] ?? -1)
      if (next === null) continue
      if (best === null || step * compareTables(next, best.next, orderBy) < 0) best = { next, list }
    }
    if (best === null) return
    at[best.list] = (at[best.list] ?? 0) + step
    yield best.next
  }
}

function rowAt({ table, rows }: Ranking, at: number): FigureRow | null {
  if (at < 0 || at >= table.size) return null
  return { table, row: rows?.[at] ?? at }
}

/** Of rows of two tables. */
function compareTables(a: FigureRow, b: FigureRow, orderBy: OrderBy | null): number {
  return compareWhole(keyOf(a, orderBy), keyOf(b, orderBy)) || rankOf(a.table.network) - rankOf(b.table.network)
}

/** The first index beyond the place in the direction of the walk. */
function startOf(ranking: Ranking, orderBy: OrderBy | null, from: RankedPlace | null, ascending: boolean): number {
  const { table } = ranking
  if (from === null) return ascending ? 0 : table.size - 1
  // Rows with the key of the place stand by address, those before this one before it.
  const byNetwork = rankOf(table.network) - rankOf(from.network)
  const limit = byNetwork === 0 ? table.rowsBefore(from.address) : byNetwork < 0 ? table.size : 0
  const isItself = byNetwork === 0 && from.side === 'after' && table.find(from.address) === limit
  const before = isItself ? limit + 1 : limit
  // How many stand before the place.
  let [low, high] = [0, table.size]
  while (low < high) {
    const middle = (low + high) >>> 1
    const one = rowAt(ranking, middle)
    if (one === null) break
    const order = compareWhole(keyOf(one, orderBy), from.key)
    if (order < 0 || (order === 0 && one.row < before)) low = middle + 1
    else high = middle
  }
  return ascending ? low : low - 1
}

function rankOf(network: NetworkName): number {
  return NETWORK_NAMES.indexOf(network)
}
