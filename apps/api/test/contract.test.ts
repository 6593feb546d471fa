import { Agent, request } from 'node:http'
import { type OpenApiDocument, openApiDocument } from '@dexfeed/contract'
import type { Address } from '@dexfeed/dex'
import {
  hexNumber,
  seedAddressCount,
  seedDay,
  seedNetwork,
  seedPool,
  seedState,
  seedSwaps,
  seedTokens,
} from '@dexfeed/test-setup/seed'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'

const A = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
const B = '0x55d398326f99059ff775485246999027b3197955'
const HOSTILE = hexNumber(0x666)
const RUNS = 1_000

const document = JSON.parse(JSON.stringify(openApiDocument('test'))) as OpenApiDocument
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

let api: ApiFixture
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedNetwork(owner, {
        ...{ network: 'bsc', wrapped: A, start: { number: 1, time: NOON - 99 }, head: { number: 100, time: NOON } },
        covered: [[0, 100, NOON - 99, NOON]],
      })
      const names = 'x"\\\u0001\u001f\u007f\u2028\u{1F600}{"error":1}</script>'
      await seedTokens(owner, 'bsc', [
        { address: A, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18, symbols: ['WBNB'] },
        { address: B, symbol: 'USDT', name: 'Tether', decimals: 18, symbols: ['USDT'] },
        { address: HOSTILE, symbol: names, name: names.repeat(4), decimals: 3, symbols: ['HOSTILE'] },
      ])
      for (const [at, pool] of [A, HOSTILE].entries()) {
        const address = hexNumber(0x900 + at)
        const [token0, token1] = [B, pool].sort() as [Address, Address]
        await seedPool(owner, { network: 'bsc', address, token0, token1 })
        const state = { kind: 'pair', reserve0: 10n ** 24n, reserve1: 10n ** 22n } as const
        await seedState(owner, { network: 'bsc', pool: address, block: 100, state })
      }
      const swap = { network: 'bsc', time: NOON - 60, sell: A, sellNative: true, buy: HOSTILE, usd: null } as const
      await seedSwaps(
        owner,
        Array.from({ length: 30 }, (_, at) => ({ ...swap, block: 40 + at, buyAmount: BigInt(at) })),
      )
      await seedDay(owner, { day: '2026-11-21', network: 'bsc', volumeUsd: '12.50000000' })
      await seedAddressCount(owner, '2026-11-21', 3)
    },
  })
})

afterAll(() => agent.destroy())

interface RawReply {
  status: number
  type: string
  text: string
}

/** A request whose target is sent as it stands. */
function send(path: string, method = 'GET'): Promise<RawReply> {
  const { hostname, port } = new URL(api.api.url)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text })
      })
      response.on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}

const validators = new Map<string, ValidateFunction>()

/** The documented schema of a response; fails for a status that is not documented. */
function validatorOf(path: string, status: number): ValidateFunction {
  const pointer = `openapi#/paths/${path.replaceAll('/', '~1')}/get/responses/${status}/content/application~1json/schema`
  const known = validators.get(pointer)
  if (known !== undefined) return known
  const validate = ajv.compile({ $ref: pointer })
  validators.set(pointer, validate)
  return validate
}

function expectDocumented(path: string, { status, type, text }: RawReply): void {
  expect(status, text).toBeLessThan(500)
  expect(type).toMatch(/^application\/json/)
  const body: unknown = JSON.parse(text)
  const validate = validatorOf(path, status)
  expect(validate(body), `${status} ${JSON.stringify(validate.errors)} ${text.slice(0, 300)}`).toBe(true)
  if (status >= 300) expect(Object.keys(body as object)).toEqual(['error'])
  if (status >= 300) expect(text).not.toMatch(/node_modules|\bat \/|prisma|postgres|SELECT /i)
}

describe('responses are what the document says', () => {
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
    ['/livez', '', 200],
    ['/readyz', '', 200],
    ['/status', '', 200],
    ['/openapi.json', '', 200],
  ])('%s?%s %i', async (path, query, status) => {
    const reply = await send(`${path}?${query}`)
    expect(reply.status).toBe(status)
    expectDocumented(path, reply)
  })

  it('and what is not GET is documented too', async () => {
    for (const path of Object.keys(document.paths ?? {})) expectDocumented(path, await send(path, 'POST'))
  })

  it('has every route that is documented', async () => {
    for (const path of Object.keys(document.paths ?? {})) expect((await send(path)).status, path).not.toBe(404)
  })
})

interface ParameterSchema {
  enum?: string[]
  pattern?: string
}

/** Texts that a parameter's own schema allows. */
function allowed({ enum: values, pattern }: ParameterSchema): fc.Arbitrary<string> {
  if (values !== undefined) return fc.constantFrom(...values, ...values.map((value) => value.toUpperCase()))
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc.oneof(
    fc.constantFrom(
      'WBNB',
      'usdt',
      'BNB',
      'HOSTILE',
      'ETH',
      A,
      B,
      HOSTILE,
      '0x0000000000000000000000000000000000000000',
    ),
    fc.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    fc.stringMatching(/^\d{1,15}-(eth|bsc|polygon)-\d{1,9}-\d{1,9}$/),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }),
  )
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.stringMatching(/^[%0-9a-f&=+;#?/\\.'"<>()[\]{}$:-]{0,40}$/),
  fc.constantFrom(
    '',
    '\0',
    '%00',
    '\r\nX: y',
    '__proto__',
    'constructor',
    'NaN',
    '-1',
    '1e309',
    '9'.repeat(40),
    '٣',
    "' OR 1=1 --",
  ),
)

/** Query strings that the document suggests, each part of them now and then spoiled. */
function queries(path: string): fc.Arbitrary<string> {
  const parameters = (document.paths?.[path]?.get?.parameters ?? []) as { name: string; schema: ParameterSchema }[]
  const pair = (name: string, schema: ParameterSchema) =>
    fc
      .tuple(
        fc.oneof(
          { weight: 9, arbitrary: fc.constant(name) },
          fc.constantFrom(`${name}[]`, `${name}[a]`, name.toUpperCase()),
        ),
        fc.oneof({ weight: 3, arbitrary: allowed(schema) }, hostile),
        fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
      )
      .map(([key, value, encode]) => `${key}=${encode ? encodeURIComponent(value) : asciiOf(value)}`)
  const each = parameters.map(({ name, schema }) => fc.array(pair(name, schema), { minLength: 0, maxLength: 2 }))
  const usual = parameters.map(({ name, schema }) => pair(name, schema))
  const noise = fc.array(hostile.map(asciiOf), { maxLength: 2 })
  return fc.oneof(
    { weight: 2, arbitrary: fc.tuple(...usual).map((parts) => parts.join('&')) },
    fc.tuple(fc.tuple(...each), noise).map(([parts, more]) => [...parts.flat(), ...more].join('&')),
  )
}

/** What an HTTP client can put on the wire at all. */
const asciiOf = (text: string) => text.replace(/[^\x21-\x7e]/g, '')

describe('made-up requests', () => {
  it.each(['/api/quote', '/api/swaps_24h', '/api/trade_volume_usd_7d', '/status'])(
    'to %s are answered as the document says, never with a fault',
    async (path) => {
      await fc.assert(
        fc.asyncProperty(queries(path), async (query) => {
          expectDocumented(path, await send(`${path}?${query}`))
        }),
        { numRuns: path === '/api/quote' ? 2 * RUNS : Math.ceil(RUNS / 3) },
      )
    },
    120_000,
  )

  it('to made-up paths are {error}', async () => {
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
  }, 120_000)
})
