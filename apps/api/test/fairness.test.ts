import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { V1Handlers } from '@dexfeed/contract'
import { createMarket, type Token, UnreadPools } from '@dexfeed/dex'
import { closeAfter } from '@dexfeed/test-setup'
import { listen } from '@dexfeed/test-setup/listen'
import { hexNumber } from '@dexfeed/test-setup/seed'
import express, { type RequestHandler } from 'express'
import { expect, it, vi } from 'vitest'
import { dexscreenerRoutes } from '../src/adapters/dexscreener.ts'
import { type GeckoterminalOptions, geckoterminalRoutes } from '../src/adapters/geckoterminal.ts'
import { failureHandler } from '../src/http/http-failure.ts'
import { type HoldBody, heldBodies } from '../src/http/limits/held-bodies.ts'
import { FairQueue } from '../src/http/limits/quotas.ts'
import { RateLimit } from '../src/http/limits/rate-limit.ts'
import { inTurn, Turns } from '../src/http/limits/turns.ts'
import type { LiveMarket } from '../src/quote/live-market.ts'
import { QuoteDesk } from '../src/quote/quote-desk.ts'
import { quoteRoute } from '../src/quote/quote-route.ts'
import { type PageRouteOptions, pageRoute } from '../src/swaps/page-route.ts'
import { TokenCatalog } from '../src/token-catalog.ts'
import { answering, type ReadingOptions } from '../src/v1/answer.ts'
import { Dispatcher } from '../src/v1/dispatcher.ts'
import { v1Routes } from '../src/v1/v1-routes.ts'
import { NOON } from './api-fixture.ts'

const TOKENS = Array.from({ length: 40 }, (_, n) => hexNumber(0x1000 + n))
const CONNECTIONS = 500
const MANY_REQUESTS = 100
const [GREEDY, OTHER] = ['10.0.0.1', '10.0.0.2']

/** Pools between any two tokens, so that a quote has to search thousands of routes. */
function seeds(): Parameters<typeof createMarket>[0] {
  return TOKENS.flatMap((token0, a) =>
    TOKENS.slice(a + 1).map((token1, b) => ({
      pool: { address: hexNumber(0x90_0000 + 100 * a + b), token0, token1, fee: 3_000, tickSpacing: null },
      state: { kind: 'pair', reserve0: 10n ** 24n + BigInt(a), reserve1: 10n ** 24n + BigInt(b * b) } as const,
    })),
  )
}

async function serve(): Promise<number> {
  const network = { network: 'eth', wrappedNative: hexNumber(1), head: { number: 1, timestamp: NOON } }
  const live = { network, market: createMarket(seeds()), unread: new UnreadPools() } as unknown as LiveMarket
  const tokens = (_: string, addresses: readonly string[]): Promise<Token[]> =>
    Promise.resolve(
      addresses.map((address) => ({ address: address as Token['address'], symbol: 'T', name: 'T', decimals: 18 })),
    )
  const catalog = new TokenCatalog({ tokens, symbol: () => Promise.resolve([]) })
  const app = express().set('trust proxy', 1)
  // All of the greedy client's requests arrive at the same time, whatever the network does.
  const held: (() => void)[] = []
  app.use((request, _response, next) => {
    if (request.ip !== GREEDY) return next()
    held.push(next)
    if (held.length === CONNECTIONS) for (const go of held) go()
  })
  const feed = { market: () => live, changing: () => null }
  app.get('/api/quote', quoteRoute(new QuoteDesk({ feed, maxAgeS: 120, now: () => NOON }), catalog))
  return listen(app)
}

it('a client with 500 connections of new quotes does not delay another client', async () => {
  const port = await serve()
  const agents = [new Agent({ keepAlive: true, maxSockets: CONNECTIONS }), new Agent({ keepAlive: true })] as const
  closeAfter(async () => {
    for (const agent of agents) agent.destroy()
  })
  const ask = (agent: Agent, client: string, n: number) =>
    new Promise<number>((resolve, reject) => {
      const [sell, buy] = [TOKENS[n % 40], TOKENS[(n + 1 + Math.floor(n / 40)) % 40]]
      const path = `/api/quote?network=eth&sellToken=${sell}&buyToken=${buy}`
      const answered = (response: IncomingMessage) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      }
      const headers = { 'X-Forwarded-For': client }
      request({ host: '127.0.0.1', port, path, agent, headers }, answered).on('error', reject).end()
    })
  // Opens its connection before any other.
  expect(await ask(agents[1], OTHER, 1_000)).toBe(200)
  let answers = 0
  let first: () => void = () => undefined
  const begun = new Promise<void>((resolve) => {
    first = resolve
  })
  const greedy = Array.from({ length: CONNECTIONS }, (_, n) =>
    ask(agents[0], GREEDY, n).then((status) => {
      answers++
      first()
      return status
    }),
  )
  await begun
  expect(await ask(agents[1], OTHER, 1_001)).toBe(200)
  // Without turns, all greedy requests would be answered first.
  expect(answers).toBeLessThan(CONNECTIONS / 2)
  expect(new Set(await Promise.all(greedy))).toEqual(new Set([200]))
})

