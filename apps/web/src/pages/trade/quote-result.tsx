import type { AmountQuote } from '@dexfeed/client'
import { decimalText, percentText, significantText } from '../../format/decimal.ts'
import { durationText } from '../../format/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Amount, UNKNOWN, Usd } from '../../ui/figures.tsx'
import { ExplorerLink, TokenLink } from '../../ui/links.tsx'
import { impactTone } from './impact-tone.ts'
import { RouteView } from './route-view.tsx'
import { nameOf, Warnings } from './warnings.tsx'

export function QuoteResult({ quote }: { quote: AmountQuote }) {
  const { network, sell_token: sell, buy_token: buy, block } = quote
  return (
    <div class="quote">
      <Warnings quote={quote} />
      <p class="quote-line">
        <span>
          <strong>
            <Amount value={quote.amount_in_decimal} digits={8} />
          </strong>{' '}
          <TokenLink network={network} symbol={sell.symbol} address={sell.address} />
          <small>
            <Usd value={quote.amount_in_usd} exact />
          </small>
        </span>
        <span aria-hidden="true">→</span>
        <span>
          <strong>
            <Amount value={quote.amount_out_decimal} digits={8} />
          </strong>{' '}
          <TokenLink network={network} symbol={buy.symbol} address={buy.address} />
          <small>
            <Usd value={quote.amount_out_usd} exact />
          </small>
        </span>
      </p>
      <RouteView quote={quote} />
      <dl class="facts">
        <Fact name="Price">
          1 {nameOf(sell)} = {significantText(quote.price, 8)} {nameOf(buy)}
        </Fact>
        <Fact name="Price impact">
          <Impact fraction={quote.price_impact} />
        </Fact>
        <Fact name="Fees paid to pools">
          <Usd value={quote.fees_usd} exact />
        </Fact>
        <Fact name="Gas, estimated">
          {quote.gas_estimate.toLocaleString('en')} units
          {quote.gas_usd !== null && (
            <>
              , <Usd value={quote.gas_usd} exact />
            </>
          )}
        </Fact>
        <Fact name="Block">
          <ExplorerLink network={network} kind="block" id={block.number} />{' '}
          <Badge tone={block.age_s > 60 ? 'warning' : 'good'}>{durationText(block.age_s)} old</Badge>
        </Fact>
      </dl>
    </div>
  )
}

function Impact({ fraction }: { fraction: string | null }) {
  if (fraction === null) return UNKNOWN
  const tone = impactTone(fraction)
  const text = `${decimalText(percentText(fraction), 4)} %`
  return tone === null ? <span>{text}</span> : <Badge tone={tone}>{text}</Badge>
}
