import { usePages } from '../../data/use-pages.ts'
import { useSparklines } from '../../data/use-sparklines.ts'
import { Choice, choiceOf } from '../../ui/choice.tsx'
import { tokenColumns } from '../../ui/token-columns.tsx'
import { chosenWindow } from '../../ui/windows.ts'
import { chosenFilters, Filters } from './filters.tsx'
import { ListCard } from './list-card.tsx'
import { chosenSorting, pageOf, TOKEN_SORTS } from './sorted-list.ts'

const REFRESH_MS = 15_000

const LISTED = [
  ['', 'All tokens'],
  ['true', 'Curated list only'],
  ['false', 'Not on the curated list'],
] as const

/** All tokens, sorted and filtered as the address bar says. */
export function TokensPage() {
  const age = chosenWindow()
  const sorting = chosenSorting(TOKEN_SORTS)
  const listed = choiceOf('listed', LISTED) as '' | 'true' | 'false'
  const pages = usePages(
    'listTokens',
    {
      ...chosenFilters(),
      ...(listed !== '' && { listed }),
      ...pageOf(sorting, age),
    },
    { refreshMs: REFRESH_MS },
  )
  const sparklines = useSparklines(pages.state.value.data?.rows ?? [])
  return (
    <>
      <h1>Tokens</h1>
      <Filters>
        <Choice label="Which tokens" name="listed" options={LISTED} />
      </Filters>
      <ListCard
        title="Tokens"
        columns={tokenColumns(age, sparklines)}
        empty="No token matches."
        {...{ pages, sorting }}
      />
    </>
  )
}
