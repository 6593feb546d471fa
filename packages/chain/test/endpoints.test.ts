import type { ServerResponse } from 'node:http'
import { SECOND } from '@dexfeed/dex'
import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it } from 'vitest'
import { BlocksUnavailable, RpcUnavailable, WrongChainId } from '../src/errors/chain-error.ts'
import { hex, memoryChain, POOL } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'
import { altered, refusing } from './scripted-node.ts'
import { hastyClock } from './test-clock.ts'

const KEY = '/v3/0123456789abcdef'

it('uses the preferred endpoint as long as it responds', async () => {
  const world = memoryChain(1, 3)
  const [a, b] = [await node(world), await node(world)]
  const { chain } = client([a.url, b.url])
  for (let i = 0; i < 5; i++) expect((await chain.header(3))?.number).toBe(3)
  expect(b.requested()).toEqual([])
})

it('starts with the last endpoint for a second opinion, and uses the others if it fails', async () => {
  const world = memoryChain(1, 3)
  const nodes = { a: await node(world), b: await node(world) }
  const requested: string[] = []
  for (const [name, one] of Object.entries(nodes)) {
    one.respond = ({ method }, honest) => {
      if (method === 'eth_getLogs') requested.push(name)
      return honest()
    }
  }
  const clock = hastyClock()
  const { chain } = client([nodes.a.url, nodes.b.url], {}, clock)
  // Each range is compared with the other endpoint.
  const range = await chain.readRange(1, 3)
  expect(requested.splice(0)).toEqual(['a', 'b'])
  expect(await chain.readRange(1, 3, { secondOpinion: true })).toEqual(range)
  expect(requested.splice(0)).toEqual(['b', 'a'])
  await nodes.b.stop()
  // Unproven blocks wait for the other endpoint for a day.
  expect(await failure(chain.readRange(1, 3, { secondOpinion: true }))).toBeInstanceOf(BlocksUnavailable)
  await clock.sleep(24 * 60 * 60_000)
  expect(await chain.readRange(1, 3, { secondOpinion: true })).toEqual(range)
  expect(new Set(requested)).toEqual(new Set(['a']))
})

it('hides keys in every error and log line', async () => {
  const world = memoryChain(1, 3)
  const a = await node(world, KEY)
  a.exchange = (_, response) => {
    response.statusCode = 500
    response.end(`no luck at ${a.url} with 0123456789abcdef`)
    return true
  }
  const { chain, lines } = client([a.url, a.wsUrl])
  const error = await failure(chain.header(1))
  expect(error).toBeInstanceOf(RpcUnavailable)
  expect((await chain.verifyChainId()).down).toEqual([a.url.replace(KEY, '/***')])
  const texts = [error.message, String(error.cause), ...lines.map(({ text }) => text)]
  expect(texts.join()).toContain('/***')
  expect(texts.join()).not.toContain('0123456789abcdef')
})

it('refuses URLs that it cannot use', () => {
  expect(() => client(['ftp://example.io/secret'])).toThrow(/not an http.*ftp:\/\/example.io\/\*\*\*/)
  expect(() => client(['ws://127.0.0.1:1'])).toThrow('needs an http(s) RPC URL')
})

it('retries with growing pauses, then fails with the reasons', async () => {
  const a = await node(memoryChain(1, 3))
  const clock = hastyClock()
  const { chain } = client([a.url], { operationTimeoutMs: 20_000 }, clock)
  a.respond = refusing(null, -32603, 'Internal error')
  const error = await failure(chain.header(1))
  expect(error).toBeInstanceOf(RpcUnavailable)
  expect(error).toMatchObject({ retryable: true })
  expect(error.message).toContain(`${a.url} eth_chainId: code -32603: Internal error`)
  expect(clock.slept).toEqual([250, 500, 1000, 2000, 4000, 8000].slice(0, clock.slept.length))
  expect(clock.slept.length).toBeGreaterThan(4)
  a.respond = (_, honest) => honest()
  expect((await chain.header(1))?.number).toBe(1)
})

it('returns to the preferred endpoint after its pause, and checks its chain again', async () => {
  const world = memoryChain(1, 3)
  const [a, b] = [await node(world), await node(world)]
  const clock = hastyClock()
  const { chain, lines } = client([a.url, b.url], {}, clock)
  await chain.header(1)
  a.exchange = (_, response) => {
    response.destroy()
    return true
  }
  await chain.header(1)
  expect(b.requested('eth_getBlockByNumber')).toHaveLength(1)
  // While it was down, another chain was started there.
  a.exchange = () => false
  a.chain = memoryChain(56, 3)
  await clock.sleep(60_000)
  await chain.header(1)
  expect(b.requested('eth_getBlockByNumber')).toHaveLength(2)
  expect(lines.some(({ level, text }) => level === 'warn' && text.includes('serves chain 56, expected 1'))).toBe(true)
  a.chain = world
  await clock.sleep(60_000)
  await chain.header(1)
  expect(b.requested('eth_getBlockByNumber')).toHaveLength(2)
})

