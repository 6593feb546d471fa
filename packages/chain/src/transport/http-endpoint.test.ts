import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { BodyBuffers, httpEndpoint, receiveResponse } from './http-endpoint.ts'

/** Starts a server that returns the request's text, repeated, in the way that the path names. Returns its URL. */
async function startEcho(): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const [, way, times] = (request.url ?? '').split('/')
    const body = Buffer.from(text.repeat(Number(times)))
    if (way === 'packed') return void response.setHeader('content-encoding', 'gzip').end(gzipSync(body))
    if (way === 'whole') return void response.setHeader('content-length', body.length).end(body)
    if (way === 'cut') response.setHeader('content-length', body.length + 1)
    for (let at = 0; at < body.length; at += 100_000) {
      response.write(body.subarray(at, at + 100_000))
      await delay(1)
    }
    if (way === 'cut') response.destroy()
    else response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function echo() {
  const pool = new Pool(await startEcho(), { connections: 4 })
  onTestFinished(() => pool.destroy())
  return (way: string, times: number, text: string) =>
    receiveResponse(pool, { path: `/${way}/${times}`, method: 'POST', body: text }, 10_000_000)
}

it('keeps responses apart that arrive at the same time and one after the other', async () => {
  const request = await echo()
  const ways = ['whole', 'pieces', 'packed', 'cut']
  const requested = Array.from({ length: 60 }, (_, i) => ({
    way: ways[i % ways.length] ?? '',
    times: 1 + ((i * 7919) % 40_000),
    // Some texts are not ASCII.
    text: `${i}${i % 5 === 0 ? 'µ€' : '--'}`,
  }))
  const received = requested.map(({ way, times, text }) => request(way, times, text).catch(() => null))
  for (const [i, response] of (await Promise.all(received)).entries()) {
    const { way = '', times = 0, text = '' } = requested[i] ?? {}
    const whole = text.repeat(times)
    // Compared as one value, so that a failure does not print megabytes.
    expect(response?.text === whole, way).toBe(way !== 'cut')
    if (way === 'whole' || way === 'pieces') expect(response?.bytes).toBe(Buffer.byteLength(whole))
  }
})

it('receives an empty body', async () => {
  const request = await echo()
  expect(await request('whole', 0, 'x')).toMatchObject({ statusCode: 200, text: '', bytes: 0 })
})

it.each(['whole', 'pieces', 'packed'])('asks for less after a response over the limit (%s)', async (way) => {
  const endpoint = httpEndpoint({
    url: `${await startEcho()}/${way}/1000`,
    timeoutMs: 30_000,
    maxResponseBytes: 10_000,
    connections: 1,
    onDisconnect: () => undefined,
  })
  onTestFinished(() => endpoint.close())
  const logs = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x9' }] }
  const failure = await endpoint.post([logs], AbortSignal.timeout(30_000)).catch((error: unknown) => error)
  expect(failure).toMatchObject({ message: expect.stringContaining('over the size limit'), verdict: { kind: 'range' } })
})

const MIB = 1024 * 1024

it('gives the smallest of the free buffers that will do, and a new one where none does', () => {
  const buffers = new BodyBuffers()
  const [small, large] = [buffers.take(1), buffers.take(MIB + 1)]
  expect([small.length, large.length]).toEqual([64 * 1024, 2 * MIB])
  buffers.put(large)
  buffers.put(small)
  expect(buffers.take(0)).toBe(small)
  expect(buffers.take(10)).toBe(large)
  expect(buffers.take(10)).not.toBe(large)
})

it('keeps a few of those that were given back, and none of extraordinary size', () => {
  const buffers = new BodyBuffers()
  const taken = [1, 2, 3, 4, 5, 6, 7].map((count) => buffers.take(count * MIB))
  const [smallest, ...others] = taken
  const huge = buffers.take(17 * MIB)
  for (const buffer of [huge, ...taken]) buffers.put(buffer)
  const again = taken.map(() => buffers.take(1))
  expect(again.slice(0, 6).every((buffer) => others.includes(buffer))).toBe(true)
  expect([smallest, huge]).not.toContain(again[6])
})
