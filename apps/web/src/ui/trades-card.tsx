import type { StreamSwap, SwapLeg } from '@dexfeed/client'
import { useSignal } from '@preact/signals'
import { type LiveTrade, type LiveTrades, useLiveTrades } from '../data/use-live-trades.ts'
import { ratioOf } from '../format/decimal.ts'
import { type NetworkName, networkOf } from '../format/networks.ts'
import { query } from '../state/place.ts'
import { Ago } from './ago.tsx'
import { Badge, NetworkBadge } from './badge.tsx'
import { Card } from './card.tsx'
import { Choice, choiceOf, NetworkChoice } from './choice.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Amount, Price, Usd } from './figures.tsx'
import { Flags } from './flags.tsx'
import { Side } from './flow.tsx'
import { TokenLink, TraderLink, TransactionLinks } from './links.tsx'
import { MoreButton } from './more-button.tsx'
import { Skeleton } from './skeleton.tsx'

const ROWS = 20
const MAX_ROWS = 500

/** Thresholds in USD. */
const LEAST = [
  ['', 'Any value'],
  ['100', 'From $100'],
  ['1000', 'From $1,000'],
  ['10000', 'From $10,000'],
  ['100000', 'From $100,000'],
] as const

interface TradesCardProps {
  /** Null shows the network in the address bar, or all networks. */
  network: NetworkName | null
  /** Shows trades of this token, as buys and sells of it. */
  token?: string
  trader?: string
}

/** Shows trades as they are indexed. A paused list stays as it is. */
export function TradesCard({ network: fixed, token, trader }: TradesCardProps) {
  const network = fixed ?? networkOf(query.value.get('network'))
  const least = choiceOf('min_usd', LEAST)
  const filter = {
    ...(network !== null && { network }),
    ...(least !== '' && { min_usd: least }),
    ...(token !== undefined && { token }),
    ...(trader !== undefined && { trader }),
  }
  const limit = useSignal(ROWS)
  const live = useLiveTrades(filter, limit.value)
  const paused = useSignal<readonly LiveTrade[] | null>(null)
  const { trades, status } = live.value
  const toggle = () => {
    paused.value = paused.value === null ? live.value.trades : null
  }
  const missed = paused.value === null ? 0 : countNew(trades, paused.value)
  const actions = (
    <>
      <StatusBadge {...live.value} />
      {trader !== undefined && <NetworkChoice />}
      <Choice label="Least value of the trades" name="min_usd" options={LEAST} />
      <button type="button" class="button" aria-pressed={paused.value !== null} onClick={toggle}>
        {paused.value === null
          ? 'Pause'
          : `Resume${missed > 0 ? ` (${missed === limit.value ? `${missed}+` : missed} new)` : ''}`}
      </button>
    </>
  )
  const shown = paused.value ?? trades
  return (
    <Card title="Live trades" note="as they are indexed" actions={actions}>
      {status === 'connecting' && shown.length === 0 ? (
        <Skeleton rows={ROWS} />
      ) : (
        <>
          <DataTable
            caption="Live trades"
            columns={columnsOf({ token, withNetwork: fixed === null, withTrader: trader === undefined })}
            rows={shown}
            keyOf={({ key }) => key}
            classOf={({ removed }) => (removed ? 'removed' : undefined)}
            empty="No trade is indexed yet."
          />
          <MoreButton
            hasMore={paused.value === null && trades.length === limit.value && limit.value < MAX_ROWS}
            loading={status === 'connecting'}
            onMore={() => {
              limit.value = Math.min(MAX_ROWS, 3 * limit.value)
            }}
          />
        </>
      )}
    </Card>
  )
}

interface ColumnOptions {
  token: string | undefined
  withNetwork: boolean
  withTrader: boolean
}

function columnsOf({ token, withNetwork, withTrader }: ColumnOptions): readonly Column<LiveTrade>[] {
  const network: Column<LiveTrade> = {
    head: 'Network',
    wideOnly: true,
    cell: ({ swap }) => <NetworkBadge network={swap.network} />,
  }
  const trader: Column<LiveTrade> = {
    head: 'Trader',
    cell: ({ swap }) => <TraderLink network={swap.network} trader={swap.trader} />,
  }
  return [
    { head: 'Age', cell: ({ swap }) => <Ago iso={swap.time} /> },
    { head: 'Side', cell: ({ swap }) => <Side side={sidesOf(swap, token).side} /> },
    {
      head: 'Value',
      numeric: true,
      cell: ({ swap }) => (
        <>
          <Flags flags={swap.flags} /> <Usd value={swap.trade_volume_usd} exact />
        </>
      ),
    },
    { head: 'Price', numeric: true, wideOnly: true, cell: ({ swap }) => <Price value={priceOf(swap, token)} /> },
    { head: 'Token', cell: ({ swap }) => <LegCell network={swap.network} leg={sidesOf(swap, token).base} /> },
    { head: 'For', cell: ({ swap }) => <LegCell network={swap.network} leg={sidesOf(swap, token).quote} /> },
    ...(withNetwork ? [network] : []),
    ...(withTrader ? [trader] : []),
    { head: 'Transaction', cell: ({ swap }) => <TransactionLinks network={swap.network} hash={swap.tx_hash} /> },
  ]
}

function LegCell({ network, leg }: { network: NetworkName; leg: SwapLeg }) {
  return (
    <span class="leg-cell">
      <Amount value={leg.amount_decimal} /> <TokenLink {...{ network, symbol: leg.symbol, address: leg.address }} />
    </span>
  )
}

interface Sides {
  side: 'buy' | 'sell' | null
  base: SwapLeg
  quote: SwapLeg
}

/** Returns the trade as a buy or sell of a token; without one, of the token that the API says is not money. */
function sidesOf(swap: StreamSwap, token: string | undefined): Sides {
  const { buy_token: bought, sell_token: sold } = swap
  const side = token === undefined ? swap.side : isLegOf(token, bought, sold) ? 'buy' : 'sell'
  return side === 'sell' ? { side, base: sold, quote: bought } : { side, base: bought, quote: sold }
}

/** Returns USD per whole token. A value with a flag may be of something else than what was traded. */
function priceOf(swap: StreamSwap, token: string | undefined): string | null {
  return swap.flags.length > 0 ? null : ratioOf(swap.trade_volume_usd, sidesOf(swap, token).base.amount_decimal)
}

/** The coin counts as its wrapper, so a leg without an address is the token's if the other leg is not. */
function isLegOf(token: string, leg: SwapLeg, other: SwapLeg): boolean {
  return leg.address === token || (leg.address === '' && other.address !== token)
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
