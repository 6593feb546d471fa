import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { DEXSCREENER_ROUTES } from './adapters/dexscreener.ts'
import { failures, foreignPaths, type Operation, type Responses, readPath, success } from './open-api-responses.ts'
import { quoteQuery, swapsQuery } from './requests.ts'
import {
  errorResponse,
  healthResponse,
  quoteResponse,
  statusResponse,
  swapsResponse,
  volumeResponse,
} from './responses.ts'
import { UDF_ROUTES, udfFailure } from './udf.ts'
import { v1Paths } from './v1/open-api-paths.ts'
import { QUOTE_FLAGS_TEXT } from './v1/quotes/quote.ts'

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

const dataComplete = z
  .enum(['true', 'false'])
  .meta({ description: '`false` while a network, or part of the requested time, is not indexed yet' })
const indexedBlock = z
  .string()
  .meta({ description: 'The last indexed block of each network, such as `eth=123, bsc=456`', example: 'bsc=48213377' })

const quoteHeaders = z.object({
  'X-Price-Basis': z.enum(['exact', 'marginal']).meta({
    description:
      '`exact`: the price is what exactly 1.0 sell_token buys. `marginal`: 1.0 buys fewer than 1,000 base units, so ' +
      "the price is the route's marginal rate with 18 significant digits",
  }),
  'X-Indexed-Block': indexedBlock,
  'X-Quote-Route': z
    .string()
    .optional()
    .meta({ description: 'The pools of the route, in order; absent if there is no route' }),
  'X-Price-Impact': z.string().optional().meta({
    description: '1 - price / mid price, where the mid price is that before the trade, without fees; absent if unknown',
    example: '0.00300000',
  }),
  'X-Quote-Flags': z
    .string()
    .optional()
    .meta({
      description: `Flags, separated by commas; absent if there are none. ${QUOTE_FLAGS_TEXT}`,
      example: 'unlisted-route',
    }),
  'X-Quote-Partial': z.enum(['true']).optional().meta({
    description: '`true` while a pool whose state has not been read yet might improve the price; absent otherwise',
  }),
})
const unpriced = z
  .string()
  .meta({ description: 'Number of swaps in this response without a known price', example: '3' })
const flagged = z.string().meta({
  description: 'Number of swaps in this response with a flag of any kind; `/v1/swaps` lists the `flags` of each swap',
  example: '1',
})

const swapsHeaders = z.object({
  'X-Data-Complete': dataComplete,
  'X-Unpriced-Swaps': unpriced,
  'X-Flagged-Swaps': flagged,
  'X-Indexed-Block': indexedBlock,
  Link: z.string().optional().meta({ description: '`<…>; rel="next"` unless the page is the last one' }),
})
const volumeHeaders = z.object({
  'X-Data-Complete': dataComplete,
  'X-Unpriced-Swaps': unpriced.meta({
    description: 'Number of swaps in the seven days without a known price',
    example: '3',
  }),
  'X-Wash-Flagged-Volume-Usd': z
    .string()
    .optional()
    .meta({
      description:
        'The part of the seven-day volume that was traded through pools with signs of wash trading; absent until every ' +
        'day before today has been checked. Details: /v1/wash_flags',
      example: '1203.18000000',
    }),
  'X-Flagged-Swaps': flagged.meta({ description: 'Number of swaps in the seven days with a flag', example: '1' }),
  'X-Indexed-Block': indexedBlock,
})

