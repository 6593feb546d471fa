import type { PoolWithFlow } from '@dexfeed/client'
import { Ago } from './ago.tsx'
import { NetworkBadge } from './badge.tsx'
import type { Column } from './data-table.tsx'
import { change, changesOfOtherWindows, liquidity, price, volume, windowColumns } from './figure-columns.tsx'
import { feeText, UNKNOWN } from './figures.tsx'
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
  return [star, name, ...windowColumns(age), ...changesOfOtherWindows(age), created]
}
