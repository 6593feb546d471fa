import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage, type RequestOptions } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { writeSwapCursor } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import { closeAfter, connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { STREAM_LIMITS, type StreamLimits } from '../src/swaps/list-route.ts'
import { type ApiFixture, type FixtureOptions, NOON, openFixture } from './api-fixture.ts'
import { expectedList } from './expected-list.ts'

// Two networks; per network ROWS swaps up to the final block 900 and 40 swaps above it, up to the head 920.
//
//   block   1 .............................. 900 | 901 ... 920
//           final                                | reorgable
const NETWORKS = ['eth', 'bsc'] as const
const ROWS = 10_000
const PATH = '/api/swaps_24h'
const FINAL = 900
const HEAD = 920
const A = hexNumber(0xa)
const B = hexNumber(0xb)
const timeOf = (block: number) => NOON - (HEAD - block)

let ownerUrl: string
let fixture: ApiFixture
/** Of all tests here, so that nothing is rendered twice. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dexfeed-lists-'))
  closeAfter(() => rm(folder, { recursive: true, force: true }))
  ownerUrl = await testDatabase()
  await fill(await connectTo(ownerUrl))
})

async function fill(owner: Client): Promise<void> {
  for (const network of NETWORKS) {
    await seedNetwork(owner, {
      ...{ network, wrapped: A, start: { number: 1, time: timeOf(1) } },
      ...{ head: { number: HEAD, time: timeOf(HEAD) }, final: FINAL, covered: [[0, HEAD, timeOf(0), timeOf(HEAD)]] },
    })
    const tokens = [A, B].map((address) => ({ address, symbol: 'T', name: 'a token of some name', decimals: 18 }))
    await seedTokens(owner, network, tokens)
    await seedSwaps(
      owner,
      range(ROWS, (at) => swapOf(network, 1 + Math.floor((at * FINAL) / ROWS), at)),
    )
    await seedSwaps(owner, tailOf(network))
  }
}

const tailOf = (network: 'eth' | 'bsc') => range(40, (at) => swapOf(network, FINAL + 1 + Math.floor(at / 2), at))

function swapOf(network: 'eth' | 'bsc', block: number, transaction: number): SeedSwap {
  return {
    ...{ network, block, time: timeOf(block), transaction, sell: A, buy: B, usd: '1.00000000' },
    ...{ sellAmount: 10n ** 20n, buyAmount: 10n ** 24n },
  }
}

function range<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

async function open(options: FixtureOptions = {}): Promise<void> {
  registry.current = new Registry()
  fixture = await openFixture({ ownerUrl, registry: registry.current, listCacheDir: folder, ...options })
}

const limits = (some: Partial<StreamLimits>): FixtureOptions => ({ streamLimits: { ...STREAM_LIMITS, ...some } })

/** The response with its body not yet read. */
function begin(options: RequestOptions = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpGet(fixture.api.url + PATH, { agent: false, ...options }, (response) => {
      response.pause()
      response.on('error', () => undefined)
      closeAfter(() => void request.destroy())
      resolve(response)
    }).on('error', reject)
  })
}

