import type { ExplainedHop, ExplainedTrade, PoolToken, SwapLeg } from '@dexfeed/client'
import { unitsText } from '../../format/decimal.ts'
import type { NetworkName } from '../../format/networks.ts'
import { plainName } from '../../format/plain-name.ts'
import { shortHex } from '../../format/short-hex.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Amount, Usd } from '../../ui/figures.tsx'
import { FLAG_TEXTS, Flags } from '../../ui/flags.tsx'
import { poolPath, TokenLink, TraderLink, tokenPath } from '../../ui/links.tsx'

const SOURCES: Readonly<Record<NonNullable<ExplainedTrade['usd_source']>, string>> = {
  stablecoin: 'one side is a stablecoin',
  'route-stablecoin': 'a stablecoin on the way through the pools',
  native: 'the price of the coin of the network',
  anchor: 'the price of a reference token',
}

interface ExplainedTradeCardProps {
  network: NetworkName
  trade: ExplainedTrade
  tokens: readonly PoolToken[]
}

/** Shows a trade: the account's amounts, the pools' amounts, the value and the reasons. */
export function ExplainedTradeCard({ network, trade, tokens }: ExplainedTradeCardProps) {
  const { sell_token: sell, buy_token: buy, usd_source: source, flags, notes, settled_for: settled } = trade
  return (
    <Card title={`Trade ${trade.position + 1}`} note="the account gave and got">
      <dl class="facts padded">
        <LegRow label="Sold" {...{ network, leg: sell }} />
        <LegRow label="Bought" {...{ network, leg: buy }} />
        {trade.through_pools !== null && (
          <>
            <LegRow label="Into the pools" {...{ network, leg: trade.through_pools.sell }} />
            <LegRow label="Out of the pools" {...{ network, leg: trade.through_pools.buy }} />
          </>
        )}
        <Fact name="Value">
          <Usd value={trade.trade_volume_usd} exact />{' '}
          {source === null ? '(no price is known)' : `(${SOURCES[source]})`}
        </Fact>
        {settled !== null && (
          <Fact name="For the account">
            <TraderLink network={network} trader={settled} />
          </Fact>
        )}
      </dl>
      {(notes.length > 0 || flags.length > 0) && (
        <>
          <h3>Why it is so</h3>
          <ul class="notes">
            {notes.map(({ code, about, text }) => (
              <li key={`${about} ${code}`}>{text}</li>
            ))}
            {flags
              .filter((flag) => !notes.some(({ code }) => code === flag))
              .map((flag) => (
                <li key={flag}>{FLAG_TEXTS[flag]}</li>
              ))}
          </ul>
        </>
      )}
      <h3>Hops</h3>
      <DataTable
        caption={`Hops of trade ${trade.position + 1}`}
        columns={hopColumns(network, tokens)}
        rows={trade.hops}
        keyOf={({ log_index }) => String(log_index)}
        empty="No hop is stored with this trade."
      />
    </Card>
  )
}

interface LegRowProps {
  label: string
  network: NetworkName
  leg: Pick<SwapLeg, 'symbol' | 'address' | 'amount_decimal'>
}

function LegRow({ label, network, leg }: LegRowProps) {
  return (
    <Fact name={label}>
      <Amount value={leg.amount_decimal} digits={12} />{' '}
      <TokenLink network={network} symbol={leg.symbol} address={leg.address} />
    </Fact>
  )
}

function hopColumns(network: NetworkName, tokens: readonly PoolToken[]): Column<ExplainedHop>[] {
  const cell = (address: string, amount: string) => {
    const token = tokens.find((poolToken) => poolToken.address === address)
    const decimals = token?.decimals ?? null
    return (
      <>
        <Amount value={decimals === null ? null : unitsText(amount, Number(decimals))} />{' '}
        <a href={tokenPath(network, address)}>
          <bdi>{plainName(token?.symbol ?? null) ?? shortHex(address)}</bdi>
        </a>
      </>
    )
  }
  return [
    { head: 'Log', cell: ({ log_index }) => log_index },
    {
      head: 'Pool',
      cell: ({ pool, protocol }) =>
        pool === null ? (protocol ?? '–') : <a href={poolPath(network, pool)}>{protocol ?? shortHex(pool)}</a>,
    },
    { head: 'In', cell: ({ token_in, amount_in }) => cell(token_in, amount_in) },
    { head: 'Out', cell: ({ token_out, amount_out }) => cell(token_out, amount_out) },
    {
      head: 'Value',
      numeric: true,
      cell: ({ trade_volume_usd, flags }) => (
        <>
          <Flags flags={flags} /> <Usd value={trade_volume_usd} exact />
        </>
      ),
    },
  ]
}
