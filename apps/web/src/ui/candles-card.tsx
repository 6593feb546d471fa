import { useMemo } from 'preact/hooks'
import { useCandles } from '../data/use-candles.ts'
import { useLiquidity } from '../data/use-liquidity.ts'
import type { NetworkName } from '../format/networks.ts'
import { query, setQuery } from '../state/place.ts'
import { CandleChart } from './candle-chart.tsx'
import { Card } from './card.tsx'
import { continuousCandles } from './continuous-candles.ts'
import { Loaded } from './loaded.tsx'
import { Empty } from './notices.tsx'
import { Skeleton } from './skeleton.tsx'
import { Tabs } from './tabs.tsx'

const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const

interface Priced {
  address: string
  symbol: string
}

interface CandlesCardProps {
  network: NetworkName
  token: Priced
  /** Restricts the candles to one pool of the token and another one, in which it can be priced, or the reverse. */
  pair?: { pool: string; quote: Priced }
}

/** Shows candles with volume, and keeps them current. Interval, currency and inversion are in the address bar. */
export function CandlesCard({ network, token, pair }: CandlesCardProps) {
  const interval = INTERVALS.find((each) => each === query.value.get('interval')) ?? '1h'
  const isInverted = pair !== undefined && query.value.get('invert') === '1'
  const currency = pair !== undefined && query.value.get('currency') === 'quote' ? 'quote' : 'usd'
  const priced = isInverted ? pair.quote : token
  const money = isInverted ? token : pair?.quote
  const { state, reload, older, readOlder } = useCandles({
    network,
    token: priced.address,
    interval,
    currency,
    fill: 'true',
    ...(pair !== undefined && { pool: pair.pool }),
  })
  const liquidity = useLiquidity(pair === undefined ? null : { network, address: pair.pool, interval })
  const newest = state.value.data?.data ?? []
  const candles = useMemo(() => {
    const oldest = newest.at(-1)?.time
    return continuousCandles([...newest, ...older.filter(({ time }) => oldest !== undefined && time < oldest)])
  }, [newest, older])
  const unit = currency === 'usd' || money === undefined ? 'USD' : money.symbol
  const actions = (
    <>
      {pair !== undefined && money !== undefined && (
        <>
          <Tabs
            label="Currency of the prices"
            options={[
              ['usd', 'USD'],
              ['quote', money.symbol],
            ]}
            value={currency}
            onChoose={(chosen) => setQuery({ currency: chosen === 'quote' ? chosen : null })}
          />
          <button
            type="button"
            class="button"
            aria-pressed={isInverted}
            onClick={() => setQuery({ invert: isInverted ? null : '1' })}
          >
            ⇄ Invert
          </button>
        </>
      )}
      <Tabs
        label="Interval of the candles"
        options={INTERVALS.map((each) => [each, each])}
        value={interval}
        onChoose={(chosen) => setQuery({ interval: chosen })}
      />
    </>
  )
  return (
    <Card title={`${priced.symbol} in ${unit}`} actions={actions}>
      <Loaded {...{ state, reload }} what="The candles" skeleton={<Skeleton lines={5} tall />}>
        {() =>
          candles.length === 0 ? (
            <Empty title="No trade with a price is stored here." />
          ) : (
            <CandleChart
              key={`${priced.address} ${unit} ${interval}`}
              candles={candles}
              liquidity={liquidity}
              label={`${priced.symbol} in ${unit} by ${interval}, with volume: ${candles.length} candles`}
              onOldest={readOlder}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
