import type { AmountQuote } from '@dexfeed/client'
import { decimalText, percentText, significantText } from '../../format/decimal.ts'
import { plainName } from '../../format/plain-name.ts'
import { durationText } from '../../format/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Amount, Usd } from '../../ui/figures.tsx'
import { ExplorerLink, TokenName } from '../../ui/links.tsx'
import { Notice } from '../../ui/notices.tsx'
import { RouteView } from './route-view.tsx'

export function QuoteResult({ quote }: { quote: AmountQuote }) {
  const { network, sell_token: sell, buy_token: buy, block } = quote
  const symbol = (token: AmountQuote['sell_token']) => plainName(token.symbol) ?? 'token'
  return (
    <div class="quote">
      <p class="quote-line">
        <span>
          <strong>
            <Amount value={quote.amount_in_decimal} digits={8} />
          </strong>{' '}
          <TokenName symbol={sell.symbol} address={sell.address} />
          <small>
            <Usd value={quote.amount_in_usd} exact />
          </small>
        </span>
        <span aria-hidden="true">→</span>
        <span>
          <strong>
            <Amount value={quote.amount_out_decimal} digits={8} />
          </strong>{' '}
          <TokenName symbol={buy.symbol} address={buy.address} />
          <small>
            <Usd value={quote.amount_out_usd} exact />
          </small>
        </span>
      </p>
      {quote.partial !== null && (
        <Notice tone="warning" title="This quote is partial.">
          A pool whose state is not read yet might improve it.
        </Notice>
      )}
      {quote.flags.includes('unlisted-route') && (
        <Notice tone="warning" title="The route passes through a token that is not on the curated list.">
          No route through listed tokens has pools of $1,000 each. The token may refuse your transfer.
        </Notice>
      )}
      {[quote.sell_transfers, quote.buy_transfers].map(({ proof, short }, at) =>
        proof === 'none' || short > 0 ? (
          <Notice key={at} tone="warning" title={`${symbol(at === 0 ? sell : buy)} may not arrive whole.`}>
            {short > 0
              ? `In ${short} transactions of the last week less arrived than was sent.`
              : 'No receipts of the last week show that it can be moved without a tax.'}
          </Notice>
        ) : null,
      )}
      <RouteView quote={quote} />
      <dl class="facts">
        <div>
          <dt>Price</dt>
          <dd>
            1 {symbol(sell)} = {significantText(quote.price, 8)} {symbol(buy)}
          </dd>
        </div>
        <div>
          <dt>Price impact</dt>
          <dd>{quote.price_impact === null ? '–' : `${decimalText(percentText(quote.price_impact), 4)} %`}</dd>
        </div>
        <div>
          <dt>Fees paid to pools</dt>
          <dd>
            <Usd value={quote.fees_usd} exact />
          </dd>
        </div>
        <div>
          <dt>Gas, estimated</dt>
          <dd>
            {quote.gas_estimate.toLocaleString('en')} units
            {quote.gas_usd !== null && (
              <>
                , <Usd value={quote.gas_usd} exact />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Block</dt>
          <dd>
            <ExplorerLink network={network} kind="block" id={block.number} />{' '}
            <Badge tone={block.age_s > 60 ? 'warning' : 'good'}>{durationText(block.age_s)} old</Badge>
          </dd>
        </div>
      </dl>
    </div>
  )
}
