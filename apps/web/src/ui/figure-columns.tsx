import type { PoolWithFlow } from '@dexfeed/client'
import type { Column } from './data-table.tsx'
import { Change, Count, Price, Usd } from './figures.tsx'
import { Flow } from './flow.tsx'
import { WINDOWS, type WindowName } from './windows.ts'

/** What rows of tokens and of pools have in common. */
type Figures = Pick<PoolWithFlow, 'price_usd' | `price_change_${WindowName}` | 'flow' | 'liquidity_usd'>

export const price: Column<Figures> = {
  head: 'Price',
  numeric: true,
  cell: ({ price_usd }) => <Price value={price_usd} />,
}

export const change = (age: WindowName): Column<Figures> => ({
  head: age,
  numeric: true,
  cell: (row) => <Change percent={row[`price_change_${age}`]} />,
})

export const volume = (age: WindowName): Column<Figures> => ({
  head: 'Volume',
  sort: 'volume',
  numeric: true,
  cell: ({ flow }) => <Usd value={flow[age].volume_usd} />,
})

export const liquidity: Column<Figures> = {
  head: 'Liquidity',
  sort: 'liquidity',
  numeric: true,
  cell: ({ liquidity_usd }) => <Usd value={liquidity_usd} />,
}

/** The columns of a whole list for a window. */
export function windowColumns(age: WindowName): readonly Column<Figures>[] {
  return [
    price,
    { ...change(age), sort: 'price_change' },
    volume(age),
    {
      head: 'Buys and sells',
      sort: 'swaps',
      numeric: true,
      cell: ({ flow }) => <Flow buys={flow[age].buys} sells={flow[age].sells} />,
    },
    { head: 'Traders', numeric: true, cell: ({ flow }) => <Count value={flow[age].traders} /> },
    liquidity,
  ]
}

export function changesOfOtherWindows(age: WindowName): readonly Column<Figures>[] {
  return WINDOWS.toReversed().flatMap(([other]) => (other === age ? [] : { ...change(other), wideOnly: true }))
}
