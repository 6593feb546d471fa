import { NETWORK_NAMES, type NetworkName, type PoolAddress, present } from '@dexfeed/dex'
import { pacer, sortInSteps } from './in-steps.ts'
import { compareWhole, WholeColumn } from './table/columns.ts'
import type { FigureTable, OrderBy } from './table/figure-table.ts'

export interface FigureRow {
  table: FigureTable
  row: number
  /** The figure that orders the list; null if it is unknown, or if the list has the tables' own order. */
  key: bigint | null
}

export interface RankedPlace {
  key: bigint | null
  network: NetworkName
  address: PoolAddress
  side: 'before' | 'after'
}

/** Unknown figures come last in a list, whichever way it is ordered. */
export type ListOrder = 'asc' | 'desc'

/** The rows of a table by a figure; null: in the table's own order. */
export interface Ranking {
  table: FigureTable
  ranks: Ranks | null
}

interface Ranks {
  keys: WholeColumn
  /** The rows with a known key, in ascending order of it. */
  known: Uint32Array
  unknown: Uint32Array
}

export async function ranked(table: FigureTable, by: OrderBy | null): Promise<Ranking> {
  if (by === null) return { table, ranks: null }
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
  return { table, ranks: { keys, known: Uint32Array.from(sorted), unknown: Uint32Array.from(unknown) } }
}

const rankings = new WeakMap<FigureTable, Map<OrderBy | null, Promise<Ranking>>>()

export function ranking(table: FigureTable, by: OrderBy | null): Promise<Ranking> {
  const own = rankings.get(table) ?? new Map<OrderBy | null, Promise<Ranking>>()
  rankings.set(table, own)
  const found = own.get(by) ?? ranked(table, by)
  own.set(by, found)
  return found
}

/** Yields the rows of several networks' tables in one order, starting at `from`; null starts with the first row. */
export function* walk(
  rankings: readonly Ranking[],
  order: ListOrder,
  { ascending, from }: { ascending: boolean; from: RankedPlace | null },
): Generator<FigureRow, void> {
  const step = ascending ? 1 : -1
  const at = rankings.map((ranking) => startOf(ranking, order, from, ascending))
  for (;;) {
    let best: { next: FigureRow; ranking: number } | null = null
    for (const [n, each] of rankings.entries()) {
      const next = rowAt(each, order, at[n] ?? -1)
      if (next === null) continue
      if (best === null || step * compareTables(next, best.next, order) < 0) best = { next, ranking: n }
    }
    if (best === null) return
    at[best.ranking] = present(at[best.ranking]) + step
    yield best.next
  }
}

function rowAt({ table, ranks }: Ranking, order: ListOrder, at: number): FigureRow | null {
  if (at < 0 || at >= table.size) return null
  if (ranks === null) return { table, row: at, key: null }
  const { keys, known, unknown } = ranks
  const [first, second] = order === 'asc' ? [known, unknown] : [unknown, known]
  const row = present(first[at] ?? second[at - first.length])
  return { table, row, key: keys.get(row) }
}

/** Unknown keys count as the largest of a list that ascends. */
function compareKeys(a: bigint | null, b: bigint | null, order: ListOrder): number {
  const isOneUnknown = (a === null) !== (b === null)
  return order === 'asc' && isOneUnknown ? compareWhole(b, a) : compareWhole(a, b)
}

function compareTables(a: FigureRow, b: FigureRow, order: ListOrder): number {
  const byKey = compareKeys(a.key, b.key, order)
  return byKey || rankOf(a.table.network) - rankOf(b.table.network)
}

function startOf(ranking: Ranking, order: ListOrder, from: RankedPlace | null, ascending: boolean): number {
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
    const each = rowAt(ranking, order, middle)
    if (each === null) break
    const byKey = compareKeys(each.key, from.key, order)
    if (byKey < 0 || (byKey === 0 && each.row < before)) low = middle + 1
    else high = middle
  }
  return ascending ? low : low - 1
}

function rankOf(network: NetworkName): number {
  return NETWORK_NAMES.indexOf(network)
}
