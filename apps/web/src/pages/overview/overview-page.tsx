import { TradesCard } from '../../ui/trades-card.tsx'
import { DaysCard } from './days-card.tsx'
import { NewPoolsCard, TopPoolsCard } from './pool-cards.tsx'
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
        <TopPoolsCard />
      </div>
      <TradesCard network={null} />
      <div class="pair">
        <NewPoolsCard />
        <DaysCard />
      </div>
    </>
  )
}
