import { query, setQuery } from '../../state/place.ts'
import type { Sorting } from '../../ui/data-table.tsx'
import type { WindowName } from '../../ui/windows.ts'

const ROWS = 50

/** What is counted over a window. */
const WINDOWED = ['volume', 'swaps', 'price_change'] as const
export const TOKEN_SORTS = [...WINDOWED, 'liquidity', 'age'] as const
export const POOL_SORTS = [...TOKEN_SORTS, 'created'] as const

/** Returns the sorting in the address bar, if the list can be sorted so; else by volume. */
export function chosenSorting<By extends string>(known: readonly By[]) {
  const by = known.find((name) => name === query.value.get('sort')) ?? ('volume' as const)
  return { by, order: query.value.get('order') === 'asc' ? 'asc' : 'desc' } as const
}

export function chooseSorting({ by, order }: Sorting): void {
  setQuery({ sort: by === 'volume' ? null : by, order: order === 'asc' ? 'asc' : null })
}

/** Returns the parameters that read a list in this order. The API's names without a window are of 24 hours. */
export function pageOf<By extends string>({ by, order }: { by: By; order: 'asc' | 'desc' }, age: WindowName) {
  const windowed = WINDOWED.find((name) => name === by)
  const order_by = windowed === undefined || age === '24h' ? by : (`${windowed}_${age}` as const)
  return { order_by, order, limit: ROWS }
}
