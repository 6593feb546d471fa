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

/** Unknown figures come last in a list, whichever way it is ordered. */
export interface ListOrder {
  /** Null: the tables' own order. */
  by: OrderBy | null
  order: 'asc' | 'desc'
}

/** The rows of a table in ascending order of a figure, with unknown ones last or first; null: in the table's own order. */
export interface Ranking {
  table: FigureTable
  rows: Uint32Array | null
}

export function keyOf({ table, row }: FigureRow, by: OrderBy | null): bigint | null {
  return by === null ? null : table.key(by, row)
}

export async function ranked(table: FigureTable, { by, order }: ListOrder): Promise<Ranking> {
  if (by === null) return { table, rows: null }
  const keys = new WholeColumn()
  const known: number[] = []
  const unknown: number[] = []
  const pause = pacer()
  for (let row = 0; row < table.size; row++) {
    const key = table.key(by, row)
    keys.push(key)
    if (key === null) unknown.push(row)
    else known.push(row)
    const turned = pause()
    if (turned) await turned
  }
  // Rows are by address, and the sort is stable.
  const sorted = await sortInSteps(known, (a, b) => keys.compare(a, b))
  return { table, rows: Uint32Array.from(order === 'asc' ? sorted.concat(unknown) : unknown.concat(sorted)) }
}

const known = new WeakMap<FigureTable, Map<string, Promise<Ranking>>>()

export function ranking(table: FigureTable, list: ListOrder): Promise<Ranking> {
  const rankings = known.get(table) ?? new Map<string, Promise<Ranking>>()
  known.set(table, rankings)
  const name = `${list.by} ${list.order}`
  const found = rankings.get(name) ?? ranked(table, list)
  rankings.set(name, found)
  return found
}

/** Yields the rows of several networks' tables in one order, starting at `from`; null starts with the first row. */
export function* walk(
  rankings: readonly Ranking[],
  list: ListOrder,
  { ascending, from }: { ascending: boolean; from: RankedPlace | null },
): Generator<FigureRow, void> {
  const step = ascending ? 1 : -1
  const at = rankings.map((ranking) => startOf(ranking, list, from, ascending))
  for (;;) {
    let best: { next: FigureRow; list: number } | null = null
    for (const [n, each] of rankings.entries()) {
      const next = rowAt(each, at[n] ?? -1)
      if (next === null) continue
      if (best === null || step * compareTables(next, best.next, list) < 0) best = { next, list: n }
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

/** Unknown keys count as the largest of a list that ascends. */
function compareKeys(a: bigint | null, b: bigint | null, { order }: ListOrder): number {
  const isOneUnknown = (a === null) !== (b === null)
  return order === 'asc' && isOneUnknown ? compareWhole(b, a) : compareWhole(a, b)
}

function compareTables(a: FigureRow, b: FigureRow, list: ListOrder): number {
  const byKey = compareKeys(keyOf(a, list.by), keyOf(b, list.by), list)
  return byKey || rankOf(a.table.network) - rankOf(b.table.network)
}

function startOf(ranking: Ranking, list: ListOrder, from: RankedPlace | null, ascending: boolean): number {
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
    const order = compareKeys(keyOf(each, list.by), from.key, list)
    if (order < 0 || (order === 0 && each.row < before)) low = middle + 1
    else high = middle
  }
  return ascending ? low : low - 1
}

function rankOf(network: NetworkName): number {
  return NETWORK_NAMES.indexOf(network)
}
