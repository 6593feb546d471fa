import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { projectRoot } from '@dexfeed/service'
import { listen } from '@dexfeed/test-setup/listen'
import { expect, it } from 'vitest'
import { alertChange } from './alert-change.ts'
import { parseAlerts } from './alert-rules.ts'
import { sendWebhook } from './send-webhook.ts'

const guide = readFileSync(join(projectRoot(), 'docs/guide/alerts.md'), 'utf8')
const [, rules = '', body = ''] = guide.split('```json\n').map((part) => part.split('```')[0] ?? '')
const [, code = ''] = guide.split('```js\n').map((part) => part.split('```')[0] ?? '')
const secretOf = (key: string) => `whsec_${Buffer.from(key).toString('base64')}`
const SECRET = secretOf('0123456789abcdef01234567')

const read = () => parseAlerts(rules, new Map([['ops', SECRET]]), new Map())

it("the guide's rules are valid, and its webhook has the fields of a real one", () => {
  const { config, problems } = read()
  expect(problems).toBeUndefined()
  const [rule] = config?.rules ?? []
  if (rule === undefined) throw new Error('the guide has no rule')
  const block = { number: 23_900_000, hash: '0x…', timestamp: Date.UTC(2026, 10, 30, 12) / 1_000 } as const
  const { id, details } = alertChange({ rule, status: 'fired', block, facts: { price_usd: '5000.12' } })
  const example = JSON.parse(body)
  expect({ ...example, id }).toEqual({ id, sequence: 12, status: 'fired', ...JSON.parse(details) })
  expect(example.id).toHaveLength(id.length)
})

it("the guide's code accepts what dexfeed sends, and nothing else", async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = []
  const port = await listen(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) })
    response.end()
  })
  const url = `http://127.0.0.1:${port}`
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const webhook = { url, secret: SECRET, private: true }
  await sendWebhook(webhook, { id: 'eth-1-0xab', body })
  await sendWebhook(webhook, { id: 'eth-1-0xab', body }, { now: Date.UTC(2026, 0) / 1_000 })
  const [now, old] = received
  expect(isGenuine(now?.headers, now?.body, SECRET)).toBe(true)
  expect(isGenuine(old?.headers, old?.body, SECRET)).toBe(false)
  expect(isGenuine(now?.headers, `${now?.body} `, SECRET)).toBe(false)
  expect(isGenuine(now?.headers, now?.body, secretOf('0123456789abcdef01234568'))).toBe(false)
  expect(isGenuine({ ...now?.headers, 'webhook-signature': undefined }, now?.body, SECRET)).toBe(false)
  expect(isGenuine({ ...now?.headers, 'webhook-id': 'eth-2-0xab' }, now?.body, SECRET)).toBe(false)
})
