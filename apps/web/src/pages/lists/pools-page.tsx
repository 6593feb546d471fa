import { useMemo } from 'preact/hooks'
import { api } from '../../data/api.ts'
import { usePages } from '../../data/use-pages.ts'
import { useResource } from '../../data/use-resource.ts'
import { query } from '../../state/place.ts'
import { Choice, choiceOf } from '../../ui/choice.tsx'
import { poolColumns } from '../../ui/pool-columns.tsx'
import { chosenWindow } from '../../ui/windows.ts'
import { chosenFilters, Filters } from './filters.tsx'
import { ListCard } from './list-card.tsx'
import { chosenSorting, POOL_SORTS, pageOf } from './sorted-list.ts'

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
  const sorting = chosenSorting(POOL_SORTS)
  const protocol = query.value.get('protocol') ?? ''
  const created = choiceOf('created', CREATED)
  // Once, because a later time would be another list, which begins with its first page.
  const createdAfter = useMemo(() => created !== '' && secondsBefore(Number(created)), [created])
  const pages = usePages(
    'listPools',
    {
      ...chosenFilters(),
      ...(protocol !== '' && { protocol }),
      ...(createdAfter !== false && { created_after: createdAfter }),
      ...pageOf(sorting, age),
    },
    { refreshMs: REFRESH_MS },
  )
  return (
    <>
      <h1>Pools</h1>
      <Filters>
        <ProtocolChoice />
        <Choice label="When the pool was created" name="created" options={CREATED} />
      </Filters>
      <ListCard title="Pools" columns={poolColumns(age)} empty="No pool matches." {...{ pages, sorting }} />
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
