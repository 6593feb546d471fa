import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it } from 'vitest'
import type { RequestReport } from '../src/endpoints/endpoint.ts'
import { type MemoryChain, memoryChain } from './memory-chain.ts'
import { client as anyClient, node } from './scene.ts'
import { hastyClock, type ManualClock, manualClock, passUntil as passBy } from './test-clock.ts'

const BLOCKS = 60

/** A client that reads history by its logs. */
const client: typeof anyClient = (urls, options, clock) => anyClient(urls, { proveHistory: 0, ...options }, clock)

/** A chain with a log in every block. */
function world(): MemoryChain {
  const chain = memoryChain(1, 0)
  for (let i = 0; i < BLOCKS; i++) chain.mine([{}])
  return chain
}

const rateOf = (perS: number, burst: number) => ({ rates: [{ perS, burst, unit: 'items' as const }] })

/** A token bucket. `takes` returns whether this many items are served now. */
function bucket(clock: ManualClock, perS: number, burst: number) {
  let [tokens, at] = [burst, clock.now()]
  return {
    takes(items: number): boolean {
      tokens = Math.min(burst, tokens + (perS * (clock.now() - at)) / 1000)
      at = clock.now()
      if (items > tokens + 1e-6) return false
      tokens -= items
      return true
    },
  }
}

const passUntil = (clock: ManualClock, until: () => boolean) => passBy(clock, 10, until)

async function passing<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isDone = false
  void promise.finally(() => {
    isDone = true
  })
  await passUntil(clock, () => isDone)
  return promise
}

it('sends history in batches that fit the budget, and none is refused', async () => {
  const clock = manualClock()
  const a = await node(world())
  const limit = bucket(clock, 20, 10)
  const refused: number[] = []
  a.exchange = (requests, response) => {
    if (limit.takes(requests.length)) return false
    refused.push(requests.length)
    response.writeHead(429).end()
    return true
  }
  const { chain } = client([a.url], rateOf(20, 10), clock)
  expect((await passing(clock, chain.readRange(1, BLOCKS))).blocks).toHaveLength(BLOCKS)
  expect(refused).toEqual([])
  // The rest of the ten is reserved for the head.
  expect(Math.max(...a.batches.map((batch) => batch.length))).toBe(5)
  expect(a.requested('eth_getBlockByNumber').length).toBeGreaterThanOrEqual(BLOCKS)
})

