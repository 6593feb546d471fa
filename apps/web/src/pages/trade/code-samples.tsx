import { useSignal } from '@preact/signals'
import { Card } from '../../ui/card.tsx'
import type { Question } from './question.ts'

const KINDS = ['curl', 'TypeScript'] as const

/** Shows code, to be copied, that requests the same quote. */
export function CodeSamples({ question }: { question: Question }) {
  const kind = useSignal<(typeof KINDS)[number]>('curl')
  const copied = useSignal('')
  const text = kind.value === 'curl' ? curlOf(question) : codeOf(question)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    copied.value = text
  }
  const actions = (
    <>
      <fieldset class="tabs" aria-label="Language of the example">
        {KINDS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === kind.value}
            onClick={() => {
              kind.value = each
            }}
          >
            {each}
          </button>
        ))}
      </fieldset>
      {/* Browsers offer the clipboard only on localhost and over HTTPS. */}
      {navigator.clipboard !== undefined && (
        <button type="button" class="button" onClick={() => void copy()}>
          {copied.value === text ? 'Copied' : 'Copy'}
        </button>
      )}
    </>
  )
  return (
    <Card title="The same for programs" actions={actions}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard */}
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </Card>
  )
}

function curlOf({ network, sell, buy, amount, side }: Question): string {
  const search = new URLSearchParams({ network, sell, buy, amount, ...(side === 'out' && { side }) })
  return `curl '${location.origin}/v1/quote?${String(search).replaceAll("'", '%27')}'`
}

function codeOf({ network, sell, buy, amount, side }: Question): string {
  const values = { network, sell, buy, amount, ...(side === 'out' && { side }) }
  const lines = Object.entries(values).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  return [
    "import { createClient } from '@dexfeed/client'",
    '',
    `const api = createClient({ baseUrl: ${JSON.stringify(location.origin)} })`,
    "const quote = await api.call('quoteAmount', {",
    ...lines,
    '})',
    'console.log(quote.amount_out_decimal, quote.price_impact)',
  ].join('\n')
}
