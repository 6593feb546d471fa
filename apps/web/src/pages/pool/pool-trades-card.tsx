import type { Pool, PoolTrade, SwapLeg } from '@dexfeed/client'
import { usePages } from '../../data/use-pages.ts'
import { Ago } from '../../ui/ago.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Amount, Price, Usd } from '../../ui/figures.tsx'
import { Flags } from '../../ui/flags.tsx'
import { Side } from '../../ui/flow.tsx'
import { baseFirst, TraderLink, TransactionLinks, tokenText } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const ROWS = 30
const REFRESH_MS = 3_000

/** The swap events of a pool, with side and price. */
export function PoolTradesCard({ pool }: { pool: Pool }) {
  const { network, address } = pool
  const { state, reload, more } = usePages(
    'listPoolTrades',
    { network, address, limit: ROWS },
    { refreshMs: REFRESH_MS },
  )
  return (
    <Card title="Trades" note="each swap of this pool, newest first">
      <Loaded {...{ state, reload }} what="The trades" skeleton={<Skeleton rows={ROWS} />}>
        {({ rows, hasMore }) => (
          <>
            <DataTable
              caption="Trades of the pool"
              columns={columnsOf(pool)}
              rows={rows}
              keyOf={({ tx_hash, log_index, block_number }) => `${block_number} ${tx_hash} ${log_index}`}
              empty="No swap of this pool is stored."
            />
            <MoreButton hasMore={hasMore} loading={state.value.loading} onMore={more} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function columnsOf({ network, base_token: base, tokens }: Pool): readonly Column<PoolTrade>[] {
  const [priced = '', money = ''] = baseFirst(tokens, base).map(tokenText)
  // A pool of several tokens trades them in pairs.
  const isPair = tokens.length === 2
  const leg = (swapLeg: SwapLeg) => (
    <>
      <Amount value={swapLeg.amount_decimal} /> {!isPair && <bdi>{tokenText(swapLeg)}</bdi>}
    </>
  )
  return [
    { head: 'Age', cell: ({ time }) => <Ago iso={time} /> },
    { head: 'Side', cell: ({ side }) => <Side side={side} /> },
    {
      head: 'Value',
      numeric: true,
      cell: ({ flags, volume_usd }) => (
        <>
          <Flags flags={flags} /> <Usd value={volume_usd} exact />
        </>
      ),
    },
    { head: 'Price', numeric: true, cell: ({ price_usd }) => <Price value={price_usd} /> },
    { head: isPair ? priced : 'Token', numeric: true, cell: ({ base_token }) => leg(base_token) },
    { head: isPair ? money : 'For', numeric: true, cell: ({ quote_token }) => leg(quote_token) },
    {
      head: isPair ? `Price in ${money}` : 'Rate',
      numeric: true,
      cell: ({ price_quote }) => <Amount value={price_quote} />,
    },
    { head: 'Trader', cell: ({ trader }) => <TraderLink {...{ network, trader }} /> },
    { head: 'Transaction', cell: ({ tx_hash }) => <TransactionLinks network={network} hash={tx_hash} /> },
  ]
}
