import { Agent } from 'node:http'
import { type OpenApiDocument, openApiDocument } from '@dexfeed/contract'
import { hexNumber, seedAddressCount, seedDay, seedLiquidity, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'
import { asciiOf, hostile, madeUpRequests } from './contract/made-up-requests.ts'
import { registeredRoutes } from './contract/registered-routes.ts'
import { type RawReply, sendRaw } from './contract/send-raw.ts'
import { WBNB as A, USDT as B, LISTED, seedCovered, seedPair } from './seed-market.ts'

const HOSTILE = hexNumber(0x666)
/** The number of random requests over all routes. */
const RUNS = 100 * inject('scale')

/** Values that the API knows. */
const SENSIBLE = ['WBNB', 'usdt', 'BNB', 'HOSTILE', 'ETH', A, B, HOSTILE, '0x0000000000000000000000000000000000000000']

const document = JSON.parse(JSON.stringify(openApiDocument('test'))) as OpenApiDocument
const paths = Object.keys(document.paths ?? {})
const reads = paths.filter((path) => document.paths?.[path]?.get !== undefined)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

let api: ApiFixture
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedCovered(owner, { network: 'bsc', wrapped: A })
      const names = 'x"\\\u0001\u001f\u007f\u2028\u{1F600}{"error":1}</script>'
      await seedTokens(owner, 'bsc', [
        LISTED.WBNB,
        LISTED.USDT,
        { address: HOSTILE, symbol: names, name: names.repeat(4), decimals: 3, symbols: ['HOSTILE'] },
      ])
      for (const [at, token] of ([A, HOSTILE] as const).entries()) {
        await seedPair(owner, { address: hexNumber(0x900 + at) }, [B, 10n ** 24n], [token, 10n ** 22n])
      }
      const swap = { network: 'bsc', time: NOON - 60, sell: A, sellNative: true, buy: HOSTILE, usd: null } as const
      await seedSwaps(
        owner,
        Array.from({ length: 30 }, (_, at) => ({ ...swap, block: 40 + at, buyAmount: BigInt(at) })),
      )
      await seedLiquidity(owner, [
        {
          network: 'bsc',
          block: 60,
          time: NOON - 40,
          pool: hexNumber(0x900),
          amounts: [5n, 10n ** 18n],
          usd: '1.00000000',
        },
        { network: 'bsc', block: 61, time: NOON - 39, pool: hexNumber(0x901), account: null },
      ])
      await seedDay(owner, { day: '2026-11-21', network: 'bsc', volumeUsd: '12.50000000' })
      await seedAddressCount(owner, '2026-11-21', 3)
    },
  })
})

afterAll(() => agent.destroy())

/** Sends a request with exactly this target to the API. */
function send(path: string, method = 'GET', body?: string): Promise<RawReply> {
  return sendRaw({ url: api.api.url, path, method, agent, body })
}

/** Responses that are not JSON. */
const PAGES = new Set(['/docs/'])

const STILL = new Set(['/docs/', '/openapi.json'])

type Method = 'GET' | 'POST'
const methodsOf = (path: string) =>
  (['GET', 'POST'] as const).filter((method) => document.paths?.[path]?.[method === 'GET' ? 'get' : 'post'])

const validators = new Map<string, ValidateFunction>()

