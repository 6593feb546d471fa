import { networkOf } from '../../format/networks.ts'
import { query } from '../../state/place.ts'
import { ALL_NETWORKS, ChoiceTabs } from '../../ui/choice.tsx'
import { PoolsCard } from '../../ui/pools-card.tsx'
import { TradesCard } from '../../ui/trades-card.tsx'
import { DaysCard } from './days-card.tsx'
import { TopTokensCard } from './top-tokens-card.tsx'
import { WatchCard } from './watch-card.tsx'

/** The market at a glance. */
export function OverviewPage() {
  const network = networkOf(query.value.get('network'))
  const of = network === null ? {} : { network }
  return (
    <>
      <h1 class="sr-only">Market</h1>
      <div class="filters">
        <ChoiceTabs label="Network" name="network" options={ALL_NETWORKS} />
      </div>
      <WatchCard />
      <div class="pair">
        <TopTokensCard of={of} />
        <PoolsCard
          title="Top pools"
          note="by volume of the last 24 hours"
          of={{ order_by: 'volume', ...of }}
          href={`/pools?${new URLSearchParams(of)}`}
          empty="No pool was traded in during the last 24 hours."
        />
      </div>
      <TradesCard network={null} />
      <div class="pair">
        <PoolsCard
          title="New pools"
          note="newest first"
          of={{ order_by: 'created', ...of }}
          href={`/pools?${new URLSearchParams({ sort: 'created', ...of })}`}
          empty="No pool is known whose creation was indexed."
        />
        <DaysCard />
      </div>
    </>
  )
}
