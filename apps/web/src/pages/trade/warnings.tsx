import type { AmountQuote } from '@dexfeed/client'
import { compareDecimals, decimalText, percentText } from '../../format/decimal.ts'
import { plainName } from '../../format/plain-name.ts'
import { Usd } from '../../ui/figures.tsx'
import { Notice } from '../../ui/notices.tsx'
import { impactTone } from './impact-tone.ts'

type Token = AmountQuote['sell_token']

/** In USD. */
const DUST = '0.01'

export function nameOf(token: Token): string {
  return plainName(token.symbol) ?? 'token'
}

/** Says in words what speaks against a trade, the worst first. */
export function Warnings({ quote }: { quote: AmountQuote }) {
  const { sell_token: sell, buy_token: buy, flags, partial, amount_in_usd: usd } = quote
  return (
    <>
      <ImpactWarning quote={quote} />
      <TaxWarning token={sell} transfers={quote.sell_transfers} />
      <TaxWarning token={buy} transfers={quote.buy_transfers} />
      {flags.includes('unlisted-token') && (
        <Notice tone="warning" title="A token of this trade is not on the curated list.">
          Anyone can create a token with any name. Compare its address before you rely on it.
        </Notice>
      )}
      {flags.includes('unlisted-route') && (
        <Notice tone="warning" title="The route passes through a token that is not on the curated list.">
          No route through listed tokens has pools of $1,000 each. The token may refuse your transfer.
        </Notice>
      )}
      {usd !== null && compareDecimals(usd, DUST) < 0 && (
        <Notice title="This amount is dust.">It is worth less than a cent: the gas costs more than it brings.</Notice>
      )}
      {partial !== null && (
        <Notice tone="warning" title="This quote is partial.">
          A pool whose state is not read yet might improve it.
        </Notice>
      )}
    </>
  )
}

function ImpactWarning({ quote }: { quote: AmountQuote }) {
  const { price_impact: impact, amount_in_usd: given, amount_out_usd: got } = quote
  const tone = impact === null ? null : impactTone(impact)
  if (impact === null || tone === null) return null
  const percent = decimalText(percentText(impact), 2)
  return (
    <Notice
      tone={tone}
      title={tone === 'danger' ? `You would lose ${percent} % to this trade's own price.` : `It costs ${percent} %.`}
    >
      {tone === 'danger'
        ? 'The pools are too small for this amount. '
        : 'Fees, and the price that this amount itself moves. '}
      {given !== null && got !== null && (
        <>
          You give <Usd value={given} exact /> and get <Usd value={got} exact />.
        </>
      )}
    </Notice>
  )
}

interface TaxWarningProps {
  token: Token
  transfers: AmountQuote['sell_transfers']
}

function TaxWarning({ token, transfers: { proof, short } }: TaxWarningProps) {
  if (proof !== 'none' && short === 0) return null
  return (
    <Notice tone="warning" title={`${nameOf(token)} may not arrive whole: it may take a tax.`}>
      {short > 0
        ? `In ${short} transactions of the last week less arrived than was sent.`
        : 'No receipts of the last week show that it can be moved without one.'}
    </Notice>
  )
}
