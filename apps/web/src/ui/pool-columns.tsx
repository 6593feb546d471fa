import type { PoolWithFlow } from '@dexfeed/client'
import { Ago } from './ago.tsx'
import { NetworkBadge } from './badge.tsx'
import type { Column } from './data-table.tsx'
import { Change, Count, feeText, Price, UNKNOWN, Usd } from './figures.tsx'
import { Flow } from './flow.tsx'
import { PoolLink } from './links.tsx'
import { PoolWatchButton } from './watch-button.tsx'
import type { WindowName } from './windows.ts'

const star: Column<PoolWithFlow> = {
  head: <span class="sr-only">Watch</span>,
  cell: (pool) => <PoolWatchButton pool={pool} />,
}

const name: Column<PoolWithFlow> = {
  head: 'Pool',
  cell: (pool) => (
    <span class="stack">
      <PoolLink pool={pool} />
      <small>
        <NetworkBadge network={pool.network} /> {pool.protocol}{' '}
        {pool.fee_millionths !== null && <span class="wide-only">{feeText(pool.fee_millionths)}</span>}
      </small>
    </span>
  ),
}

const price: Column<PoolWithFlow> = {
  head: 'Price',
  numeric: true,
  cell: ({ price_usd }) => <Price value={price_usd} />,
}

const change = (age: WindowName): Column<PoolWithFlow> => ({
  head: age,
  numeric: true,
  cell: (pool) => <Change percent={pool[`price_change_${age}`]} />,
})

const volume = (age: WindowName): Column<PoolWithFlow> => ({
  head: 'Volume',
  sort: 'volume',
  numeric: true,
  cell: ({ flow }) => <Usd value={flow[age].volume_usd} />,
})

const liquidity: Column<PoolWithFlow> = {
  head: 'Liquidity',
  sort: 'liquidity',
  numeric: true,
  cell: ({ liquidity_usd }) => <Usd value={liquidity_usd} />,
}

const created: Column<PoolWithFlow> = {
  head: 'Age',
  sort: 'created',
  numeric: true,
  cell: ({ created_at }) => (created_at === null ? UNKNOWN : <Ago iso={created_at} />),
}

/** The columns of a short list. */
export const TOP_POOL_COLUMNS: readonly Column<PoolWithFlow>[] = [
  star,
  name,
  { ...price, wideOnly: true },
  change('24h'),
  volume('24h'),
  { ...liquidity, wideOnly: true },
]

export const NEW_POOL_COLUMNS: readonly Column<PoolWithFlow>[] = [
  star,
  name,
  created,
  liquidity,
  { ...volume('24h'), wideOnly: true },
]

/** The columns of the whole list. */
export function poolColumns(age: WindowName): readonly Column<PoolWithFlow>[] {
  const others = (['5m', '1h', '6h', '24h'] as const).filter((other) => other !== age)
  return [
    star,
    name,
    price,
    { ...change(age), sort: 'price_change' },
    volume(age),
    {
      head: 'Buys and sells',
      sort: 'swaps',
      numeric: true,
      cell: ({ flow }) => <Flow buys={flow[age].buys} sells={flow[age].sells} />,
    },
    { head: 'Traders', sort: 'traders', numeric: true, cell: ({ flow }) => <Count value={flow[age].traders} /> },
    liquidity,
    ...others.map((other) => ({ ...change(other), wideOnly: true })),
    created,
  ]
}