it('a client with requests on many connections does not delay another client, whatever they are', async () => {
  const handled: string[] = []
  const app = express().set('trust proxy', 1)
  const work: RequestHandler = (request, response) => {
    handled.push(request.ip ?? '')
    // Blocks the process, as parsing and rendering do.
    for (const until = performance.now() + 1; performance.now() < until; );
    response.end('done')
  }
  app.use(inTurn(new Turns()))
  app.get('/', work)
  const port = await listen(app)
  const ask = (socket: Socket, client: string) => {
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\n\r\n`)
    return once(socket, 'data')
  }
  const sockets = Array.from({ length: MANY_REQUESTS + 1 }, () => connect(port, '127.0.0.1'))
  // The server accepts one connection in a turn of the event loop.
  await Promise.all(sockets.map((socket) => ask(socket, OTHER)))
  handled.length = 0
  // All arrive in one turn of the event loop.
  const greedy = sockets.slice(1).map((socket) => ask(socket, GREEDY))
  await Promise.all(sockets.slice(0, 1).map((socket) => ask(socket, OTHER)))
  expect(handled.indexOf(OTHER)).toBeLessThan(MANY_REQUESTS / 4)
  await Promise.all(greedy)
})

const NO_RATES = new RateLimit(0)
const NO_CHANGES = { subscribe: () => () => {} }
const TURNS = new Turns()
const READING = { figures: { soon: () => Promise.resolve() } } as unknown as ReadingOptions
const LIMITS = { rates: NO_RATES, hold: heldBodies(), turns: TURNS }
const dispatcher = ({ hold } = LIMITS) =>
  new Dispatcher({ ...LIMITS, hold, changes: NO_CHANGES, mark: () => () => true })
const REQUESTS = 20
/** More than there are slots on any machine. */
const MANY = 20

/** Reads of trades that last until the test ends them. `most` is how many ran at the same time. */
class SlowReads {
  readonly #waiting: (() => void)[] = []
  started = 0
  most = 0

  read = async () => {
    this.started++
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      this.most = Math.max(this.most, this.#waiting.length)
    })
    return { rows: [], reached: null, headers: {} }
  }

  letGo(): void {
    this.#waiting.shift()?.()
  }
}

it('reads a few at a time, and a client with many requests does not block another', async () => {
  const reads = new SlowReads()
  let arrived = 0
  const app = express().set('trust proxy', 1)
  app.use((_request, _response, next) => {
    arrived++
    next()
  })
  app.use(v1Routes(answering({ searchSwaps: reads.read } as unknown as V1Handlers, READING), dispatcher()))
  const url = `http://127.0.0.1:${await listen(app)}/v1/swaps`
  const answered: string[] = []
  const ask = async (client: string, limit = REQUESTS + 1) => {
    // Identical requests of a client are one read.
    const response = await fetch(`${url}?limit=${limit}`, { headers: { 'X-Forwarded-For': client } })
    expect(response.status).toBe(200)
    answered.push(client)
  }
  const greedy = Array.from({ length: REQUESTS }, (_, at) => ask(GREEDY, at + 1))
  await expect.poll(() => arrived).toBe(REQUESTS)
  const other = ask(OTHER)
  await expect.poll(() => arrived).toBe(REQUESTS + 1)
  const going = setInterval(() => reads.letGo(), 5)
  await other
  expect(answered.length).toBeLessThan(REQUESTS / 2)
  await Promise.all(greedy)
  clearInterval(going)
  expect(reads.most).toBeLessThan(REQUESTS / 2)
})

it('a request that waits for figures does not block reads that need none', async () => {
  const read = () => Promise.resolve({ rows: [], reached: null, headers: {} })
  let arrive = () => {}
  const figures = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const networks: (string | undefined)[] = []
  const soon = (network?: string) => {
    networks.push(network)
    return figures
  }
  const app = express().use(
    v1Routes(
      answering({ searchSwaps: read, listTokens: read } as unknown as V1Handlers, { ...READING, figures: { soon } }),
      dispatcher(),
    ),
  )
  app.use(failureHandler)
  const url = `http://127.0.0.1:${await listen(app)}`
  const body = JSON.stringify({ requests: [{ path: '/v1/tokens?network=eth' }] })
  const headers = { 'Content-Type': 'application/json' }
  const waiting = [
    ...Array.from({ length: MANY }, (_, at) => fetch(`${url}/v1/tokens?network=bsc&limit=${at + 1}`)),
    ...Array.from({ length: MANY }, () => fetch(`${url}/v1/batch`, { method: 'POST', headers, body })),
  ]
  await expect.poll(() => networks).toHaveLength(2 * MANY)
  expect(new Set(networks)).toEqual(new Set(['bsc', 'eth']))
  expect((await fetch(`${url}/v1/swaps`)).status).toBe(200)
  expect((await fetch(`${url}/v1/tokens?sort=1`)).status).toBe(400)
  arrive()
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
})

it.each(['waits for its turn', 'reads page after page'])(
  'reads no more for a client that has gone: it %s',
  async (when) => {
    let reads = 0
    const gone: Promise<unknown>[] = []
    const leaving: AbortController[] = []
    /** Ends when the client has gone. */
    const pages = async (_filters: unknown, ...more: unknown[]) => {
      reads++
      const { signal } = more.at(-1) as { signal: AbortSignal }
      gone.push(once(signal, 'abort'))
      for (const leave of leaving.splice(0)) leave.abort()
      await gone.at(-1)
      return { rows: [], reached: 1, body: {}, headers: {} }
    }
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const queue = new FairQueue({ slots: 1, perClient: MANY, total: MANY })
    const extent = () => {
      reads++
      return Promise.resolve({ networks: [] })
    }
    const board = { soon: () => Promise.resolve() }
    const context = { extent, board, now: () => NOON } as unknown as GeckoterminalOptions['context']
    const handlers = { getPool: pages, listPoolTrades: pages } as unknown as V1Handlers
    const sender = dispatcher()
    const app = express()
    let left = 0
    app.use((_request, response, next) => {
      response.once('close', () => left++)
      next()
    })
    app.use(geckoterminalRoutes({ handlers, context, queue }, sender), dexscreenerRoutes(context, queue, sender))
    app.use(failureHandler)
    const url = `http://127.0.0.1:${await listen(app)}`
    const gecko = '/adapters/geckoterminal/api/v2/networks'
    const ask = (path: string) => {
      const leave = new AbortController()
      leaving.push(leave)
      return fetch(url + path, { signal: leave.signal }).catch(() => null)
    }
    if (when === 'waits for its turn') {
      const run = vi.spyOn(queue, 'run')
      const first = queue.run('', () => held)
      const waiting = [ask(gecko), ask('/adapters/dexscreener/bsc/latest-block')]
      await expect.poll(() => run.mock.calls).toHaveLength(3)
      for (const leave of leaving) leave.abort()
      await Promise.all(waiting)
      await expect.poll(() => left).toBe(2)
      go()
      await first
      await expect.poll(() => queue.isFree).toBe(true)
      expect(reads).toBe(0)
      return
    }
    const [one, two] = [hexNumber(1), hexNumber(2)]
    for (const path of [`/bsc/pools/multi/${one},${two}`, `/bsc/pools/${one}/trades`]) {
      reads = 0
      await ask(gecko + path)
      await expect.poll(() => queue.isFree).toBe(true)
      expect([path, reads]).toEqual([path, 1])
    }
  },
)

it('holds pages, responses of /v1 and each part of a batch until they are taken', async () => {
  const held: number[] = []
  const hold: HoldBody = (_request, _response, length) => void held.push(length)
  const read = () => Promise.resolve({ rows: [], reached: null, headers: {} })
  const app = express()
  app.use(v1Routes(answering({ searchSwaps: read } as unknown as V1Handlers, READING), dispatcher({ ...LIMITS, hold })))
  const current = () => Promise.resolve({ networks: [], since: 0, cells: new Map(), failures: 0 })
  const day = { current, store: {} } as unknown as PageRouteOptions['day']
  app.get('/page', pageRoute({ day, hold, turns: TURNS, maxAgeS: 60, expected: [], now: () => NOON }))
  const url = `http://127.0.0.1:${await listen(app)}`
  expect((await (await fetch(`${url}/page?limit=1`)).text()).length).toBe(held.pop())
  const number = (await (await fetch(`${url}/v1/swaps`)).text()).length
  expect(held.splice(0)).toEqual([number])
  const requests = [{ path: '/v1/swaps' }, { path: '/v1/swaps' }]
  const headers = { 'Content-Type': 'application/json' }
  const batch = await fetch(`${url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify({ requests }) })
  const { responses } = (await batch.json()) as { responses: unknown[] }
  expect(held).toEqual(responses.map((response) => JSON.stringify(response).length))
})
