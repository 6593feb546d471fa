import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import type { ApiFixture } from '@dexfeed/api/test/api-fixture'
import { openApiDocument } from '@dexfeed/contract'
import { callApi } from '@dexfeed/mcp/call-api'
import { mcpServers } from '@dexfeed/mcp/mcp-server'
import { serveHttp } from '@dexfeed/mcp/serve-http'
import { createLogger, projectRoot } from '@dexfeed/service'
import { closeAfter } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { beforeAll, expect, test } from 'vitest'
import { openGuideWorld, PAIR, USDT, WBNB } from './guide-world.ts'

const PROGRAM = join(projectRoot(), 'apps/mcp/dist/mcp.js')

let api: ApiFixture
let newServer: () => Server
let client: Client
beforeAll(async () => {
  api = await openGuideWorld()
  newServer = mcpServers(callApi({ url: api.api.url }))
  client = await connect(newServer)
})

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Body = any

interface Result {
  body: Body
  headers: Record<string, string>
  isError: boolean
  text: string
}

async function clientOf(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' })
  closeAfter(() => client.close())
  await client.connect(transport)
  return client
}

async function connect(newServer: () => Server): Promise<Client> {
  const [own, other] = InMemoryTransport.createLinkedPair()
  await newServer().connect(other)
  return await clientOf(own)
}

async function call(client: Client, name: string, parameters: Record<string, unknown> = {}): Promise<Result> {
  const result = (await client.callTool({ name, arguments: parameters })) as CallToolResult
  const [first] = result.content
  const text = first?.type === 'text' ? first.text : ''
  if (result.isError !== true) expect(JSON.parse(text)).toEqual(result.structuredContent)
  const { body, headers } = (result.structuredContent ?? {}) as { body: Body; headers: Record<string, string> }
  return { body, headers, isError: result.isError === true, text }
}

const bsc = { network: 'bsc' }

const CALLS: Record<string, [parameters: Record<string, unknown>, check: (result: Result) => void]> = {
  getQuote: [
    { sellToken: 'WBNB', buyToken: 'USDT' },
    ({ body, headers }) => {
      expect(Number(body.result.price)).toBeCloseTo(597.9, 0)
      expect(headers).toMatchObject({ 'x-price-basis': 'exact' })
    },
  ],
  listSwaps: [
    { limit: 2 },
    ({ body, headers }) => {
      expect(body).toHaveLength(2)
      expect(headers.link).toMatch(/cursor=.*; rel="next"/)
    },
  ],
  listDayVolumes: [{}, ({ body }) => expect(body).toHaveLength(7)],
  searchSwaps: [
    { ...bsc, token: WBNB, limit: 3 },
    ({ body }) => expect(body.data.map((swap: Body) => swap.block_number)).toEqual(['120', '119', '118']),
  ],
  getTransaction: [
    { ...bsc, tx_hash: hexNumber(120, 64) },
    ({ body }) => expect(body.trades[0].sell_token).toMatchObject({ symbol: 'WBNB', amount: `120${'0'.repeat(18)}` }),
  ],
  getDepth: [
    { ...bsc, token: WBNB, pool: PAIR.address },
    ({ body }) => expect(body.sell.levels.map(({ bps }: Body) => bps)).toEqual([10, 50, 100, 200, 500]),
  ],
  listTokens: [{ ...bsc, search: 'usd' }, ({ body }) => expect(body.data[0].symbol).toBe('USDT')],
  getToken: [{ ...bsc, address: WBNB }, ({ body }) => expect(body.symbol).toBe('WBNB')],
  listPools: [{ ...bsc, token: USDT }, ({ body }) => expect(body.data[0].protocol).toBe('pancakeswap-v2')],
  listPoolTrades: [
    { ...bsc, address: PAIR.address, limit: 3 },
    ({ body }) => expect(body.data[0]).toMatchObject({ price_usd: '600', price_quote: '600' }),
  ],
  getPool: [{ ...bsc, address: PAIR.address }, ({ body }) => expect(body.state.reserve1).toBe(`1${'0'.repeat(21)}`)],
  listNetworks: [
    {},
    ({ body }) => expect(body.data.map((each: Body) => each.network)).toEqual(['eth', 'bsc', 'polygon']),
  ],
  search: [{ ...bsc, q: 'wbnb/usdt' }, ({ body }) => expect(body.pools[0].protocol).toBe('pancakeswap-v2')],
  listProtocols: [{}, ({ body }) => expect(body.data.map((each: Body) => each.name)).toContain('pancakeswap-v2')],
  listCandles: [
    { ...bsc, token: WBNB, interval: '1h', limit: 24 },
    ({ body }) => expect(body.data[0]).toMatchObject({ close: '600', swaps: 1 }),
  ],
  listLiquidityEvents: [
    { ...bsc, kind: 'remove', limit: 1 },
    ({ body }) => expect(body.data[0]).toMatchObject({ block_number: '120', value_usd: '144000.00000000' }),
  ],
  listPoolLiquidity: [
    { ...bsc, address: PAIR.address, interval: '1d' },
    ({ body }) => expect(body.data[0]).toMatchObject({ adds: 6, removes: 6, net_usd: '-7200.00000000' }),
  ],
  listVolume: [{ ...bsc, interval: '1d', limit: 7 }, ({ body }) => expect(body.data[0].trades).toBe(12)],
  listWashFlags: [{}, ({ body }) => expect(body).toHaveProperty('days')],
  quoteAmount: [
    { ...bsc, sell: 'WBNB', buy: 'USDT', amount: '10' },
    ({ body }) => expect(Number(body.amount_out)).toBeGreaterThan(5_900),
  ],
  quoteMany: [
    {
      ...bsc,
      quotes: [
        { sell: 'WBNB', buy: 'USDT', amount: '1' },
        { sell: 'WBNB', buy: 'WBNB', amount: '1' },
      ],
    },
    ({ body }) => expect(body.quotes.map((each: Body) => each.status)).toEqual([200, 400]),
  ],
  getPrices: [{ ...bsc, tokens: WBNB }, ({ body }) => expect(body.prices[0].price_usd).toMatch(/^600/)],
  findPrices: [{ ...bsc, tokens: [WBNB] }, ({ body }) => expect(body.prices[0].price_usd).toMatch(/^600/)],
  batch: [
    { requests: [{ path: '/v1/protocols' }, { path: '/v1/nothing' }] },
    ({ body }) => expect(body.responses.map((each: Body) => each.status)).toEqual([200, 404]),
  ],
}

