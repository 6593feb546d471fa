import { useMemo } from 'preact/hooks'
import { api } from '../../data/api.ts'
import { usePages } from '../../data/use-pages.ts'
import { useResource } from '../../data/use-resource.ts'
import { networkOf } from '../../format/networks.ts'
import { query } from '../../state/place.ts'
import { Card } from '../../ui/card.tsx'
import { Choice, choiceOf } from '../../ui/choice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { poolColumns } from '../../ui/pool-columns.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { chosenWindow } from '../../ui/windows.ts'
import { chosenFilters, Filters } from './filters.tsx'
import { apiOrderOf, chooseSorting, chosenSorting, sortedRows } from './sorted-list.ts'

const ROWS = 50
/** How many of the most traded pools are sorted here. */
const SORTED_ROWS = 200
const REFRESH_MS = 15_000

/** In seconds. */
const CREATED = [
  ['', 'Created at any time'],
  ['3600', 'Created in the last hour'],
  ['86400', 'Created in the last day'],
  ['604800', 'Created in the last week'],
] as const

/** All pools, sorted and filtered as the address bar says. */
export function PoolsPage() {
  const age = chosenWindow()
  const sorting = chosenSorting()
  const network = networkOf(query.value.get('network'))
  const protocol = query.value.get('protocol') ?? ''
  const created = choiceOf('created', CREATED)
  // Once, because a later time would be another list, which begins with its first page.
  const createdAfter = useMemo(() => created !== '' && secondsBefore(Number(created)), [created])
  const orderBy = apiOrderOf(sorting, age, ['volume', 'liquidity', 'price_change', 'age', 'created'])
  const { state, reload, more } = usePages(
    'listPools',
    {
      ...chosenFilters(),
      ...(network !== null && { network }),
      ...(protocol !== '' && { protocol }),
      ...(createdAfter !== false && { created_after: createdAfter }),
      ...(orderBy === null
        ? { order_by: 'volume', limit: SORTED_ROWS }
        : { order_by: orderBy, order: sorting.order, limit: ROWS }),
    },
    { refreshMs: REFRESH_MS },
  )
  const read = state.value.data?.rows ?? []
  const rows = orderBy === null ? sortedRows(read, sorting, age).slice(0, ROWS) : read
  return (
    <>
      <h1>Pools</h1>
      <Filters>
        <ProtocolChoice />
        <Choice label="When the pool was created" name="created" options={CREATED} />
      </Filters>
      <Card
        title="Pools"
        note={
          orderBy === null
            ? `the first ${ROWS} of the ${SORTED_ROWS} most traded in 24 hours`
            : 'prices of the first token, in USD'
        }
      >
        <Loaded {...{ state, reload }} what="The pools" skeleton={<Skeleton rows={20} />}>
          {({ hasMore }) => (
            <>
              <DataTable
                caption="Pools"
                columns={poolColumns(age)}
                rows={rows}
                keyOf={(pool) => `${pool.network} ${pool.address}`}
                empty="No pool matches."
                sorting={sorting}
                onSort={chooseSorting}
              />
              <MoreButton hasMore={hasMore && orderBy !== null} loading={state.value.loading} onMore={more} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}

function secondsBefore(seconds: number): string {
  return String(Math.floor(Date.now() / 1_000) - seconds)
}

function ProtocolChoice() {
  const { state } = useResource('protocols', (signal) => api.call('listProtocols', {}, { signal }))
  const names = new Set(state.value.data?.data.map(({ name }) => name) ?? [])
  const chosen = query.value.get('protocol')
  if (chosen !== null) names.add(chosen)
  const options = [...names].toSorted().map((name) => [name, name] as const)
  return <Choice label="DEX" name="protocol" options={[['', 'All DEXes'], ...options]} />
}
