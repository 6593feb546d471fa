import { useMemo } from 'preact/hooks'
import { api } from '../../data/api.ts'
import { usePages } from '../../data/use-pages.ts'
import { useResource } from '../../data/use-resource.ts'
import { networkOf } from '../../format/networks.ts'
import { query } from '../../state/place.ts'
import { Choice, choiceOf } from '../../ui/choice.tsx'
import { poolColumns } from '../../ui/pool-columns.tsx'
import { chosenWindow } from '../../ui/windows.ts'
import { chosenFilters, Filters } from './filters.tsx'
import { ListCard } from './list-card.tsx'
import { apiOrderOf, chosenSorting, pageOf, ROWS, sortedRows } from './sorted-list.ts'

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
  const pages = usePages(
    'listPools',
    {
      ...chosenFilters(),
      ...(network !== null && { network }),
      ...(protocol !== '' && { protocol }),
      ...(createdAfter !== false && { created_after: createdAfter }),
      ...pageOf(orderBy, sorting),
    },
    { refreshMs: REFRESH_MS },
  )
  const read = pages.state.value.data?.rows ?? []
  const rows = orderBy === null ? sortedRows(read, sorting, age).slice(0, ROWS) : read
  return (
    <>
      <h1>Pools</h1>
      <Filters>
        <ProtocolChoice />
        <Choice label="When the pool was created" name="created" options={CREATED} />
      </Filters>
      <ListCard
        title="Pools"
        note="prices of the first token, in USD"
        columns={poolColumns(age)}
        empty="No pool matches."
        isSortedHere={orderBy === null}
        {...{ rows, pages }}
      />
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
