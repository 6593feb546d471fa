import type { Pages, Row } from '../../data/use-pages.ts'
import { type Column, DataTable, type Sorting } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { chooseSorting } from './sorted-list.ts'

interface ListCardProps<Name extends 'listTokens' | 'listPools'> {
  title: string
  columns: readonly Column<Row<Name>>[]
  pages: Pages<Name>
  sorting: Sorting
  empty: string
}

export function ListCard<Name extends 'listTokens' | 'listPools'>(props: ListCardProps<Name>) {
  const { title, columns, pages, sorting, empty } = props
  const { state, reload, more } = pages
  return (
    <section class="card" aria-label={title}>
      <Loaded {...{ state, reload }} what={`The ${title.toLowerCase()}`} skeleton={<Skeleton rows={20} />}>
        {({ rows, hasMore }) => (
          <>
            <DataTable
              caption={title}
              {...{ columns, rows, empty, sorting }}
              keyOf={({ network, address }) => `${network} ${address}`}
              onSort={chooseSorting}
            />
            <MoreButton hasMore={hasMore} loading={state.value.loading} onMore={more} />
          </>
        )}
      </Loaded>
    </section>
  )
}
