import { TradesCard } from '../../ui/trades-card.tsx'
import { DaysCard } from './days-card.tsx'
import { NetworksCard } from './networks-card.tsx'
import { TopPoolsCard } from './top-pools-card.tsx'
import { TopTokensCard } from './top-tokens-card.tsx'

export function OverviewPage() {
  return (
    <>
      <h1>Overview</h1>
      <NetworksCard />
      <DaysCard />
      <div class="pair">
        <TopTokensCard />
        <TopPoolsCard />
      </div>
      <TradesCard network={null} />
    </>
  )
}