it('does not trust another chain that appears after a lost connection', async () => {
  const world = memoryChain(1, 3)
  const [a, b] = [await node(world), await node(world)]
  const { chain } = client([a.url, b.url])
  await chain.header(1)
  a.exchange = (_, response) => {
    a.exchange = () => false
    a.chain = memoryChain(56, 3)
    response.destroy()
    return true
  }
  expect((await chain.header(2))?.hash).toBe(world.blocks[2]?.hash)
})

it('requests the chain id once for all concurrent requests', async () => {
  const a = await node(memoryChain(1, 3))
  const { chain } = client([a.url])
  await Promise.all(Array.from({ length: 20 }, () => chain.header(1)))
  expect(a.requested('eth_chainId')).toHaveLength(1)
})

it('verifies the chain id of every endpoint', async () => {
  const world = memoryChain(1, 3)
  const [a, b, other] = [await node(world), await node(world), await node(memoryChain(137, 3))]
  expect(await client([a.url, b.url, a.wsUrl]).chain.verifyChainId()).toEqual({ responding: 2, down: [] })
  const gone = 'http://127.0.0.1:1'
  expect(await client([a.url, gone, 'ws://127.0.0.1:1']).chain.verifyChainId()).toEqual({
    responding: 1,
    down: [gone, 'ws://127.0.0.1:1'],
  })
  for (const endpoint of [other.url, other.wsUrl]) {
    const message = `${endpoint} serves chain 137, expected 1`
    const expected = { name: 'WrongChainId', message, retryable: false, endpoint }
    expect(await failure(client([a.url, endpoint]).chain.verifyChainId())).toMatchObject(expected)
  }
})

it('never reads from a wrong chain', async () => {
  const other = await node(memoryChain(137, 3))
  const { chain } = client([other.url])
  for (let i = 0; i < 2; i++) expect(await failure(chain.head())).toBeInstanceOf(WrongChainId)
  expect(other.requested('eth_getBlockByNumber')).toEqual([])
})

it.each<[string, (response: ServerResponse) => void, number]>([
  ['Retry-After', (response) => void response.writeHead(429, { 'retry-after': '3' }).end(), 3000],
  ['no Retry-After', (response) => void response.writeHead(429).end('slow down'), 1000],
  ['HTTP 200', (response) => void response.end('{"id":null,"error":{"code":429,"message":"too fast"}}'), 1000],
])('waits as a rate limit with %s says', async (_, refuse, pause) => {
  const a = await node(memoryChain(1, 3))
  const clock = hastyClock()
  const { chain } = client([a.url], {}, clock)
  await chain.header(1)
  let refusals = 0
  a.exchange = (_requests, response) => {
    if (refusals === 1) return false
    refusals++
    refuse(response)
    return true
  }
  expect((await chain.header(2))?.number).toBe(2)
  expect(clock.slept).toEqual([pause])
})

it('does not flood an endpoint that limits the rate', async () => {
  const a = await node(memoryChain(1, 3))
  const { chain } = client([a.url], { operationTimeoutMs: 30_000 })
  await chain.header(1)
  const before = a.batches.length
  a.exchange = (_, response) => {
    response.writeHead(429).end()
    return true
  }
  const requested = await Promise.all(Array.from({ length: 20 }, () => failure(chain.header(1))))
  expect(requested.every((error) => error instanceof RpcUnavailable)).toBe(true)
  // Each operation sends one request, and more after pauses of 1, 2, 4 ... seconds.
  expect(a.batches.length - before).toBeLessThanOrEqual(20 * 6)
})

