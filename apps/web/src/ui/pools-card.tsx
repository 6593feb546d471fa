import type { Operations } from '@dexfeed/client'
import { api } from '../data/api.ts'
import { useResource } from '../data/use-resource.ts'
import { Card } from './card.tsx'
import { DataTable } from './data-table.tsx'
import { Loaded } from './loaded.tsx'
import { NEW_POOL_COLUMNS, TOP_POOL_COLUMNS } from './pool-columns.tsx'
import { Skeleton } from './skeleton.tsx'

const COUNT = 10
const REFRESH_MS = 10_000

interface PoolsCardProps {
  title: string
  note: string
  /** Which pools, and in which order. */
  of: Pick<Operations['listPools']['parameters'], 'order_by' | 'network' | 'token'>
  /** The whole list. */
  href?: string
  empty: string
}

/** The first pools of a list. */
export function PoolsCard({ title, note, of, href, empty }: PoolsCardProps) {
  const { state, reload } = useResource(
    `pools ${JSON.stringify(of)}`,
    (signal) => api.call('listPools', { ...of, limit: COUNT }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  const isNew = of.order_by === 'created'
  return (
    <Card title={title} note={note} actions={href !== undefined && <a href={href}>All pools</a>}>
      <Loaded {...{ state, reload }} what={title} skeleton={<Skeleton rows={COUNT} />}>
        {({ data }) => (
          <DataTable
            caption={title}
            columns={isNew ? NEW_POOL_COLUMNS : TOP_POOL_COLUMNS}
            // Pools whose creation was not read come last.
            rows={isNew ? data.filter(({ created_at }) => created_at !== null) : data}
            keyOf={({ network, address }) => `${network} ${address}`}
            empty={empty}
          />
        )}
      </Loaded>
    </Card>
  )
}
