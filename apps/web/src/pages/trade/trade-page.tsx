import type { AmountQuote } from '@dexfeed/client'
import { useSignal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { significantText } from '../../format/decimal.ts'
import type { NetworkName } from '../../format/networks.ts'
import { query, setQuery } from '../../state/place.ts'
import { useTitle } from '../../state/title.ts'
import { Card } from '../../ui/card.tsx'
import { NetworkSelect } from '../../ui/choice.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty, Notice } from '../../ui/notices.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TokenSearch } from '../../ui/token-search.tsx'
import { CodeSamples } from './code-samples.tsx'
import { questionOf } from './question.ts'
import { QuoteResult } from './quote-result.tsx'
import { nameOf } from './warnings.tsx'

const REFRESH_MS = 3_000
const RESULT_DIGITS = 10
/** Also what a user has typed so far, such as `0.`. */
const NUMBER = /^\d{0,40}(\.\d{0,36})?$/

/** Shows the best route for a trade. The address bar holds the whole question. */
export function TradePage() {
  const question = questionOf(query.value)
  const { network, sell, buy, amount, side } = question
  const isNumber = NUMBER.test(amount)
  const isAmount = isNumber && /[1-9]/.test(amount)
  const asked = { ...question, amount: amount.replace(/^\./, '0.').replace(/\.$/, '') }
  const { state, reload } = useResource(
    isAmount ? `quote ${JSON.stringify(asked)}` : null,
    (signal) => api.call('quoteAmount', asked, { signal }),
    { refreshMs: REFRESH_MS },
  )
  const quote = isAmount ? state.value.data : null
  useTitle(quote === null ? 'Trade' : titleOf(quote))
  const swap = () => setQuery({ sell: buy, buy: sell, side: null })
  return (
    <>
      <h1>Trade</h1>
      <div class="trade">
        <Card
          title="What would it bring?"
          actions={
            <NetworkSelect
              network={network}
              onChoose={(chosen) => setQuery({ network: chosen, sell: null, buy: null })}
            />
          }
        >
          <form class="form" onSubmit={(event) => event.preventDefault()}>
            <Leg
              label="Sell"
              {...{ network, token: sell, isGiven: side === 'in' }}
              amount={side === 'in' ? amount : resultText(quote?.amount_in_decimal)}
              onToken={(value) => setQuery({ sell: value })}
              onAmount={(value) => setQuery({ amount: value, side: null })}
            />
            <button type="button" class="button swap" onClick={swap}>
              ⇅ Swap the tokens
            </button>
            <Leg
              label="Buy"
              {...{ network, token: buy, isGiven: side === 'out' }}
              amount={side === 'out' ? amount : resultText(quote?.amount_out_decimal)}
              onToken={(value) => setQuery({ buy: value })}
              onAmount={(value) => setQuery({ amount: value, side: 'out' })}
            />
            {!isNumber && (
              <p class="form-error" role="alert">
                Write an amount such as 1 or 0.25.
              </p>
            )}
          </form>
        </Card>
        {isAmount && (
          <Card title="Quote" note="of the indexed head, not an offer">
            {state.value.data === null && state.value.error?.status === 404 ? (
              <NoQuote reason={state.value.error.message} />
            ) : (
              <Loaded {...{ state, reload }} what="The quote" skeleton={<Skeleton lines={6} />}>
                {(found) => <QuoteResult quote={found} />}
              </Loaded>
            )}
          </Card>
        )}
        {isNumber && !isAmount && (
          <Card title="Quote">
            <Empty title="No amount yet.">Write how much to sell or to buy.</Empty>
          </Card>
        )}
      </div>
      {isAmount && <CodeSamples question={asked} />}
    </>
  )
}

function titleOf({
  amount_in_decimal: sold,
  sell_token: sell,
  amount_out_decimal: bought,
  buy_token: buy,
}: AmountQuote) {
  const leg = (amount: string, token: AmountQuote['sell_token']) => `${significantText(amount, 6)} ${nameOf(token)}`
  return `${leg(sold, sell)} → ${leg(bought, buy)}`
}

/** Says in words that there is no quote, and why. */
function NoQuote({ reason }: { reason: string }) {
  const isRoute = reason.startsWith('no route')
  return (
    <div class="quote">
      <Notice
        tone="warning"
        title={isRoute ? 'There is no route for this trade.' : 'There is no quote for this trade.'}
      >
        {isRoute
          ? 'No pools that are indexed lead from one token to the other, or the amount is too small or too large for them.'
          : `${reason[0]?.toUpperCase()}${reason.slice(1)}.`}
      </Notice>
    </div>
  )
}

/** Shortens the other amount to the width of its field. The quote next to it has all digits. */
function resultText(amount: string | undefined): string {
  return amount === undefined ? '' : significantText(amount, RESULT_DIGITS).replaceAll(',', '')
}

interface LegProps {
  label: 'Sell' | 'Buy'
  network: NetworkName
  token: string
  amount: string
  /** Whether the user entered the amount. */
  isGiven: boolean
  onToken: (token: string) => void
  onAmount: (amount: string) => void
}

function Leg({ label, network, token, amount, isGiven, onToken, onAmount }: LegProps) {
  // A quote that arrives while the field has the focus must not move the user's selection.
  const atFocus = useSignal<string | null>(null)
  return (
    <fieldset class={isGiven ? 'leg leg-given' : 'leg'}>
      <legend>{label}</legend>
      <input
        class="field amount"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        aria-label={`Amount to ${label.toLowerCase()}`}
        maxLength={80}
        value={isGiven ? amount : (atFocus.value ?? amount)}
        onFocus={({ currentTarget }) => {
          atFocus.value = currentTarget.value
        }}
        onBlur={() => {
          atFocus.value = null
        }}
        onInput={({ currentTarget }) => onAmount(currentTarget.value.replace(',', '.').trim())}
      />
      <TokenSearch label={`Token to ${label.toLowerCase()}`} {...{ network, value: token }} onChoose={onToken} />
    </fieldset>
  )
}
