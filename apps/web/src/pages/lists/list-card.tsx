import type { Pages, Row } from '../../data/use-pages.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { chooseSorting, chosenSorting, ROWS, SORTED_ROWS } from './sorted-list.ts'

interface ListCardProps<Name extends 'listTokens' | 'listPools'> {
  title: string
  note: string
  columns: readonly Column<Row<Name>>[]
  rows: readonly Row<Name>[]
  pages: Pages<Name>
  /** Whether `rows` are the first of the most traded ones, sorted here. */
  isSortedHere: boolean
  empty: string
}

export function ListCard<Name extends 'listTokens' | 'listPools'>(props: ListCardProps<Name>) {
  const { title, note, columns, rows, pages, isSortedHere, empty } = props
  const { state, reload, more } = pages
  const what = `The ${title.toLowerCase()}`
  const first = `the first ${ROWS} of the ${SORTED_ROWS} most traded in 24 hours`
  return (
    <Card title={title} note={isSortedHere ? first : note}>
      <Loaded {...{ state, reload, what }} skeleton={<Skeleton rows={20} />}>
        {({ hasMore }) => (
          <>
            <DataTable
              caption={title}
              {...{ columns, rows, empty }}
              keyOf={({ network, address }) => `${network} ${address}`}
              sorting={chosenSorting()}
              onSort={chooseSorting}
            />
            <MoreButton hasMore={hasMore && !isSortedHere} loading={state.value.loading} onMore={more} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