/** Returns the documented schema of a response; fails for a status that is not documented. */
function validatorOf(path: string, status: number, method: Method): ValidateFunction {
  const pointer = `openapi#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
  const known = validators.get(pointer)
  if (known !== undefined) return known
  const validate = ajv.compile({ $ref: pointer })
  validators.set(pointer, validate)
  return validate
}

function expectDocumented(
  path: string,
  { status, type, text }: RawReply,
  method: Method = methodsOf(path)[0] ?? 'GET',
): void {
  // A range of blocks can end after those that are indexed.
  const isEarly = status === 503 && path === '/adapters/dexscreener/{network}/events' && /not indexed yet/.test(text)
  if (!isEarly) expect(status, text).toBeLessThan(500)
  if (PAGES.has(path) && status === 200) return
  if (path === '/v1/stream' && status === 200) {
    expectEvents(text)
    return
  }
  if (status === 200 && type.startsWith('text/csv')) {
    expect(document.paths?.[path]?.get?.responses?.['200']).toHaveProperty(['content', 'text/csv'])
    return
  }
  expect(type).toMatch(/^application\/json/)
  const body: unknown = JSON.parse(text)
  const validate = validatorOf(path, status, method)
  expect(validate(body), `${status} ${JSON.stringify(validate.errors)} ${text.slice(0, 300)}`).toBe(true)
  const inUdf = path.startsWith('/udf/') ? ['s', 'errmsg', 'error'] : ['error']
  const failure = path.startsWith('/v1/') ? ['error', 'code'] : inUdf
  if (status >= 300) expect(Object.keys(body as object)).toEqual(failure)
  if (status >= 300) expect(text).not.toMatch(/node_modules|\bat \/|prisma|postgres|SELECT /i)
}

/** Checks that every event is documented. */
function expectEvents(text: string): void {
  for (const part of text.split('\n\n').slice(0, -1)) {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? ''
    if (field('event') === '') continue
    const event = { event: field('event'), data: JSON.parse(field('data')), ...(field('id') && { id: field('id') }) }
    const validate = ajv.getSchema(STREAM_EVENT) ?? ajv.compile({ $ref: STREAM_EVENT })
    expect(validate(event), `${JSON.stringify(validate.errors)} ${part.slice(0, 300)}`).toBe(true)
  }
}

const STREAM_EVENT = 'openapi#/components/schemas/StreamEvent'

describe('responses match the document', () => {
  it.each([
    ['/api/quote', 'sellToken=WBNB&buyToken=USDT', 200],
    ['/api/quote', 'sellToken=HOSTILE&buyToken=USDT', 200],
    ['/api/quote', 'sellToken=BNB&buyToken=WBNB', 200],
    ['/api/quote', '', 400],
    ['/api/quote', 'sellToken=NOSUCH&buyToken=USDT', 404],
    ['/api/swaps_24h', '', 200],
    ['/api/swaps_24h', 'limit=3', 200],
    ['/api/swaps_24h', 'limit=x', 400],
    ['/api/swaps_24h', 'network=eth', 404],
    ['/api/trade_volume_usd_7d', '', 200],
    ['/v1/networks', '', 200],
    ['/v1/swaps', '', 200],
    ['/v1/swaps', 'trader=0x01', 400],
    ['/v1/swaps', 'network=eth', 404],
    ['/v1/tokens', '', 200],
    ['/v1/tokens', 'search=', 400],
    ['/v1/pools', '', 200],
    ['/v1/protocols', '', 200],
    ['/v1/candles', 'network=bsc&interval=1h&token=0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 200],
    ['/v1/candles', 'network=bsc&interval=2h&token=0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 400],
    ['/v1/candles', 'network=eth&interval=1h&token=0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 404],
    ['/v1/volume', 'network=bsc&interval=1d', 200],
    ['/v1/volume', 'network=bsc', 400],
    ['/v1/stream', 'network=bsc&events=swap,price&last_event_id=bsc.x', 200],
    ['/v1/stream', 'events=none', 400],
    ['/v1/stream', 'network=eth', 404],
    ['/v1/quote', 'network=bsc&sell=WBNB&buy=USDT&amount=1', 200],
    ['/v1/quote', 'network=bsc&sell=HOSTILE&buy=USDT&amount_raw=1000000000000&slippage_bps=1&max_splits=2', 200],
    ['/v1/quote', 'network=bsc&sell=WBNB&buy=USDT&amount=1e9', 400],
    ['/v1/prices', `network=bsc&tokens=${A},${B},${HOSTILE},${hexNumber(0)},${hexNumber(99)}`, 200],
    ['/v1/wash_flags', '', 200],
    ['/v1/wash_flags', 'unknown=1', 400],
    ['/livez', '', 200],
    ['/readyz', '', 200],
    ['/status', '', 200],
    ['/openapi.json', '', 200],
  ])('%s?%s %i', async (path, query, status) => {
    const reply = await send(`${path}?${query}`)
    expect(reply.status).toBe(status)
    expectDocumented(path, reply)
  })

  it('a request by another method has a documented response, too', async () => {
    for (const path of paths) {
      for (const method of methodsOf(path)) expectDocumented(path, await send(path, method), method)
      const other = methodsOf(path).includes('GET') ? 'DELETE' : 'GET'
      expectDocumented(path, await send(path, other))
    }
  })

  it('has every documented route', async () => {
    for (const path of paths.filter((path) => !path.includes('{')))
      for (const method of methodsOf(path)) expect((await send(path, method)).status, path).not.toBe(404)
  })

  it('has no undocumented route', () => {
    const found = registeredRoutes(api).filter((path) => !PARTS_OF_DOCS.has(path) && !path.startsWith(GECKOTERMINAL))
    expect([...new Set(found)].sort()).toEqual([...paths].sort())
  })
})

/** Documented by GeckoTerminal. */
const GECKOTERMINAL = '/adapters/geckoterminal/'

/** Texts for readers. */
const PARTS_OF_DOCS = new Set(['/docs/guide', '/docs/guide/{file}', '/llms.txt'])

describe('random requests', () => {
  it('get documented responses, never a 500', async () => {
    const requests = fc.oneof(
      ...reads.map((path) => ({
        // A quote has the most to get wrong, a constant page nothing.
        weight: path === '/api/quote' || path === '/v1/quote' ? 20 : STILL.has(path) ? 1 : 5,
        arbitrary: fc.tuple(fc.constant(path), madeUpRequests(document, path, SENSIBLE)),
      })),
    )
    const isDocumented = fc.asyncProperty(requests, async ([path, target]) => {
      const reply = await send(target)
      // An empty segment, or dots, lead to another path.
      if (path.includes('{') && reply.status === 404) return
      expectDocumented(path, reply)
    })
    await fc.assert(isDocumented, { numRuns: RUNS })
  }, 600_000)

  it('do so in a batch, too', async () => {
    const some = fc.oneof(
      ...reads.filter((path) => path.startsWith('/v1/')).map((path) => madeUpRequests(document, path, SENSIBLE)),
    )
    const bodies = fc.oneof(
      { weight: 3, arbitrary: fc.array(fc.record({ path: some }), { maxLength: 4 }).map((requests) => ({ requests })) },
      fc.record({ requests: fc.array(fc.record({ path: hostile })) }),
      fc.anything(),
    )
    const isDocumented = fc.asyncProperty(bodies, async (body) => {
      const reply = await send(
        '/v1/batch',
        'POST',
        JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? '',
      )
      expectDocumented('/v1/batch', reply)
      expect(reply.text).not.toMatch(/"status":5/)
    })
    await fc.assert(isDocumented, { numRuns: Math.ceil(RUNS / 10) })
  }, 600_000)

  it('do so with bodies of quotes and prices', async () => {
    const text = fc.oneof(fc.constantFrom(...SENSIBLE, '1', '1.5', 'out', '50', 'uniswap-v3'), hostile)
    const names = ['sell', 'buy', 'amount', 'amount_raw', 'side', 'max_hops', 'max_splits', 'protocols', 'slippage_bps']
    const item = fc.oneof(fc.dictionary(fc.constantFrom(...names, '__proto__'), text), fc.anything())
    const network = fc.oneof({ weight: 5, arbitrary: fc.constant('bsc') }, text)
    const bodies = fc.oneof(
      fc.record({ network, quotes: fc.array(item, { maxLength: 5 }) }),
      fc.record({ network, tokens: fc.array(fc.oneof(fc.constantFrom(A, B, HOSTILE), text), { maxLength: 5 }) }),
      fc.anything(),
    )
    const isDocumented = fc.asyncProperty(fc.constantFrom('/v1/quotes', '/v1/prices'), bodies, async (path, body) => {
      const sent = JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? ''
      const reply = await send(path, 'POST', sent)
      expectDocumented(path, reply, 'POST')
      expect(reply.text).not.toMatch(/"status":50/)
    })
    await fc.assert(isDocumented, { numRuns: Math.ceil(RUNS / 3) })
  }, 600_000)

  it('to unknown paths get {error}', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom('/', '/api/', '/docs/', '/api/quote/', '//'), async (text, start) => {
        const reply = await send(start + asciiOf(text))
        expect(reply.status).toBeLessThan(500)
        if (reply.status === 200) return
        expect(reply.type).toMatch(/^application\/json/)
        expect(Object.keys(JSON.parse(reply.text))).toEqual(['error'])
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  }, 600_000)
})
