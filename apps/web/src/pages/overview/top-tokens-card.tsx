import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { useSparklines } from '../../data/use-sparklines.ts'
import type { NetworkName } from '../../format/networks.ts'
import { Card } from '../../ui/card.tsx'
import { ChoiceTabs, choiceOf } from '../../ui/choice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { topTokenColumns } from '../../ui/token-columns.tsx'

const COUNT = 10
const REFRESH_MS = 10_000

const LISTS = [
  ['', 'Volume'],
  ['gainers', 'Gainers'],
  ['losers', 'Losers'],
] as const

/** A price that hardly anybody trades at moves most. */
const TRADED = { min_volume: '10000', min_liquidity: '10000' } as const

/** The tokens with the most volume, or whose price rose or fell most, in 24 hours. */
export function TopTokensCard({ of }: { of: { network?: NetworkName } }) {
  const list = choiceOf('top', LISTS)
  const order = list === 'losers' ? 'asc' : 'desc'
  const { state, reload } = useResource(
    `top tokens ${list} ${of.network}`,
    (signal) => {
      const by = list === '' ? ({ order_by: 'volume' } as const) : ({ order_by: 'price_change', ...TRADED } as const)
      return api.call('listTokens', { ...of, ...by, order, limit: COUNT }, { signal })
    },
    { refreshMs: REFRESH_MS },
  )
  const sparklines = useSparklines(state.value.data?.data ?? [])
  const actions = (
    <>
      <ChoiceTabs label="Which tokens" name="top" options={LISTS} />
      <a href={`/tokens?${new URLSearchParams(list === '' ? of : { ...of, sort: 'price_change', order, ...TRADED })}`}>
        All tokens
      </a>
    </>
  )
  return (
    <Card title="Top tokens" note="of the last 24 hours" actions={actions}>
      <Loaded {...{ state, reload }} what="The tokens" skeleton={<Skeleton rows={COUNT} />}>
        {({ data }) => (
          <DataTable
            caption="Top tokens"
            columns={topTokenColumns(sparklines)}
            rows={data}
            keyOf={({ network, address }) => `${network} ${address}`}
            empty="No token was traded enough in the last 24 hours."
          />
        )}
      </Loaded>
    </Card>
  )
}
