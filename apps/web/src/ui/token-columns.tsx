import type { TokenWithFlow } from '@dexfeed/client'
import { Ago } from './ago.tsx'
import { NetworkBadge } from './badge.tsx'
import type { Column } from './data-table.tsx'
import { change, changesOfOtherWindows, price, volume, windowColumns } from './figure-columns.tsx'
import { UNKNOWN, Usd } from './figures.tsx'
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

const day = (sparklines: Sparklines): Column<TokenWithFlow> => ({
  head: 'Last 24 h',
  wideOnly: true,
  cell: ({ network, address, price_change_24h }) => (
    <Sparkline prices={sparklines.get(`${network} ${address}`) ?? []} change={price_change_24h} />
  ),
})

/** The columns of a short list. */
export function topTokenColumns(sparklines: Sparklines): readonly Column<TokenWithFlow>[] {
  return [star, name, price, { ...change('1h'), wideOnly: true }, change('24h'), day(sparklines), volume('24h')]
}

/** The columns of the whole list. */
export function tokenColumns(age: WindowName, sparklines: Sparklines): readonly Column<TokenWithFlow>[] {
  return [
    star,
    name,
    ...windowColumns(age),
    { head: 'Diluted value', numeric: true, cell: ({ fdv_usd }) => <Usd value={fdv_usd} /> },
    ...changesOfOtherWindows(age),
    day(sparklines),
    {
      head: 'First seen',
      sort: 'age',
      numeric: true,
      cell: ({ first_seen }) => (first_seen === null ? UNKNOWN : <Ago iso={first_seen} />),
    },
  ]
}