export function openApiDocument(version: string): OpenApiDocument {
  const steps = openApiSteps(version)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

export function* openApiSteps(version: string): Generator<undefined, OpenApiDocument> {
  const whole = generate(version, [])
  const charts = foreignPaths({ name: 'udf', tag: 'charts', failure: udfFailure }, UDF_ROUTES)
  const adapter = foreignPaths({ name: 'dexscreener', tag: 'adapters', failure: errorResponse }, DEXSCREENER_ROUTES)
  for (const route of [...contractRoutes(), ...v1Paths(), ...charts, ...adapter, ...serviceRoutes()]) {
    yield
    const { paths, components } = generate(version, [route])
    for (const [path, item] of Object.entries(paths ?? {})) {
      whole.paths = { ...whole.paths, [path]: { ...whole.paths?.[path], ...item } }
    }
    whole.components = { ...whole.components, schemas: { ...whole.components?.schemas, ...components?.schemas } }
  }
  return whole
}

function generate(version: string, routes: readonly RouteConfig[]): OpenApiDocument {
  const registry = new OpenAPIRegistry()
  for (const route of routes) registry.registerPath(route)
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'dexfeed',
      version,
      description:
        'Prices, swaps and trade volume of decentralised exchanges. Read-only; every error is `{ "error" }`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'market data', description: 'The three main operations' },
      {
        name: 'v1',
        description: 'Everything else that is stored. An unknown parameter is a 400; errors have a `code`',
      },
      { name: 'charts', description: "TradingView's UDF protocol, for its charting libraries" },
      { name: 'adapters', description: 'Protocols of other services, for programs written against these' },
      { name: 'service', description: 'Health and progress' },
    ],
  })
}

function contractRoutes(): RouteConfig[] {
  return [
    {
      method: 'get',
      path: '/api/quote',
      operationId: 'getQuote',
      tags: ['market data'],
      summary: 'The current swap price of a pair of tokens',
      request: { query: quoteQuery },
      responses: { 200: success('The price', quoteResponse, quoteHeaders), ...failures(errorResponse, [400, 404]) },
    },
    {
      method: 'get',
      path: '/api/swaps_24h',
      operationId: 'listSwaps',
      tags: ['market data'],
      summary: 'The swap transactions of the last 24 hours',
      description:
        'Sorted by ascending block_number, then by network (eth, bsc, polygon), transaction and position in the ' +
        "transaction. Amounts are what the pools' events say: if a token taxes its transfers, the trader may pay or " +
        'receive slightly more or less.',
      request: { query: swapsQuery },
      responses: { 200: success('The swaps', swapsResponse, swapsHeaders), ...failures(errorResponse, [400, 404]) },
    },
    {
      method: 'get',
      path: '/api/trade_volume_usd_7d',
      operationId: 'listDayVolumes',
      tags: ['market data'],
      summary: 'Trade volume and number of trading addresses per day, for today and the six days before',
      description: 'Days are UTC, most recent first. An address that trades on two networks counts once.',
      responses: { 200: success('Seven days', volumeResponse, volumeHeaders), ...failures(errorResponse, []) },
    },
  ]
}

const READY = 'Whether every network has indexed its start window, is up to date, and has read its most traded pools'

const SERVICE: readonly (readonly [path: string, id: string, summary: string, answer: string, body: z.ZodType])[] = [
  ['/livez', 'getLiveness', 'Whether the process runs', 'It runs', healthResponse],
  ['/readyz', 'getReadiness', READY, 'Ready', healthResponse],
  ['/status', 'getStatus', 'Head, indexed block, lag and gaps of every network', 'The networks', statusResponse],
  ['/openapi.json', 'getOpenApiDocument', 'The OpenAPI document', 'The document', z.looseObject({})],
]

function serviceRoutes(): RouteConfig[] {
  const docs = { path: '/docs/', operationId: 'getDocs', summary: 'The OpenAPI document as a web page' }
  const page = { description: 'A page', content: { 'text/html': { schema: z.string() } } }
  const pathOf = (operation: Omit<Operation, 'tag'>, answer: Responses[number]) =>
    readPath({ ...operation, tag: 'service' }, {}, { 200: answer, ...failures(errorResponse, []) })
  return [
    ...SERVICE.map(([path, operationId, summary, answer, body]) =>
      pathOf({ path, operationId, summary }, success(answer, body)),
    ),
    pathOf(docs, page),
  ]
}
