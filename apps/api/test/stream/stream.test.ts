import { connect } from 'node:net'
import { createClient } from '@dexfeed/client'
import { hexNumber, type SeedSwap, seedNetwork, seedPool, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ApiFixture, type FixtureOptions, NOON, openFixture } from '../api-fixture.ts'
import { listenBySocket, listenToEvents } from './listener.ts'

const [A, B] = [hexNumber(0xa), hexNumber(0xb)]

const open = (options: FixtureOptions = {}) =>
  openFixture({
    async fill(owner) {
      const start = { number: 1, time: NOON - 99 }
      await seedNetwork(owner, { network: 'bsc', wrapped: A, start, head: { number: 100, time: NOON }, final: 90 })
      const tokens = [A, B].map((address) => ({ address, symbol: 'T', name: 'T', decimals: 18 }))
      await seedTokens(owner, 'bsc', tokens)
    },
    ...options,
  })

/** Commits a block at the head with this many trades. */
async function grow({ owner, committed }: ApiFixture, block: number, trades = 1): Promise<void> {
  const swaps = Array.from(
    { length: trades },
    (_, transaction): SeedSwap => ({ network: 'bsc', block, time: NOON + block - 100, transaction, sell: A, buy: B }),
  )
  await seedSwaps(owner, swaps, { atHead: true })
  await owner.query('UPDATE network SET head_number = $1, head_hash = $2, head_time = to_timestamp($3)', [
    ...[block, Buffer.from(hexNumber(block, 64).slice(2), 'hex'), NOON + block - 100],
  ])
  await committed()
}

const listenBoth = [
  ['Server-Sent Events', listenToEvents],
  ['a WebSocket', listenBySocket],
] as const

describe.each(listenBoth)('a listener by %s', (_name, listen) => {
  it('resumes after its last id, and gets a reset if that is no longer known', async () => {
    const api = await open()
    const first = await listen(api.api.url, { query: 'network=bsc' })
    await grow(api, 101)
    await expect.poll(() => first.received.map(({ event }) => event)).toEqual(['head', 'swap', 'head'])
    first.close()
    await grow(api, 102)
    const second = await listen(api.api.url, { query: 'network=bsc', lastId: first.lastId })
    const blocks = () => second.received.flatMap(({ event, data }) => (event === 'swap' ? data.block_number : []))
    await expect.poll(blocks).toEqual(['102'])
    expect(second.received.some(({ event }) => event === 'reset')).toBe(false)
    const third = await listen(api.api.url, { lastId: 'bsc.unknown' })
    await expect.poll(() => third.received.map(({ event }) => event)).toEqual(['reset', 'head'])
    expect(third.received[0]).toMatchObject({ data: { network: 'bsc', reason: 'resume', from_block: null } })
    for (const testListener of [second, third]) testListener.close()
  })

  it('that missed more events than are kept gets a reset, and resumes with a filter of few events', async () => {
    const api = await open()
    const first = await listen(api.api.url, { query: 'network=bsc' })
    await expect.poll(() => first.lastId).not.toBeNull()
    const { lastId } = first
    for (const block of [101, 102]) {
      await grow(api, block, 1_000)
      await expect.poll(() => first.received.at(-1)?.data).toMatchObject({ block_number: `${block}` })
    }
    first.close()
    const kinds = async (query: string) => {
      const again = await listen(api.api.url, { query, lastId })
      await expect.poll(() => again.received.at(-1)?.event).toBe('head')
      again.close()
      return again.received.map(({ event }) => event)
    }
    expect(await kinds('network=bsc')).toEqual(['reset', 'head'])
    expect(await kinds('network=bsc&events=price')).not.toContain('reset')
    expect(await kinds(`network=bsc&sell_token=${B}`)).toEqual(['head'])
  })

  it('that reads nothing is warned and cut, and no other listener', async () => {
    const api = await open({ beatMs: 60_000 })
    const [slow, other] = [await listen(api.api.url), await listen(api.api.url)]
    slow.pause()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let block = 101
    const isCut = async () => {
      await grow(api, block++, 2_000)
      // A slow listener is cut after five seconds.
      vi.advanceTimersByTime(6_000)
      const { rows } = await api.owner.query<{ count: number }>('SELECT count(*)::int AS count FROM swap')
      await expect.poll(() => other.received.filter(({ event }) => event === 'swap').length).toBe(rows[0]?.count)
      return (await api.registry.getSingleMetric('dexfeed_api_slow_listeners_total')?.get())?.values[0]?.value
    }
    await expect.poll(isCut, { timeout: 60_000, interval: 200 }).toBe(1)
    slow.resume()
    const code = await slow.ended
    // The event with the reason may be lost in the buffers of the closed connection.
    if (slow.received.at(-1)?.event === 'slow') expect([null, 1_013]).toContain(code)
    other.close()
  })

  it('is disconnected when the API ends, which does not wait for it', async () => {
    const api = await open({ finishMs: 60_000 })
    const listener = await listen(api.api.url)
    await api.api.stop()
    expect([null, 1_001]).toContain(await listener.ended)
  })

  it('takes a place of its client, and frees it', async () => {
    const api = await open({ listenerLimits: { total: 4, perClient: 2 } })
    const own = [await listen(api.api.url), await listen(api.api.url)]
    await expect(listen(api.api.url)).rejects.toThrow('503')
    const others = [await listen(api.api.url, { from: '127.0.0.2' }), await listen(api.api.url, { from: '127.0.0.2' })]
    await expect(listen(api.api.url, { from: '127.0.0.3' })).rejects.toThrow('503')
    for (const testListener of [...own, ...others]) testListener.close()
    await expect
      .poll(() => listen(api.api.url).then((testListener) => void testListener.close(), String))
      .toBeUndefined()
  })
})

