import { api } from '../data/api.ts'
import { useResource } from '../data/use-resource.ts'
import type { NetworkName } from '../format/networks.ts'
import { query, setQuery } from '../state/place.ts'
import { CandleChart } from './candle-chart.tsx'
import { Card } from './card.tsx'
import { Loaded } from './loaded.tsx'
import { Empty } from './notices.tsx'
import { Skeleton } from './skeleton.tsx'

const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const
const CANDLES = 300
const REFRESH_MS = 10_000

interface CandlesCardProps {
  network: NetworkName
  token: string
  /** Restricts the candles to one pool. */
  pool?: string
}

/** Shows candles with volume, and keeps them current. The interval is in the address bar. */
export function CandlesCard({ network, token, pool }: CandlesCardProps) {
  const interval = INTERVALS.find((each) => each === query.value.get('interval')) ?? '1h'
  const selection = { network, token, interval, limit: CANDLES, ...(pool !== undefined && { pool }) }
  const { state, reload } = useResource(
    `candles ${JSON.stringify(selection)}`,
    (signal) => api.call('listCandles', selection, { signal }),
    { refreshMs: REFRESH_MS },
  )
  const actions = (
    <fieldset class="tabs" aria-label="Interval of the candles">
      {INTERVALS.map((each) => (
        <button key={each} type="button" aria-pressed={each === interval} onClick={() => setQuery({ interval: each })}>
          {each}
        </button>
      ))}
    </fieldset>
  )
  return (
    <Card title="Price and volume" note="in USD" actions={actions}>
      <Loaded {...{ state, reload }} what="The candles" skeleton={<Skeleton lines={5} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No trade with a price is stored here." />
          ) : (
            <CandleChart candles={data} label={`Price and volume by ${interval}, ${data.length} candles`} />
          )
        }
      </Loaded>
    </Card>
  )
}
