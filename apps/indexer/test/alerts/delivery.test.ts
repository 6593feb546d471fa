import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { BlockHeader } from '@dexfeed/dex'
import type { AlertChange, IndexerStore } from '@dexfeed/store'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { closeAfter, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { listen } from '@dexfeed/test-setup/listen'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { alertChange } from '../../src/alerts/alert-change.ts'
import { parseAlerts } from '../../src/alerts/alert-rules.ts'
import { Alerts, type AlertsFile } from '../../src/alerts/alerts.ts'
import { judgeLag } from '../../src/alerts/judge-lag.ts'
import { RuleIndex } from '../../src/alerts/rule-index.ts'
import { WebhookQueues } from '../../src/alerts/webhook-queues.ts'
import { quiet } from '../scene/made-values.ts'
import { openStore } from '../scene/open-store.ts'
import { configOf, hashOf, makeWorld, purchase, rowsOf, START, startWriter, WRAPPER } from './alert-world.ts'

const world = makeWorld(1)
const [token] = world.tokens
const [pool] = world.pools
if (token === undefined || pool === undefined) throw new Error('the world is empty')

const RULE = { name: 'high', network: 'eth', kind: 'price', token, above: '5' }

interface Message {
  id: string
  body: { id: string; sequence: number; status: string; rule: string; price_usd: string | null }
}

/** Receives webhooks. `answer` sends the response. */
async function receiver(answer: (response: ServerResponse, message: Message) => void) {
  const messages: Message[] = []
  const port = await listen(async (request, response) => {
    const message = { id: String(request.headers['webhook-id']), body: JSON.parse(await text(request)) }
    messages.push(message)
    answer(response, message)
  })
  return { messages, url: `http://127.0.0.1:${port}/` }
}

let databaseUrl: string
let store: IndexerStore
let epoch: number

beforeEach(async () => {
  databaseUrl = await testDatabase()
  store = (await openStore(databaseUrl)).store
  epoch = await startWriter(store)
})

const blockAt = (number: number, branch = 0): BlockHeader => ({
  number,
  hash: hashOf(number, branch),
  timestamp: START + number,
  parentHash: hashOf(number - 1, branch && number === branch ? 0 : branch),
})

/** Commits a block in which the token trades at a price in dollars. */
async function commit(
  alerts: Alerts,
  block: BlockHeader,
  usd: number,
  rollbackTo: number | null = null,
): Promise<void> {
  const trades = pool === undefined ? [] : [purchase(pool, usd, block, 0)]
  const removed = pool === undefined ? [] : [pool]
  const rollback = rollbackTo === null ? null : { to: rollbackTo, removed }
  const rows = {
    blocks: [block],
    trades,
    moves: [],
    states: [],
    head: block,
    rollback,
  }
  const { judge, wake } = alerts.of('eth')
  const commit = headCommit(epoch, [block], { ...rowsOf(world), trades, judge: judge(rows) }, { rollbackTo })
  await store.commitHead(commit)
  wake()
}

function startAlerts(file: Pick<AlertsFile, 'config'> & Partial<AlertsFile>, log = quiet) {
  const stop = new AbortController()
  const place = { redisUrl: null, databaseUrl }
  const options = {
    place,
    log,
    ended: stop.signal,
    networks: [{ network: 'eth' as const, wrappedNative: WRAPPER, store, log }],
  }
  const alerts = new Alerts({ path: '/nowhere', text: 'ENOENT', parse: () => ({ problems: [] }), ...file }, options)
  const running = alerts.run()
  const end = closeAfter(async () => {
    stop.abort()
    await running
  })
  return { alerts, end }
}

const of = (rules: readonly object[], ...urls: string[]) =>
  configOf(
    rules,
    urls.map((url, n) => ({ name: `hook${n}`, url, private: true })),
  )

describe('alerts', () => {
  it('reach each webhook with the same id at each try, whatever other receivers do, and are retracted', async () => {
    const silent = await receiver(() => undefined)
    const wrong = await receiver(
      (response) => void response.writeHead(301, { location: '/' }).end('x'.repeat(1_000_000)),
    )
    const closing = await receiver((response) => void response.socket?.destroy())
    let failures = 1
    const good = await receiver((response) => void response.writeHead(failures-- > 0 ? 500 : 200).end())
    const gone = 'http://127.0.0.1:1/'
    const { alerts, end } = startAlerts({ config: of([RULE], silent.url, wrong.url, closing.url, gone, good.url) })
    await commit(alerts, blockAt(1), 4)
    await commit(alerts, blockAt(2), 6)
    await commit(alerts, blockAt(3), 7)
    await vi.waitFor(() => expect(good.messages).toHaveLength(2), { timeout: 30_000 })
    const [first, second] = good.messages
    expect(second).toEqual(first)
    expect(first?.body).toMatchObject({
      status: 'fired',
      rule: 'high',
      price_usd: '6',
      network: 'eth',
      block_number: '2',
    })
    await commit(alerts, blockAt(2, 2), 4, 1)
    await vi.waitFor(() => expect(good.messages).toHaveLength(3), { timeout: 30_000 })
    const retracted = good.messages[2]
    expect(retracted?.body).toEqual({ ...first?.body, status: 'retracted', sequence: (first?.body.sequence ?? 0) + 1 })
    expect(retracted?.id).not.toBe(first?.id)
    await vi.waitFor(() => expect([wrong, closing].every(({ messages }) => messages.length > 1)).toBe(true), {
      timeout: 30_000,
    })
    await end()
    // After a restart, the new alert is sent. The retraction may come again, if the queue was stopped before it noted it.
    const again = startAlerts({ config: of([RULE], silent.url, wrong.url, closing.url, gone, good.url) })
    await commit(again.alerts, blockAt(3, 2), 9)
    await vi.waitFor(() => expect(good.messages.at(-1)?.body).toMatchObject({ status: 'fired', price_usd: '9' }), {
      timeout: 30_000,
    })
    expect(new Set(good.messages.slice(2).map(({ id }) => id)).size).toBe(2)
  })

  it('of the past are sent once their queue can be reached', async () => {
    const good = await receiver((response) => void response.end())
    const { config } = { config: of([RULE], good.url) }
    const idle = new Alerts(
      { path: '', text: '', config, parse: () => ({ problems: [] }) },
      {
        log: quiet,
        place: { redisUrl: null, databaseUrl },
        networks: [{ network: 'eth', wrappedNative: WRAPPER, store, log: quiet }],
        ended: AbortSignal.abort(),
      },
    )
    await commit(idle, blockAt(1), 6)
    expect(await store.waitingAlerts('hook0', 10)).toHaveLength(1)
    startAlerts({ config })
    await vi.waitFor(() => expect(good.messages).toHaveLength(1), { timeout: 30_000 })
    await vi.waitFor(async () => expect(await store.waitingAlerts('hook0', 10)).toEqual([]))
  })

  it('of an unknown webhook wait, and those of others do not', async () => {
    const good = await receiver((response) => void response.end())
    const { alerts } = startAlerts({
      config: {
        ...of([RULE], good.url),
        rules: [...of([{ ...RULE, name: 'old' }], good.url).rules].map((rule) => ({
          ...rule,
          webhooks: ['gone', 'hook0'],
        })),
      },
    })
    await commit(alerts, blockAt(1), 6)
    await vi.waitFor(() => expect(good.messages).toHaveLength(1), { timeout: 30_000 })
    await vi.waitFor(async () => expect(await store.waitingAlerts('hook0', 10)).toEqual([]))
    expect(await store.waitingAlerts('gone', 10)).toHaveLength(1)
  })

  it('that wait for other webhooks are not read again', async () => {
    const good = await receiver((response) => void response.end())
    const { config } = { config: of([], good.url) }
    const queues = new WebhookQueues({ place: { redisUrl: null, databaseUrl }, log: quiet })
    closeAfter(() => queues.close())
    await queues.use(config.webhooks)
    const change = (number: number, webhooks: string[]): AlertChange => ({
      rule: `rule ${number}`,
      condition: '{}',
      id: hashOf(number, 0),
      status: 'fired',
      blockNumber: null,
      time: START,
      details: JSON.stringify({ rule: `rule ${number}` }),
      webhooks,
    })
    const reads: [number, number][] = []
    const waiting = {
      ...store,
      async waitingAlerts(...[name, limit, after = 0]: Parameters<typeof store.waitingAlerts>) {
        const found = await store.waitingAlerts(name, limit, after)
        reads.push([after, found.length])
        return found
      },
    }
    const backlog = Array.from({ length: 300 }, (_, n) => change(n, n % 2 === 0 ? ['gone'] : ['gone', 'hook0']))
    await store.storeAlerts(backlog)
    // The last one for the queue is row 300, and what another webhook waits for follows.
    await store.storeAlerts([change(300, ['gone'])])
    expect(await queues.fill('eth', waiting)).toBe(true)
    expect(await queues.fill('eth', waiting)).toBe(false)
    expect(await queues.fill('eth', waiting)).toBe(false)
    expect(reads).toEqual([
      [0, 100],
      [200, 50],
    ])
    await store.storeAlerts([change(301, ['gone', 'hook0'])])
    expect(await queues.fill('eth', waiting)).toBe(false)
    expect(reads.slice(2)).toEqual([[301, 1]])
    await vi.waitFor(() => expect(new Set(good.messages.map(({ id }) => id)).size).toBe(151), { timeout: 30_000 })
    expect(await store.waitingAlerts('hook0', 10)).toEqual([])
  })
})

it('rules are read again when the file changes, and stay as they were if it is not valid', async () => {
  const path = join(await temporaryFolder(), 'alerts.json')
  const parse = (content: string) => parseAlerts(content, new Map(), new Map())
  const write = (rules: unknown) => writeFile(path, JSON.stringify({ rules }))
  const warned: unknown[] = []
  const log = { ...quiet, warn: (values: object) => void warned.push(values) }
  const options = {
    place: { redisUrl: null, databaseUrl },
    log,
    ended: AbortSignal.abort(),
    networks: [{ network: 'eth' as const, wrappedNative: WRAPPER, store, log }],
  }
  const alerts = new Alerts({ path, text: '', config: { rules: [], webhooks: [] }, parse }, options)
  const isJudged = () => {
    const trades = pool === undefined ? [] : [purchase(pool, 1, blockAt(1), 0)]
    return (
      alerts
        .of('eth')
        .judge({ blocks: [blockAt(1)], trades, moves: [], states: [], head: blockAt(1), rollback: null }) !== null
    )
  }
  expect(isJudged()).toBe(false)
  await write([RULE])
  await alerts.readAgain()
  expect(isJudged()).toBe(true)
  await write([{ ...RULE, above: '1e3' }])
  await alerts.readAgain()
  await alerts.readAgain()
  expect(isJudged()).toBe(true)
  expect(warned).toEqual([{ problem: 'rules[0].above: must be a decimal with at most 42 fractional digits' }])
  await write([])
  await alerts.readAgain()
  expect(isJudged()).toBe(false)
})

it('a network that is behind fires once, in however many processes, and is cleared', async () => {
  const rules = configOf(
    [{ name: 'behind', kind: 'behind', seconds: 60 }],
    [{ name: 'hook', url: 'https://a.example' } as { name: string }],
  )
  const index = new RuleIndex(rules.rules, 'eth', WRAPPER)
  const judge = (seconds: number) => judgeLag(store, index, (START + 1 + seconds) * 1_000)
  await judge(1_000)
  await store.commitHead(headCommit(epoch, [blockAt(1)], rowsOf(world)))
  await judge(60)
  expect(await store.waitingAlerts('hook', 10)).toEqual([])
  await Promise.all([judge(61), judge(61), judge(62)])
  await judge(70)
  // What another process has found meanwhile.
  const [rule] = rules.rules
  if (rule === undefined) throw new Error('there is no rule')
  await store.storeAlerts([alertChange({ rule, status: 'fired', block: blockAt(1), facts: {}, staysInReorg: true })])
  const [fired, ...others] = await store.waitingAlerts('hook', 10)
  expect(others).toEqual([])
  expect(JSON.parse(fired?.details ?? '')).toMatchObject({ kind: 'behind', block_number: '1' })
  // A reorg does not remove the cause.
  await store.commitHead(headCommit(epoch, [blockAt(1, 1)], rowsOf(world), { rollbackTo: 0 }))
  await judge(59)
  await judge(61)
  const sent = await store.waitingAlerts('hook', 10)
  expect(sent.map(({ status }) => status)).toEqual(['fired', 'fired'])
  expect(new Set(sent.map(({ id }) => id)).size).toBe(2)
})
