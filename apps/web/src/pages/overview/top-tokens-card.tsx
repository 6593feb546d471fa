import type { TokenFigures } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { NetworkBadge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Change, Price, Usd } from '../../ui/figures.tsx'
import { TokenName, tokenPath } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const COUNT = 10
const REFRESH_MS = 30_000

const COLUMNS: readonly Column<TokenFigures>[] = [
  {
    head: 'Token',
    cell: ({ network, address, symbol, listed }) => (
      <a href={tokenPath(network, address)}>
        <TokenName {...{ symbol, address, listed }} />
      </a>
    ),
  },
  { head: 'Network', cell: ({ network }) => <NetworkBadge network={network} />, wideOnly: true },
  { head: 'Price', numeric: true, cell: ({ price_usd }) => <Price value={price_usd} /> },
  {
    head: '1 h',
    numeric: true,
    cell: ({ price_change_1h }) => <Change percent={price_change_1h} />,
    wideOnly: true,
  },
  { head: '24 h', numeric: true, cell: ({ price_change_24h }) => <Change percent={price_change_24h} /> },
  { head: 'Volume', numeric: true, cell: ({ volume_24h_usd }) => <Usd value={volume_24h_usd} /> },
]

export function TopTokensCard() {
  const { state, reload } = useResource(
    'top tokens',
    (signal) => api.call('listTokens', { order_by: 'volume', limit: COUNT }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  return (
    <Card title="Top tokens" note="by volume of the last 24 hours">
      <Loaded {...{ state, reload }} what="The tokens" skeleton={<Skeleton rows={COUNT} />}>
        {({ data }) => (
          <DataTable
            caption="Top tokens by volume"
            columns={COLUMNS}
            rows={data}
            keyOf={({ network, address }) => `${network} ${address}`}
            empty="No token was traded in the last 24 hours."
          />
        )}
      </Loaded>
    </Card>
  )
}