it('sends fewer requests at a time after a rate limit, and work at the head beside them', async () => {
  const a = await node(memoryChain(1, 3))
  const { chain } = client([a.url])
  a.exchange = (_, response) => {
    a.exchange = () => false
    response.writeHead(429).end()
    return true
  }
  await chain.header(1)
  const held: (() => void)[] = []
  a.exchange = (requests, response) => {
    if (requests.length === 1) return false
    const replies = requests.map(({ id, method, params }) => ({ id, result: a.chain.respond(method, params) }))
    held.push(() => response.end(JSON.stringify(replies)))
    return true
  }
  const lookBack = () => chain.logsOf({ addresses: [POOL], topics: [], from: 1, to: 1 })
  const all = Array.from({ length: 20 }, lookBack)
  await expect.poll(() => held).toHaveLength(6)
  // This request was sent later and has completed, so all earlier ones have arrived.
  await chain.header(1)
  expect(held).toHaveLength(6)
  a.exchange = () => false
  for (const response of held) response()
  expect(await Promise.all(all)).toHaveLength(20)
})

it('stops using eth_getLogs at an endpoint that disabled it, and logs that', async () => {
  const world = memoryChain(56, 3)
  const a = await node(world, KEY)
  a.respond = refusing('eth_getLogs', -32005, 'limit exceeded')
  const { chain, lines } = client([a.url], { network: 'bsc' })
  for (let i = 0; i < 3; i++) expect(await failure(chain.readRange(1, 1))).toBeInstanceOf(RpcUnavailable)
  const requested = a.requested('eth_getLogs').length
  expect(lines.some(({ level, text }) => level === 'warn' && text.includes('eth_getLogs is not served'))).toBe(true)
  const error = await failure(chain.readRange(1, 1))
  expect(error.message).toContain(
    `${a.url.replace(KEY, '/***')} does not serve eth_getLogs: name an endpoint that does`,
  )
  expect(a.requested('eth_getLogs')).toHaveLength(requested)
  // Everything else is still requested there.
  expect((await chain.head()).number).toBe(3)
  const b = await node(world)
  const both = client([a.url, b.url], { network: 'bsc' }).chain
  expect((await both.readRange(0, 3)).blocks).toHaveLength(2)
})

it('tries a method again soon after a single refusal, and counts only refusals in a row', async () => {
  const a = await node(memoryChain(1, 3))
  const clock = hastyClock()
  const { chain } = client([a.url], {}, clock)
  let refusals = 1
  let code = -32601
  a.respond = ({ method }, honest) => {
    if (method === 'eth_getLogs' && refusals-- > 0) throw new NodeError(code, 'limit exceeded')
    return honest()
  }
  expect(await failure(chain.readRange(1, 1))).toBeInstanceOf(RpcUnavailable)
  expect(await failure(chain.readRange(1, 1))).toBeInstanceOf(RpcUnavailable)
  await clock.sleep(10 * SECOND)
  expect((await chain.readRange(1, 1)).blocks).toHaveLength(1)
  // Refused as during a short overload.
  code = -32005
  for (let i = 0; i < 5; i++) {
    refusals = 1
    expect(await failure(chain.readRange(1, 1))).toBeInstanceOf(RpcUnavailable)
    expect((await chain.readRange(1, 1)).blocks).toHaveLength(1)
  }
})

it('waits for a block that is not there yet, at every endpoint, then reports that none has it', async () => {
  const world = memoryChain(1, 3)
  const [a, b] = [await node(world), await node(world)]
  const { chain } = client([a.url, b.url])
  expect(await failure(chain.readRange(2, 9))).toBeInstanceOf(BlocksUnavailable)
  expect(a.requested('eth_getLogs').length).toBeGreaterThan(1)
  expect(b.requested('eth_getLogs').length).toBeGreaterThan(1)
  let nulls = 3
  a.respond = altered('eth_getBlockByNumber', (block, [number]) => (number === hex(3) && nulls-- > 0 ? null : block))
  expect((await client([a.url]).chain.readBlocks(2, 3)).map(({ number }) => number)).toEqual([2, 3])
})

it('does nothing after it was closed', async () => {
  const a = await node(memoryChain(1, 3))
  a.exchange = () => true
  const { chain } = client([a.url])
  const requested = failure(chain.head())
  await chain.close()
  expect(await requested).toMatchObject({ name: 'ChainError', message: 'the chain client is closed', retryable: false })
  expect(await failure(chain.head())).toMatchObject({ retryable: false })
})

it('requests a block from every endpoint, and always its chain id first', async () => {
  const world = memoryChain(1, 3)
  const [a, b, c] = [await node(world), await node(world), await node(memoryChain(1, 1))]
  const { chain } = client([a.url, b.url, c.url])
  const hash = world.blocks[3]?.hash
  expect(await chain.hashesAt(3)).toEqual({ hashes: [hash, hash, null], silent: 0 })
  b.chain = memoryChain(56, 3)
  expect(await chain.hashesAt(3)).toEqual({ hashes: [hash, null], silent: 1 })
})
