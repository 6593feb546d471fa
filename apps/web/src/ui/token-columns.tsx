import type { TokenWithFlow } from '@dexfeed/client'
import { Ago } from './ago.tsx'
import { NetworkBadge } from './badge.tsx'
import type { Column } from './data-table.tsx'
import { Change, Count, Price, UNKNOWN, Usd } from './figures.tsx'
import { Flow } from './flow.tsx'
import { TokenLink } from './links.tsx'
import { Sparkline } from './sparkline.tsx'
import { TokenWatchButton } from './watch-button.tsx'
import type { WindowName } from './windows.ts'

export type Sparklines = ReadonlyMap<string, readonly string[]>

const star: Column<TokenWithFlow> = {
  head: <span class="sr-only">Watch</span>,
  cell: (token) => <TokenWatchButton token={token} />,
}

const name: Column<TokenWithFlow> = {
  head: 'Token',
  cell: ({ network, address, symbol, listed }) => (
    <span class="stack">
      <TokenLink {...{ network, symbol, address, listed }} />
      <NetworkBadge network={network} />
    </span>
  ),
}

const price: Column<TokenWithFlow> = {
  head: 'Price',
  numeric: true,
  cell: ({ price_usd }) => <Price value={price_usd} />,
}

const day = (sparklines: Sparklines): Column<TokenWithFlow> => ({
  head: 'Last 24 h',
  wideOnly: true,
  cell: ({ network, address }) => <Sparkline prices={sparklines.get(`${network} ${address}`) ?? []} />,
})

const change = (age: WindowName): Column<TokenWithFlow> => ({
  head: age,
  numeric: true,
  cell: (token) => <Change percent={token[`price_change_${age}`]} />,
})

const volume = (age: WindowName): Column<TokenWithFlow> => ({
  head: 'Volume',
  sort: 'volume',
  numeric: true,
  cell: ({ flow }) => <Usd value={flow[age].volume_usd} />,
})

/** The columns of a short list. */
export function topTokenColumns(sparklines: Sparklines): readonly Column<TokenWithFlow>[] {
  return [star, name, price, { ...change('1h'), wideOnly: true }, change('24h'), day(sparklines), volume('24h')]
}

/** The columns of the whole list. */
export function tokenColumns(age: WindowName, sparklines: Sparklines): readonly Column<TokenWithFlow>[] {
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
    {
      head: 'Liquidity',
      sort: 'liquidity',
      numeric: true,
      cell: ({ liquidity_usd }) => <Usd value={liquidity_usd} />,
    },
    { head: 'Diluted value', numeric: true, cell: ({ fdv_usd }) => <Usd value={fdv_usd} /> },
    ...others.map((other) => ({ ...change(other), wideOnly: true })),
    day(sparklines),
    {
      head: 'First seen',
      sort: 'age',
      numeric: true,
      cell: ({ first_seen }) => (first_seen === null ? UNKNOWN : <Ago iso={first_seen} />),
    },
  ]
}
