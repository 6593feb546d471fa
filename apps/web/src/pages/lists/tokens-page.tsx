import { usePages } from '../../data/use-pages.ts'
import { useSparklines } from '../../data/use-sparklines.ts'
import { networkOf } from '../../format/networks.ts'
import { query } from '../../state/place.ts'
import { Card } from '../../ui/card.tsx'
import { Choice, choiceOf } from '../../ui/choice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { tokenColumns } from '../../ui/token-columns.tsx'
import { chosenWindow } from '../../ui/windows.ts'
import { chosenFilters, Filters } from './filters.tsx'
import { apiOrderOf, chooseSorting, chosenSorting, sortedRows } from './sorted-list.ts'

const ROWS = 50
/** How many of the most traded tokens are sorted here. */
const SORTED_ROWS = 200
const REFRESH_MS = 15_000

const LISTED = [
  ['', 'All tokens'],
  ['true', 'Curated list only'],
  ['false', 'Not on the curated list'],
] as const

/** All tokens, sorted and filtered as the address bar says. */
export function TokensPage() {
  const age = chosenWindow()
  const sorting = chosenSorting()
  const network = networkOf(query.value.get('network'))
  const listed = choiceOf('listed', LISTED) as '' | 'true' | 'false'
  const orderBy = apiOrderOf(sorting, age, ['volume', 'liquidity', 'price_change', 'age'])
  const { state, reload, more } = usePages(
    'listTokens',
    {
      ...chosenFilters(),
      ...(network !== null && { network }),
      ...(listed !== '' && { listed }),
      ...(orderBy === null
        ? { order_by: 'volume', limit: SORTED_ROWS }
        : { order_by: orderBy, order: sorting.order, limit: ROWS }),
    },
    { refreshMs: REFRESH_MS },
  )
  const read = state.value.data?.rows ?? []
  const rows = orderBy === null ? sortedRows(read, sorting, age).slice(0, ROWS) : read
  const sparklines = useSparklines(rows)
  return (
    <>
      <h1>Tokens</h1>
      <Filters>
        <Choice label="Which tokens" name="listed" options={LISTED} />
      </Filters>
      <Card
        title="Tokens"
        note={orderBy === null ? `the first ${ROWS} of the ${SORTED_ROWS} most traded in 24 hours` : 'prices in USD'}
      >
        <Loaded {...{ state, reload }} what="The tokens" skeleton={<Skeleton rows={20} />}>
          {({ hasMore }) => (
            <>
              <DataTable
                caption="Tokens"
                columns={tokenColumns(age, sparklines)}
                rows={rows}
                keyOf={(token) => `${token.network} ${token.address}`}
                empty="No token matches."
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
