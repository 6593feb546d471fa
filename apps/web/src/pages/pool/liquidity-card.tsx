import type { LiquidityEvent, Pool } from '@dexfeed/client'
import { usePages } from '../../data/use-pages.ts'
import { Ago } from '../../ui/ago.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Amount, Usd } from '../../ui/figures.tsx'
import { baseFirst, TraderLink, TransactionLinks, tokenText } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const ROWS = 10
const REFRESH_MS = 15_000

/** Who added liquidity to the pool, and who removed it. */
export function LiquidityCard({ pool }: { pool: Pool }) {
  const { network, address } = pool
  const { state, reload, more } = usePages(
    'listLiquidityEvents',
    { network, pool: address, limit: ROWS },
    { refreshMs: REFRESH_MS },
  )
  return (
    <Card title="Liquidity added and removed" note="newest first">
      <Loaded {...{ state, reload }} what="Liquidity" skeleton={<Skeleton lines={3} />}>
        {({ rows, hasMore }) => (
          <>
            <DataTable
              caption="Liquidity added and removed"
              columns={columnsOf(pool)}
              rows={rows}
              keyOf={({ block_number, tx_hash, log_index }) => `${block_number} ${tx_hash} ${log_index}`}
              empty="No change of the liquidity of this pool is stored."
            />
            <MoreButton hasMore={hasMore} loading={state.value.loading} onMore={more} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function columnsOf({ network, tokens, base_token: base }: Pool): readonly Column<LiquidityEvent>[] {
  const amounts = baseFirst(tokens, base).map((token): Column<LiquidityEvent> => {
    return {
      head: tokenText(token),
      numeric: true,
      cell: (event) => (
        <Amount value={event.tokens.find(({ address }) => address === token.address)?.amount_decimal ?? null} />
      ),
    }
  })
  return [
    { head: 'Age', cell: ({ time }) => <Ago iso={time} /> },
    {
      head: 'Change',
      cell: ({ kind }) =>
        kind === 'add' ? <span class="side up">▲ Added</span> : <span class="side down">▼ Removed</span>,
    },
    { head: 'Value', numeric: true, cell: ({ value_usd }) => <Usd value={value_usd} exact /> },
    ...amounts,
    { head: 'Account', cell: ({ account }) => <TraderLink network={network} trader={account} /> },
    { head: 'Transaction', cell: ({ tx_hash }) => <TransactionLinks network={network} hash={tx_hash} /> },
  ]
}