//  history  [3 items]x - - - 1 s - - - [1] [1] [1] ..
//  head               [1] [1] [1]          served by the same endpoint meanwhile
it('splits a refused batch of history, and never sets the endpoint aside for the head', async () => {
  const clock = manualClock()
  const [a, b] = [await node(world()), await node(world())]
  const sizes: number[] = []
  a.exchange = (requests, response) => {
    if (requests.length === 1) return false
    sizes.push(requests.length)
    if (requests.length <= 2) return false
    response.writeHead(429).end()
    return true
  }
  const { chain, lines } = client([a.url, b.url], {}, clock)
  const history = chain.readRange(1, BLOCKS)
  await expect.poll(() => sizes).toEqual([3])
  for (let i = 0; i < 3; i++) expect((await chain.header(i))?.number).toBe(i)
  expect(sizes).toEqual([3])
  await passUntil(clock, () => sizes.length > 1)
  expect((await passing(clock, history)).blocks).toHaveLength(BLOCKS)
  // No batch was split only to be refused again.
  expect(sizes.slice(1).every((size) => size <= 2)).toBe(true)
  // The other endpoint is used to compare logs, but not transactions: these are too few blocks.
  expect(b.requested('eth_getLogs')).toHaveLength(1)
  expect(b.requested('eth_getBlockByNumber').filter(({ params }) => params[1] === true)).toEqual([])
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

it('sends no history before the endpoint allows it', async () => {
  const clock = manualClock()
  const a = await node(world())
  let refusals = 0
  a.exchange = (requests, response) => {
    if (requests.length === 1 || refusals > 0) return false
    refusals++
    response.writeHead(429, { 'retry-after': '7' }).end()
    return true
  }
  const { chain } = client([a.url], {}, clock)
  const history = chain.readRange(1, 2)
  await expect.poll(() => refusals).toBe(1)
  await expect.poll(() => clock.waiting()).toBeGreaterThan(0)
  const refusedAt = clock.now()
  await passUntil(clock, () => a.requested('eth_getLogs').length > 1)
  expect(clock.now() - refusedAt).toBeGreaterThanOrEqual(7_000)
  await passing(clock, history)
})

it('moves history to the next endpoint instead of a long wait', async () => {
  const [a, b] = [await node(world()), await node(world())]
  a.exchange = (requests, response) => {
    if (requests.length === 1) return false
    response.writeHead(429, { 'retry-after': '300' }).end()
    return true
  }
  const clock = manualClock()
  const { chain, lines } = client([a.url, b.url], {}, clock)
  expect((await passing(clock, chain.readRange(1, BLOCKS))).blocks).toHaveLength(BLOCKS)
  // The other endpoint is worth a short wait to confirm the logs, but not 300 s.
  expect(clock.now()).toBeLessThan(30_000)
  expect(a.requested('eth_getLogs')).toHaveLength(1)
  expect((await chain.header(3))?.number).toBe(3)
  expect(b.requested('eth_getLogs')).toHaveLength(1)
  expect(lines.filter(({ level }) => level === 'warn').map(({ text }) => text)).toEqual([
    expect.stringContaining('refuses history'),
    expect.stringContaining('trusted from one endpoint'),
  ])
})

it('repeats only those items of a batch that were refused', async () => {
  const clock = hastyClock()
  const a = await node(world())
  const reports: RequestReport[] = []
  let served = 0
  a.respond = ({ method }, honest) => {
    if (method === 'eth_getBlockByNumber' && ++served > 20 && served <= 30)
      throw new NodeError(429, 'Your app has exceeded its compute units per second capacity')
    return honest()
  }
  const { chain } = client([a.url], { onRequest: (report) => reports.push(report) }, clock)
  expect((await chain.readRange(1, BLOCKS)).blocks).toHaveLength(BLOCKS)
  expect(reports.reduce((sum, { refused }) => sum + refused, 0)).toBe(10)
  // One of them is read with its receipts, because no other endpoint can confirm its logs.
  expect(a.requested('eth_getBlockByNumber')).toHaveLength(BLOCKS + 3 + 10)
  expect(a.requested('eth_getLogs')).toHaveLength(1)
  expect(clock.slept.length).toBeGreaterThan(0)
  await chain.header(1)
  expect(reports.reduce((sum, { items }) => sum + items, 0)).toBe(a.requested().length)
  expect(new Set(reports.map(({ priority }) => priority))).toEqual(new Set(['live', 'bulk']))
})

it('reports a budget that is too small for the head, configured or learned', async () => {
  const a = await node(world())
  const shortfall = (perS: number, urls: readonly string[] = [a.url]) =>
    client(urls, { network: 'bsc', pollMs: 500, ...rateOf(perS, 10) }).chain.budgetShortfall()
  expect(shortfall(8)).toBeNull()
  expect(shortfall(7)).toBe(`${a.url} allows 7 items per second, the head needs about 7.9`)
  expect(shortfall(7, [a.url, a.wsUrl])).toBeNull()
  expect(shortfall(5, [a.url, a.wsUrl])).toContain('the head needs about 5.8')
  const { chain } = client([a.url], { network: 'eth', pollMs: 500 })
  expect(chain.budgetShortfall()).toBeNull()
  await chain.header(1)
  a.exchange = (_, response) => {
    a.exchange = () => false
    response.writeHead(429).end()
    return true
  }
  await chain.header(1)
  expect(chain.budgetShortfall()).toMatch(/allows \d(\.\d)? items per second, the head needs about 2.8/)
})

it('reports how long history waited for its budget', async () => {
  const a = await node(world())
  const reports: RequestReport[] = []
  const { chain } = client([a.url], { ...rateOf(10, 10), onRequest: (report) => reports.push(report) })
  await chain.readRange(1, BLOCKS)
  const waited = (priority: string) =>
    reports
      .filter((requestReport) => requestReport.priority === priority)
      .reduce((sum, { waitedMs }) => sum + waitedMs, 0)
  expect(waited('bulk')).toBeGreaterThan(5_000)
  expect(waited('live')).toBe(0)
})

it('starts each piece of bulk work when allowed, and the head without waiting', async () => {
  const a = await node(world())
  let turns = 0
  const letGo: (() => void)[] = []
  const bulkTurn = () =>
    new Promise<void>((resolve) => {
      turns++
      letGo.push(resolve)
    })
  const { chain } = client([a.url], { bulkTurn })
  const history = chain.readRange(1, BLOCKS)
  await expect.poll(() => turns).toBeGreaterThan(0)
  await chain.readBlocks(1, 3)
  await chain.header(2)
  const before = a.requested().length
  const going = setInterval(() => {
    for (const go of letGo.splice(0)) go()
  }, 1)
  try {
    expect((await history).blocks).toHaveLength(BLOCKS)
  } finally {
    clearInterval(going)
  }
  expect(turns).toBeGreaterThan(1)
  expect(a.requested().length).toBeGreaterThan(before)
})
