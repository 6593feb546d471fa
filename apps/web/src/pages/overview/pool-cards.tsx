import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { NEW_POOL_COLUMNS, TOP_POOL_COLUMNS } from '../../ui/pool-columns.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const COUNT = 10
const REFRESH_MS = 10_000

export function TopPoolsCard() {
  return (
    <PoolsCard
      title="Top pools"
      note="by volume of the last 24 hours"
      order="volume"
      href="/pools"
      empty="No pool was traded in during the last 24 hours."
    />
  )
}

export function NewPoolsCard() {
  return (
    <PoolsCard
      title="New pools"
      note="newest first"
      order="created"
      href="/pools?sort=created"
      empty="No pool is known whose creation was indexed."
    />
  )
}

interface PoolsCardProps {
  title: string
  note: string
  order: 'volume' | 'created'
  /** The whole list. */
  href: string
  empty: string
}

function PoolsCard({ title, note, order, href, empty }: PoolsCardProps) {
  const { state, reload } = useResource(
    `pools by ${order}`,
    (signal) => api.call('listPools', { order_by: order, limit: COUNT }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  return (
    <Card title={title} note={note} actions={<a href={href}>All pools</a>}>
      <Loaded {...{ state, reload }} what={title} skeleton={<Skeleton rows={COUNT} />}>
        {({ data }) => (
          <DataTable
            caption={title}
            columns={order === 'created' ? NEW_POOL_COLUMNS : TOP_POOL_COLUMNS}
            // Pools whose creation was not read come last.
            rows={order === 'created' ? data.filter(({ created_at }) => created_at !== null) : data}
            keyOf={({ network, address }) => `${network} ${address}`}
            empty={empty}
          />
        )}
      </Loaded>
    </Card>
  )
}
