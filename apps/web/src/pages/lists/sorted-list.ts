import { compareDecimals } from '../../format/decimal.ts'
import { query, setQuery } from '../../state/place.ts'
import type { Sorting } from '../../ui/data-table.tsx'
import type { WindowName } from '../../ui/windows.ts'

export const ROWS = 50
/** How many of the most traded rows are sorted here. */
export const SORTED_ROWS = 200

/** What the API sorts by. All other sorts order the most traded rows here. */
const BY_API = ['volume', 'liquidity', 'price_change', 'age', 'created'] as const
type ApiOrder = (typeof BY_API)[number]

const DEFAULT: Sorting = { by: 'volume', order: 'desc' }
const ALL = [...BY_API, 'swaps', 'traders'] as const

/** Returns the sorting in the address bar. */
export function chosenSorting(): Sorting {
  const by = ALL.find((name) => name === query.value.get('sort')) ?? DEFAULT.by
  return { by, order: query.value.get('order') === 'asc' ? 'asc' : 'desc' }
}

export function chooseSorting({ by, order }: Sorting): void {
  setQuery({ sort: by === DEFAULT.by ? null : by, order: order === 'asc' ? 'asc' : null })
}

/** Returns the order if the API knows it, else null. The API orders by figures of 24 hours; pools and tokens differ in one. */
export function apiOrderOf<By extends ApiOrder>({ by }: Sorting, age: WindowName, known: readonly By[]): By | null {
  if (age !== '24h' && (by === 'volume' || by === 'price_change')) return null
  return known.find((name) => name === by) ?? null
}

/** Returns the parameters that read a list in this order, or, for null, the rows to sort here. */
export function pageOf<By extends ApiOrder>(orderBy: By | null, { order }: Sorting) {
  return orderBy === null
    ? ({ order_by: 'volume', limit: SORTED_ROWS } as const)
    : { order_by: orderBy, order, limit: ROWS }
}

interface Sortable {
  price_change_5m: string | null
  price_change_1h: string | null
  price_change_6h: string | null
  price_change_24h: string | null
  flow: Readonly<Record<WindowName, { volume_usd: string; swaps: number; traders: number | null }>>
}

/** Sorts by a figure of a window. Unknown figures come last in both orders. */
export function sortedRows<Row extends Sortable>(rows: readonly Row[], { by, order }: Sorting, age: WindowName): Row[] {
  const figureOf = (row: Row): string | null => {
    if (by === 'price_change') return row[`price_change_${age}`]
    if (by === 'volume') return row.flow[age].volume_usd
    const count = by === 'swaps' ? row.flow[age].swaps : row.flow[age].traders
    return count === null ? null : String(count)
  }
  const turn = order === 'asc' ? 1 : -1
  return rows.toSorted((one, other) => {
    const figure = figureOf(one)
    const otherFigure = figureOf(other)
    if (figure === null || otherFigure === null) return Number(figure === null) - Number(otherFigure === null)
    return turn * compareDecimals(figure, otherFigure)
  })
}
