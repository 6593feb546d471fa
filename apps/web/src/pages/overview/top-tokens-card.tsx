import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { useSparklines } from '../../data/use-sparklines.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { topTokenColumns } from '../../ui/token-columns.tsx'

const COUNT = 10
const REFRESH_MS = 10_000

export function TopTokensCard() {
  const { state, reload } = useResource(
    'top tokens',
    (signal) => api.call('listTokens', { order_by: 'volume', limit: COUNT }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  const sparklines = useSparklines(state.value.data?.data ?? [])
  return (
    <Card title="Top tokens" note="by volume of the last 24 hours" actions={<a href="/tokens">All tokens</a>}>
      <Loaded {...{ state, reload }} what="The tokens" skeleton={<Skeleton rows={COUNT} />}>
        {({ data }) => (
          <DataTable
            caption="Top tokens"
            columns={topTokenColumns(sparklines)}
            rows={data}
            keyOf={({ network, address }) => `${network} ${address}`}
            empty="No token was traded in the last 24 hours."
          />
        )}
      </Loaded>
    </Card>
  )
}
