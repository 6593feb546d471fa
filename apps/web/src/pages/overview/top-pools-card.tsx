import type { Pool } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { NetworkBadge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Usd } from '../../ui/figures.tsx'
import { PoolName, poolPath } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const COUNT = 10
const REFRESH_MS = 30_000

const COLUMNS: readonly Column<Pool>[] = [
  {
    head: 'Pool',
    cell: ({ network, address, tokens }) => (
      <a href={poolPath(network, address)}>
        <PoolName tokens={tokens} />
      </a>
    ),
  },
  { head: 'DEX', cell: ({ protocol }) => protocol },
  { head: 'Network', cell: ({ network }) => <NetworkBadge network={network} />, wideOnly: true },
  { head: 'Volume', numeric: true, cell: ({ volume_24h_usd }) => <Usd value={volume_24h_usd} /> },
]

export function TopPoolsCard() {
  const { state, reload } = useResource(
    'top pools',
    (signal) => api.call('listPools', { order_by: 'volume', limit: COUNT }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  return (
    <Card title="Top pools" note="by volume of the last 24 hours">
      <Loaded {...{ state, reload }} what="The pools" skeleton={<Skeleton rows={COUNT} />}>
        {({ data }) => (
          <DataTable
            caption="Top pools by volume"
            columns={COLUMNS}
            rows={data}
            keyOf={({ network, address }) => `${network} ${address}`}
            empty="No pool was traded in during the last 24 hours."
          />
        )}
      </Loaded>
    </Card>
  )
}
