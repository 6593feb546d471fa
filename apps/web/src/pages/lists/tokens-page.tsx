import { usePages } from '../../data/use-pages.ts'
import { useSparklines } from '../../data/use-sparklines.ts'
import { networkOf } from '../../format/networks.ts'
import { query } from '../../state/place.ts'
import { Choice, choiceOf } from '../../ui/choice.tsx'
import { tokenColumns } from '../../ui/token-columns.tsx'
import { chosenWindow } from '../../ui/windows.ts'
import { chosenFilters, Filters } from './filters.tsx'
import { ListCard } from './list-card.tsx'
import { apiOrderOf, chosenSorting, pageOf, ROWS, sortedRows } from './sorted-list.ts'

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
  const pages = usePages(
    'listTokens',
    {
      ...chosenFilters(),
      ...(network !== null && { network }),
      ...(listed !== '' && { listed }),
      ...pageOf(orderBy, sorting),
    },
    { refreshMs: REFRESH_MS },
  )
  const read = pages.state.value.data?.rows ?? []
  const rows = orderBy === null ? sortedRows(read, sorting, age).slice(0, ROWS) : read
  const sparklines = useSparklines(rows)
  return (
    <>
      <h1>Tokens</h1>
      <Filters>
        <Choice label="Which tokens" name="listed" options={LISTED} />
      </Filters>
      <ListCard
        title="Tokens"
        note="prices in USD"
        columns={tokenColumns(age, sparklines)}
        empty="No token matches."
        isSortedHere={orderBy === null}
        {...{ rows, pages }}
      />
    </>
  )
}