it('refuses a protocol that no pool has, and waits for unknown tokens and pools', async () => {
  const pool = { address: hexNumber(0xf), token0: A, token1: B }
  const api = await open({
    async fill(owner) {
      const start = { number: 1, time: NOON - 99 }
      await seedNetwork(owner, { network: 'bsc', wrapped: A, start, head: { number: 100, time: NOON }, final: 90 })
      await seedPool(owner, { network: 'bsc', ...pool })
    },
  })
  for (const [query, where] of [
    ['events=pool&protocol=uniswap-v9', ''],
    ['network=bsc&protocol=uniswap-v9', ' of bsc'],
  ]) {
    const { status, body } = await api.get(`/v1/stream?${query}`)
    const message = `no indexed pool${where} is of this protocol; /v1/protocols lists the names`
    expect([status, body.message ?? body.error], query).toEqual([404, message])
  }
  const { status, body } = await api.get('/v1/stream?network=eth&protocol=seeded')
  expect([status, body.code]).toEqual([404, 'network_not_indexed'])
  for (const query of ['protocol=seeded', `token=${hexNumber(0xc0)}`, `pool=${hexNumber(0xc1)}`]) {
    const listener = await listenToEvents(api.api.url, { query })
    listener.close()
  }
})

describe('a request for another protocol', () => {
  /** Returns the response. The second request is sent after the response to the first. */
  const raw = (url: string, lines: readonly string[], second: readonly string[] = []): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = ''
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(lines.join('\r\n')))
      socket.on('error', reject).setEncoding('utf8')
      socket.on('data', (chunk: string) => {
        if (text === '' && second.length > 0) socket.write(second.join('\r\n'))
        text += chunk
      })
      socket.on('close', () => resolve(text))
    })

  it('is treated as HTTP/1.1, with its body', async () => {
    const { api } = await open()
    const body = '{"requests":[{"path":"/v1/protocols"}]}'
    const head = [
      'Host: x',
      'Connection: Upgrade, HTTP2-Settings, close',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQ',
    ]
    const length = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', body]
    expect(await raw(api.url, ['POST /v1/batch HTTP/1.1', ...head, ...length])).toMatch(
      /^HTTP\/1.1 200 [\s\S]*"status":200/,
    )
    expect(await raw(api.url, ['GET /livez HTTP/1.1', ...head, '', ''])).toMatch(/^HTTP\/1.1 200 /)
    const kept = head.map((line) => line.replace(', close', ''))
    const both = await raw(api.url, ['GET /livez HTTP/1.1', ...kept, '', ''], ['GET /livez HTTP/1.1', ...head, '', ''])
    expect(both.match(/HTTP\/1.1 200 /g)).toHaveLength(2)
  })

  it('that is invalid for the stream is refused like any request', async () => {
    const { api } = await open()
    const head = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket']
    const good = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', '']
    expect(await raw(api.url, ['GET /v1/stream HTTP/1.1', ...head, '', ''])).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":/)
    expect(await raw(api.url, ['GET /v1/stream?events=x HTTP/1.1', ...head, ...good])).toMatch(
      /^HTTP\/1.1 400 [\s\S]*"code":/,
    )
    expect(await raw(api.url, ['GET /v1/stream HTTP/1.1', 'Host: y', ...head, ...good])).toMatch(
      /^HTTP\/1.1 400 [\s\S]*Host/,
    )
    expect(await raw(api.url, ['GET /v1/stream?network=eth HTTP/1.1', ...head, ...good])).toMatch(/^HTTP\/1.1 404 /)
    expect(await raw(api.url, ['POST /v1/stream HTTP/1.1', ...head, ...good])).toMatch(/^HTTP\/1.1 405 /)
  })

  it('HEAD returns the headers of GET', async () => {
    const { api } = await open()
    const response = await fetch(`${api.url}/v1/stream`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  })
})

it('our client resumes from one server that ends to another that begins', async () => {
  const first = await open()
  const ends: { api: ApiFixture }[] = [{ api: first }]
  const client = createClient({
    baseUrl: 'http://stream.example',
    fetch: (url, init) => fetch(String(url).replace('http://stream.example', ends.at(-1)?.api.api.url ?? ''), init),
  })
  const leaving = new AbortController()
  const received: string[] = []
  const reading = (async () => {
    for await (const { event, data } of client.stream({ network: 'bsc' }, { signal: leaving.signal })) {
      received.push(event === 'swap' ? `swap ${data.block_number}` : event)
    }
  })()
  await expect.poll(() => received).toEqual(['head'])
  await grow(first, 101)
  await expect.poll(() => received).toEqual(['head', 'swap 101', 'head'])
  ends.push({ api: await openFixture({ ownerUrl: first.ownerUrl }) })
  await first.api.stop()
  // The second process found the database exactly as the first had left it.
  await expect.poll(() => received.slice(3)).toEqual([expect.stringMatching('head|reset'), ...received.slice(4)])
  const second = ends.at(-1)?.api
  if (second !== undefined) await grow(second, 102)
  await expect.poll(() => received.at(-2)).toBe('swap 102')
  leaving.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
})
