import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Hex } from '@dexfeed/dex'
import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it } from 'vitest'
import { hex, memoryChain } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'

const MAX_BYTES = 64 * 1024 * 1024

it.each<[string, (response: ServerResponse, id: number) => void]>([
  ['truncated JSON', (response, id) => void response.end(`{"jsonrpc":"2.0","id":${id},"result":{"nu`)],
  [
    'HTML 502',
    (response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>'),
  ],
  ['HTML 200', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')],
  ['another id', (response, id) => void response.end(JSON.stringify({ jsonrpc: '2.0', id: id + 1, result: null }))],
  ['neither result nor error', (response, id) => void response.end(JSON.stringify({ jsonrpc: '2.0', id }))],
  ['an empty body', (response) => void response.end()],
  ['a redirect', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['a closed connection', (response) => void response.destroy()],
  [
    'a connection closed within the body',
    (response) => void response.writeHead(200, { 'content-length': '100' }).write('{'),
  ],
  ['a body that never ends', (response) => void response.write('{"jsonrpc":"2.0",')],
  ['no response', () => undefined],
])('goes to the next endpoint on %s', async (_, misbehave) => {
  const world = memoryChain(1, 3)
  const [a, b] = [await node(world), await node(world)]
  a.exchange = ([first], response) => {
    misbehave(response, first?.id ?? 0)
    return true
  }
  const { chain, lines } = client([a.url, b.url], { requestTimeoutMs: 300 })
  expect((await chain.header(3))?.number).toBe(3)
  expect(lines.filter(({ level, text }) => level === 'warn' && text.includes(a.url))).toHaveLength(1)
})

it('does not mind a wrong content type', async () => {
  const a = await node(memoryChain(1, 3))
  a.exchange = (_, response) => {
    response.setHeader('content-type', 'text/plain')
    return false
  }
  const { chain } = client([a.url])
  expect((await chain.head()).number).toBe(3)
})

it('reads compressed responses, and cuts off one that grows over the limit', async () => {
  const a = await node(memoryChain(1, 3))
  a.exchange = ([first], response) => {
    if (!first) return false
    const padding = ' '.repeat(first.params[0] === hex(2) ? MAX_BYTES : 0)
    const result = a.chain.respond(first.method, first.params)
    response.setHeader('content-encoding', 'gzip')
    response.end(gzipSync(JSON.stringify({ id: first.id, result, padding })))
    return true
  }
  const { chain } = client([a.url])
  expect((await chain.header(3))?.number).toBe(3)
  expect((await failure(chain.header(2))).message).toContain('over the size limit')
})

it('sends the credentials of a URL as a header', async () => {
  const a = await node(memoryChain(1, 3))
  const seen: unknown[] = []
  a.exchange = (_, response) => {
    seen.push(response.req.headers.authorization)
    return false
  }
  await client([a.url.replace('//', '//me:p%40ss@')]).chain.head()
  expect(seen).toEqual(Array(3).fill(`Basic ${Buffer.from('me:p@ss').toString('base64')}`))
})

it('retries once, without a penalty, on a connection that was closed while idle', async () => {
  const a = await node(memoryChain(1, 3))
  const { chain, lines } = client([a.url])
  await chain.head()
  let closed = false
  a.exchange = (_, response) => {
    if (closed) return false
    closed = true
    response.socket?.destroy()
    return true
  }
  await chain.head()
  expect(closed).toBe(true)
  expect(lines).toEqual([])
})

it('cuts off a response that grows over the limit, and goes to the next endpoint', async () => {
  const world = memoryChain(1, 3)
  const [a, b] = [await node(world), await node(world)]
  const { chain, lines } = client([a.url, b.url])
  await chain.head()
  const piece = 'x'.repeat(2 ** 20)
  let sent = 0
  a.exchange = (_, response) => {
    const more = (): void => {
      sent += piece.length
      if (!response.destroyed) response.write(piece, more)
    }
    more()
    return true
  }
  expect((await chain.header(3))?.number).toBe(3)
  expect(lines.map(({ text }) => text).join()).toContain('the response is over the size limit')
  // The sockets' buffers may have held some more.
  expect(sent).toBeLessThan(MAX_BYTES + 10_000_000)
})

it('sends fewer requests in a batch to an endpoint that refuses large ones', async () => {
  const world = memoryChain(1, 40)
  const a = await node(world)
  a.exchange = (requests, response) => {
    if (requests.length <= 3) return false
    response.writeHead(400).end(
      JSON.stringify({
        id: null,
        error: { code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' },
      }),
    )
    return true
  }
  const { chain } = client([a.url])
  expect(await chain.readBlocks(1, 30)).toHaveLength(30)
  const sizes = a.batches.map(({ length }) => length)
  expect(Math.max(...sizes.slice(-5))).toBeLessThanOrEqual(3)
})

it('immediately sends as many requests per batch as the node names', async () => {
  const world = memoryChain(1, 40)
  const a = await node(world)
  a.exchange = (requests, response) => {
    if (requests.length <= 7) return false
    const error = { code: -32600, message: 'Too many items in request: max 7' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    return true
  }
  const { chain } = client([a.url])
  const places = world.blocks.map(({ hash, transactions }) => ({ hash: transactions[0]?.hash as Hex, blockHash: hash }))
  expect(await chain.transactionLogs(places)).toHaveLength(places.length)
  const sizes = a.batches.map(({ length }) => length)
  expect(sizes.filter((size) => size > 7)).toHaveLength(1)
})

it('repeats requests that did not fit into a response', async () => {
  const a = await node(memoryChain(1, 60))
  let room = 0
  a.exchange = (requests) => {
    room = 4
    return requests.length === 0
  }
  a.respond = (_request, honest) => {
    if (room-- <= 0) throw new NodeError(-32003, 'response too large')
    return honest()
  }
  const { chain } = client([a.url])
  expect((await chain.readBlocks(1, 20)).map(({ number }) => number)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
})

it('works with a node that does not accept batches', async () => {
  const a = await node(memoryChain(1, 10))
  a.exchange = (requests, response) => {
    if (requests.length === 1) return false
    response.end(JSON.stringify({ id: null, error: { code: -32600, message: 'Invalid Request' } }))
    return true
  }
  const { chain } = client([a.url])
  expect(await chain.readBlocks(1, 4)).toHaveLength(4)
})
