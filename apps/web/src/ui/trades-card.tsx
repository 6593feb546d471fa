import { useSignal } from '@preact/signals'
import { type LiveTrade, type LiveTrades, useLiveTrades } from '../data/use-live-trades.ts'
import { decimalText } from '../format/decimal.ts'
import { NETWORKS, type NetworkName, networkOf } from '../format/networks.ts'
import { query, setQuery } from '../state/place.ts'
import { Ago } from './ago.tsx'
import { Badge, NetworkBadge } from './badge.tsx'
import { Card } from './card.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Amount, Usd } from './figures.tsx'
import { Flags } from './flags.tsx'
import { ExplorerLink, TokenName } from './links.tsx'
import { Skeleton } from './skeleton.tsx'

const ROWS = 20

const COLUMNS: readonly Column<LiveTrade>[] = [
  { head: 'Age', cell: ({ swap }) => <Ago iso={swap.time} /> },
  { head: 'Network', wideOnly: true, cell: ({ swap }) => <NetworkBadge network={swap.network} /> },
  {
    head: 'Sold',
    cell: ({ swap: { sell_token: leg } }) => (
      <>
        <Amount value={leg.amount_decimal} /> <TokenName symbol={leg.symbol} address={leg.address} />
      </>
    ),
  },
  {
    head: 'Bought',
    cell: ({ swap: { buy_token: leg } }) => (
      <>
        <Amount value={leg.amount_decimal} /> <TokenName symbol={leg.symbol} address={leg.address} />
      </>
    ),
  },
  {
    head: 'Value',
    numeric: true,
    cell: ({ swap }) => (
      <>
        <Flags flags={swap.flags} /> <Usd value={swap.trade_volume_usd} exact />
      </>
    ),
  },
  {
    head: 'Transaction',
    cell: ({ swap }) => (
      <>
        <ExplorerLink network={swap.network} kind="tx" id={swap.tx_hash} />{' '}
        <a href={`/explain?network=${swap.network}&tx=${swap.tx_hash}`}>why</a>
      </>
    ),
  },
]

/** Thresholds in USD. */
const LEAST = ['', '100', '1000', '10000', '100000'] as const

interface TradesCardProps {
  /** Null shows the network in the address bar, or all networks. */
  network: NetworkName | null
  token?: string
  pool?: string
}

/** Shows trades as they are indexed. A paused list stays as it is. */
export function TradesCard({ network: fixed, token, pool }: TradesCardProps) {
  const network = fixed ?? networkOf(query.value.get('network'))
  const least = LEAST.find((usd) => usd === query.value.get('min_usd')) ?? ''
  const filter = {
    ...(network !== null && { network }),
    ...(least !== '' && { min_usd: least }),
    ...(token !== undefined && { token }),
    ...(pool !== undefined && { pool }),
  }
  const live = useLiveTrades(filter, ROWS)
  const paused = useSignal<readonly LiveTrade[] | null>(null)
  const { trades, status } = live.value
  const toggle = () => {
    paused.value = paused.value === null ? live.value.trades : null
  }
  const missed = paused.value === null ? 0 : countNew(trades, paused.value)
  const actions = (
    <>
      <StatusBadge {...live.value} />
      {fixed === null && <NetworkSelect network={network} />}
      <LeastSelect least={least} />
      <button type="button" class="button" aria-pressed={paused.value !== null} onClick={toggle}>
        {paused.value === null
          ? 'Pause'
          : `Resume${missed > 0 ? ` (${missed === ROWS ? `${ROWS}+` : missed} new)` : ''}`}
      </button>
    </>
  )
  const shown = paused.value ?? trades
  return (
    <Card title="Live trades" note="as they are indexed" actions={actions}>
      {status === 'connecting' && shown.length === 0 ? (
        <Skeleton rows={ROWS} />
      ) : (
        <DataTable
          caption="Live trades"
          columns={COLUMNS}
          rows={shown}
          keyOf={({ key }) => key}
          classOf={({ removed }) => (removed ? 'removed' : undefined)}
          empty="No trade is indexed yet."
        />
      )}
    </Card>
  )
}

function NetworkSelect({ network }: { network: NetworkName | null }) {
  return (
    <select
      class="select"
      aria-label="Network of the trades"
      value={network ?? ''}
      onChange={({ currentTarget }) => setQuery({ network: currentTarget.value })}
    >
      <option value="">All networks</option>
      {Object.entries(NETWORKS).map(([name, { label }]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  )
}

function LeastSelect({ least }: { least: string }) {
  return (
    <select
      class="select"
      aria-label="Least value of the trades"
      value={least}
      onChange={({ currentTarget }) => setQuery({ min_usd: currentTarget.value })}
    >
      {LEAST.map((usd) => (
        <option key={usd} value={usd}>
          {usd === '' ? 'Any value' : `From $${decimalText(usd, 0)}`}
        </option>
      ))}
    </select>
  )
}

function countNew(trades: readonly LiveTrade[], shown: readonly LiveTrade[]): number {
  const known = new Set(shown.map(({ key }) => key))
  return trades.filter(({ key }) => !known.has(key)).length
}

function StatusBadge({ status, reason }: LiveTrades) {
  if (status === 'live') return <Badge tone="good">live</Badge>
  return (
    <Badge tone="warning" {...(reason !== null && { title: reason })}>
      {status === 'connecting' ? 'connecting' : 'reconnecting'}
    </Badge>
  )
}