test('there is a tool for every operation under /api and /v1 except the stream, each with a call below', async () => {
  const operations = Object.entries(openApiDocument('test').paths ?? {})
    .filter(([path]) => /^\/(api|v1)\//.test(path) && path !== '/v1/stream')
    .flatMap(([, methods]) => Object.values(methods as Record<string, { operationId: string }>))
    .map(({ operationId }) => operationId)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(operations)
  expect(Object.keys(CALLS).sort()).toEqual(operations.toSorted())
  for (const { description = '', annotations } of tools) {
    expect(description.length).toBeGreaterThan(20)
    expect(annotations?.readOnlyHint).toBe(true)
  }
})

test('the list of tools is short, because an agent reads all of it', async () => {
  const { tools } = await client.listTools()
  expect(JSON.stringify(tools).length).toBeLessThan(25_000)
})

test('trades of a token are listed by its symbol, newest first', async () => {
  const { body } = await call(client, 'searchSwaps', { ...bsc, token: 'WBNB', limit: 5 })
  const blocks = body.data.map((swap: Body) => Number(swap.block_number))
  expect(blocks).toEqual([120, 119, 118, 117, 116])
})

test.each(Object.entries(CALLS))('%s responds as the API does', async (name, [parameters, check]) => {
  const result = await call(client, name, parameters)
  expect(result.isError, result.text).toBe(false)
  check(result)
})

test('an error is the sentence of the API', async () => {
  const refused = await call(client, 'searchSwaps', { ...bsc, trader: '0x01' })
  const { body } = await api.get('/v1/swaps?network=bsc&trader=0x01')
  expect(refused).toMatchObject({ isError: true, text: `${body.error} (HTTP 400, ${body.code})` })
  expect((await call(client, 'listTokens', { colour: 'red' })).text).toContain('unknown parameter')
  expect((await call(client, 'getToken', { network: 'bsc' })).text).toContain('address')
  await expect(call(client, 'noTool')).rejects.toThrow('unknown tool noTool')
  const away = await call(await connect(mcpServers(callApi({ url: 'http://127.0.0.1:1' }))), 'listProtocols')
  expect(away).toMatchObject({ isError: true, text: expect.stringContaining('http://127.0.0.1:1 does not respond') })
})

test('a result is bounded: few rows by default, and a refusal instead of a long text', async () => {
  expect((await call(client, 'searchSwaps', bsc)).body.data).toHaveLength(20)
  const { isError, text } = await call(client, 'searchSwaps', { ...bsc, limit: 120 })
  expect({ isError, text }).toEqual({
    isError: true,
    text: expect.stringMatching(/larger than 65536 bytes.*below 120/),
  })
})

const log = createLogger({ name: 'test', level: 'silent' })

test('is served over HTTP to this machine, and not to pages of others', async () => {
  const service = await serveHttp(newServer, 0, log)
  closeAfter(() => service.close())
  const own = await clientOf(new StreamableHTTPClientTransport(new URL(service.url)) as Transport)
  expect((await call(own, 'getQuote', { sellToken: 'WBNB', buyToken: 'USDT' })).isError).toBe(false)

  const { port } = new URL(service.url)
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const status = async (headers: Record<string, string>, path = '/mcp', method = 'POST', body = message) => {
    const accept = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...accept, ...headers } })
    sent.end(method === 'POST' ? body : undefined)
    const [response] = await once(sent, 'response')
    response.resume()
    return response.statusCode
  }
  expect(await status({})).toBe(200)
  expect(await status({ Host: `localhost:${port}`, Origin: `http://localhost:${port}` })).toBe(200)
  expect(await status({ Host: `attacker.example:${port}` })).toBe(403)
  expect(await status({ Host: '127.0.0.1' })).toBe(403)
  expect(await status({ Origin: 'http://attacker.example' })).toBe(403)
  expect(await status({ Origin: 'null' })).toBe(403)
  expect(await status({}, '/')).toBe(404)
  expect(await status({}, '/mcp', 'GET')).toBe(405)
  expect(await status({}, '/mcp', 'POST', `"${'x'.repeat(300_000)}"`)).toBe(413)
})

test('the program speaks only the protocol on standard output, and ends with its client', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, '--url', api.api.url],
    stderr: 'ignore',
  })
  const own = await clientOf(transport)
  expect((await call(own, 'listProtocols')).isError).toBe(false)
  await own.close()

  const child = spawn(process.execPath, [PROGRAM, '--url', api.api.url], { stdio: ['pipe', 'pipe', 'pipe'] })
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  child.stderr.resume()
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\nnot JSON\n`)
  await once(child.stdout, 'data')
  child.stdin.end()
  const [code] = await once(child, 'close')
  expect([code, written]).toEqual([0, `${JSON.stringify({ result: {}, jsonrpc: '2.0', id: 1 })}\n`])
})