async function rest(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const BRANCH = [swapOf('eth', FINAL + 5, 9_999)]
const AS_BEFORE = NETWORKS.flatMap(tailOf)

/** Replaces everything above the final block, by another branch or by what was there at first. */
async function reorg(owner: Client, branch: readonly SeedSwap[]): Promise<void> {
  await owner.query('BEGIN')
  await owner.query('DELETE FROM swap WHERE block_number > $1', [FINAL])
  await seedSwaps(owner, branch, { atHead: true })
  await owner.query('UPDATE network SET reorgs = reorgs + 1')
  await owner.query('COMMIT')
}

const registry = { current: new Registry() }

async function openStreams(): Promise<number | undefined> {
  const metric = await registry.current.getSingleMetric('dexfeed_api_open_streams')?.get()
  return metric?.values[0]?.value
}

const expected = () => expectedList(fixture.owner, NOON - DAY_S)

describe('a reader that is slow', () => {
  it('gets the list that it began with, whatever happens meanwhile', async () => {
    await open()
    const before = await expected()
    const response = await begin()
    await reorg(fixture.owner, BRANCH)
    const now = (await fixture.get(PATH)).text
    expect((await rest(response)).toString()).toBe(before)
    expect(now).toBe(await expected())
    expect(now).not.toBe(before)
    await reorg(fixture.owner, AS_BEFORE)
  })

  it('is cut off when it takes nothing for too long', async () => {
    await open(limits({ stallMs: 200 }))
    const response = await begin()
    const closed = new Promise((resolve) => response.on('close', resolve))
    await expect.poll(openStreams, { timeout: 20_000 }).toBe(0)
    response.resume()
    await closed
    expect(response.complete).toBe(false)
  })

  it('is cut off after its time when it has taken too little for that', async () => {
    await open(limits({ patientMs: 300, minBytesPerS: 1e9 }))
    const response = await begin()
    const pull = setInterval(() => response.read(100_000), 50)
    closeAfter(() => clearInterval(pull))
    await expect.poll(openStreams, { timeout: 20_000 }).toBe(0)
    clearInterval(pull)
    await expect(rest(response)).rejects.toThrow()
  })

  it('holds its own share, and no more', async () => {
    await open(limits({ maxOpen: 8, maxPerClient: 3 }))
    const mine = { localAddress: '127.0.0.2' }
    const held = [await begin(mine), await begin(mine), await begin(mine)]
    const refused = await begin(mine)
    expect(refused.statusCode).toBe(503)
    expect(refused.headers['retry-after']).toBe('2')
    expect(JSON.parse((await rest(refused)).toString())).toEqual({ error: 'too many lists are being sent to you' })
    for (let other = 3; other < 6; other++) {
      const response = await begin({ localAddress: `127.0.0.${other}` })
      expect((await rest(response)).toString()).toBe(await expected())
    }
    held[0]?.destroy()
    await expect.poll(async () => (await begin(mine)).statusCode).toBe(200)
  })

  it('is one of 64 of one address: others, and more of the same, are served', async () => {
    await open()
    const slow = await Promise.all(range(64, () => begin({ localAddress: '127.0.0.2' })))
    expect(new Set(slow.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const list = await expected()
    expect((await fixture.get(PATH)).text).toBe(list)
    expect((await rest(await begin({ localAddress: '127.0.0.2' }))).toString()).toBe(list)
    expect((await fixture.get(`${PATH}?limit=3`)).body).toHaveLength(3)
  })
})

it('serves pages to 500 connections at once', async () => {
  await open()
  const replies = await Promise.all(range(500, () => begin({ path: `${PATH}?limit=100` })))
  const bodies = await Promise.all(replies.map(rest))
  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  const page = JSON.stringify(JSON.parse(await expected()).slice(0, 100))
  expect(new Set(bodies.map(String))).toEqual(new Set([page]))
})

describe('a list that was broken off', () => {
  it('is gone on with as it was, after it has changed', async () => {
    await open()
    const whole = await begin()
    const tag = whole.headers.etag ?? ''
    const bytes = await rest(whole)
    await reorg(fixture.owner, BRANCH)
    for (const [range, part] of [
      ['bytes=5000000-', bytes.subarray(5_000_000)],
      ['bytes=0-0', bytes.subarray(0, 1)],
      ['bytes=100-90000', bytes.subarray(100, 90_001)],
      ['bytes=-77', bytes.subarray(-77)],
    ] as const) {
      const response = await begin({ headers: { Range: range, 'If-Range': tag } })
      expect(response.statusCode).toBe(206)
      expect(response.headers.etag).toBe(tag)
      expect(Number(response.headers['content-length'])).toBe(part.length)
      expect((await rest(response)).equals(part)).toBe(true)
    }
    const zipped = { 'Accept-Encoding': 'gzip' }
    const gzip = await begin({ headers: zipped })
    const member = await rest(gzip)
    const headers = { ...zipped, Range: 'bytes=100000-', 'If-Range': gzip.headers.etag ?? '' }
    await reorg(fixture.owner, AS_BEFORE)
    const tail = await begin({ headers })
    expect(tail.headers['content-range']).toBe(`bytes 100000-${member.length - 1}/${member.length}`)
    expect((await rest(tail)).equals(member.subarray(100_000))).toBe(true)
  })

  it('is gone on with, however many lists another client breaks off meanwhile', async () => {
    await open()
    const list = await expected()
    const broken = await begin({ localAddress: '127.0.0.2' })
    broken.destroy()
    await expect.poll(openStreams).toBe(0)
    // Each begins behind another row, and so is another list.
    for (let transactionIndex = 0; transactionIndex < 100; transactionIndex++) {
      const blockNumber = 1 + Math.floor((transactionIndex * FINAL) / ROWS)
      const cursor = writeSwapCursor({ network: 'eth', blockNumber, transactionIndex, position: 0 })
      const response = await begin({ localAddress: '127.0.0.3', path: `${PATH}?cursor=${cursor}` })
      expect(response.statusCode).toBe(200)
      response.destroy()
    }
    await reorg(fixture.owner, BRANCH)
    const headers = { Range: 'bytes=5000000-', 'If-Range': broken.headers.etag ?? '' }
    const part = await begin({ localAddress: '127.0.0.2', headers })
    expect(part.statusCode).toBe(206)
    expect((await rest(part)).toString()).toBe(list.slice(5_000_000))
    await reorg(fixture.owner, AS_BEFORE)
  })

  it('is sent whole when nobody remembers it, and no range of another one is', async () => {
    await open()
    const stranger = await begin({ headers: { Range: 'bytes=5-', 'If-Range': '"something else"' } })
    expect(stranger.statusCode).toBe(200)
    expect((await rest(stranger)).toString()).toBe(await expected())
    expect((await begin({ headers: { Range: 'bytes=5-', 'If-Match': '"something else"' } })).statusCode).toBe(412)
    const outside = await begin({ headers: { Range: 'bytes=999999999-' } })
    expect(outside.statusCode).toBe(416)
    expect(outside.headers['content-range']).toMatch(/^bytes \*\/\d+$/)
  })
})

describe('the state of the list', () => {
  it('is told by a strong ETag, by which nothing is sent twice', async () => {
    await open()
    const [first, again] = [await begin(), await begin()]
    const tag = first.headers.etag ?? ''
    expect(tag).toMatch(/^"[\w-]+"$/)
    expect(again.headers.etag).toBe(tag)
    const same = await begin({ headers: { 'If-None-Match': tag } })
    expect(same.statusCode).toBe(304)
    expect(same.headers.etag).toBe(tag)
    expect(await rest(same)).toHaveLength(0)
    await reorg(fixture.owner, BRANCH)
    const changed = await begin({ headers: { 'If-None-Match': tag } })
    expect(changed.statusCode).toBe(200)
    expect(changed.headers.etag).not.toBe(tag)
    await reorg(fixture.owner, AS_BEFORE)
  })

  it('is the same for another process, and after a restart', async () => {
    await open()
    const tags = [(await begin()).headers.etag]
    await open()
    tags.push((await begin()).headers.etag, (await begin()).headers.etag)
    expect(new Set(tags).size).toBe(1)
  })

  it('is told by HEAD with the headers of GET', async () => {
    await open()
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'Accept-Encoding': encoding }
      const [head, whole] = [await begin({ method: 'HEAD', headers }), await begin({ headers })]
      expect(await rest(head)).toHaveLength(0)
      const told = ({ headers: { date, 'x-request-id': id, ...others } }: IncomingMessage) => others
      const { 'transfer-encoding': chunked, ...ofWhole } = told(whole)
      expect(told(head)).toMatchObject(ofWhole)
      expect(whole.headers.vary).toContain('Accept-Encoding')
    }
  })
})

describe('compression', () => {
  it('gives the same list as one gzip member, and nothing else than that', async () => {
    await open()
    const list = await expected()
    for (const [accepted, sent] of [
      ['gzip', 'gzip'],
      ['br, gzip;q=0.5', 'gzip'],
      ['br', undefined],
      ['identity', undefined],
      ['gzip;q=0', undefined],
    ] as const) {
      const response = await begin({ headers: { 'Accept-Encoding': accepted } })
      expect(response.headers['content-encoding']).toBe(sent)
      const body = await rest(response)
      expect((sent === 'gzip' ? gunzipSync(body) : body).toString()).toBe(list)
    }
  })

  it('is understood by curl', async ({ skip }) => {
    const curl = promisify(execFile)
    const version = await curl('curl', ['--version']).catch(() => null)
    if (version === null || !version.stdout.includes('libz')) skip('there is no curl that can')
    await open()
    const { stdout } = await curl('curl', ['-sS', '--compressed', fixture.api.url + PATH], { maxBuffer: 1e8 })
    expect(stdout).toBe(await expected())
  })
})

it('a folder for lists that cannot be written keeps the API from starting, with its name', async () => {
  await expect(open({ listCacheDir: import.meta.filename })).rejects.toThrow(
    /cannot keep lists in .* \(LIST_CACHE_DIR\)/,
  )
})
