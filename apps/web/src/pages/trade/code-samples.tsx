import { useSignal } from '@preact/signals'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { Question } from './question.ts'

const KINDS = [
  ['curl', 'curl'],
  ['code', 'TypeScript'],
] as const

/** Shows code, to be copied, that requests the same quote. */
export function CodeSamples({ question }: { question: Question }) {
  const kind = useSignal<string>('curl')
  const text = kind.value === 'curl' ? curlOf(question) : codeOf(question)
  const actions = (
    <>
      <Tabs
        label="Language of the example"
        options={KINDS}
        value={kind.value}
        onChoose={(chosen) => {
          kind.value = chosen
        }}
      />
      <CopyButton text={text} />
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
