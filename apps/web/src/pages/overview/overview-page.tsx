import { PoolsCard } from '../../ui/pools-card.tsx'
import { TradesCard } from '../../ui/trades-card.tsx'
import { DaysCard } from './days-card.tsx'
import { TopTokensCard } from './top-tokens-card.tsx'
import { WatchCard } from './watch-card.tsx'

/** The market at a glance. */
export function OverviewPage() {
  return (
    <>
      <h1 class="sr-only">Market</h1>
      <WatchCard />
      <div class="pair">
        <TopTokensCard />
        <PoolsCard
          title="Top pools"
          note="by volume of the last 24 hours"
          of={{ order_by: 'volume' }}
          href="/pools"
          empty="No pool was traded in during the last 24 hours."
        />
      </div>
      <TradesCard network={null} />
      <div class="pair">
        <PoolsCard
          title="New pools"
          note="newest first"
          of={{ order_by: 'created' }}
          href="/pools?sort=created"
          empty="No pool is known whose creation was indexed."
        />
        <DaysCard />
      </div>
    </>
  )
}
