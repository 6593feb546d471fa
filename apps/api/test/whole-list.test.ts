import { execFile } from 'node:child_process'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { DAY_S } from '@dexfeed/dex'
import { closeAfter, connectTo, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { PATIENCE } from '../src/swaps/list-readers.ts'
import { type ApiFixture, type FixtureOptions, NOON, openFixture } from './api-fixture.ts'
import { AS_BEFORE, BRANCH, beginList, fillLists, PATH, range, reorg, rest } from './day/list-world.ts'
import { expectedList } from './expected-list.ts'

let ownerUrl: string
let fixture: ApiFixture
/** The list of the chain as it is between tests. */
let list: string
/** Shared by all tests here, so that nothing is rendered twice. */
let folder: string

beforeAll(async () => {
  folder = temporaryFolder()
  ownerUrl = await testDatabase()
  const owner = await connectTo(ownerUrl)
  await fillLists(owner)
  list = await expectedList(owner, NOON - DAY_S)
})

async function open(options: FixtureOptions = {}): Promise<void> {
  registry.current = new Registry()
  fixture = await openFixture({ ownerUrl, registry: registry.current, listCacheDir: folder, ...options })
}

/** Returns the response; its body is not read yet. */
const begin = (options?: RequestOptions) => beginList(fixture.api.url, options)

const registry = { current: new Registry() }

async function openStreams(): Promise<number | undefined> {
  const metric = await registry.current.getSingleMetric('dexfeed_api_open_streams')?.get()
  return metric?.values[0]?.value
}

describe('a slow reader', () => {
  it('gets the list that it began with, whatever happens meanwhile', async () => {
    await open()
    const response = await begin()
    await reorg(fixture.owner, BRANCH)
    const now = (await fixture.get(PATH)).text
    expect((await rest(response)).toString()).toBe(list)
    expect(now).toBe(await expectedList(fixture.owner, NOON - DAY_S))
    expect(now).not.toBe(list)
    await reorg(fixture.owner, AS_BEFORE)
  })

  it('is cut off when it takes nothing for too long', async () => {
    await open({ listPatience: { ...PATIENCE, stallMs: 200 } })
    const response = await begin()
    const closed = new Promise((resolve) => response.on('close', resolve))
    await expect.poll(openStreams).toBe(0)
    response.resume()
    await closed
    expect(response.complete).toBe(false)
  })

  it('is cut off some time later if it has taken too little', async () => {
    await open({ listPatience: { ...PATIENCE, patientMs: 300, minBytesPerS: 1e9 } })
    const response = await begin()
    const pull = setInterval(() => response.read(100_000), 50)
    closeAfter(() => clearInterval(pull))
    await expect.poll(openStreams).toBe(0)
    clearInterval(pull)
    await expect(rest(response)).rejects.toThrow()
  })

  it('uses its own quota, and no more', async () => {
    await open({ listLimits: { total: 8, perClient: 3 } })
    const mine = { localAddress: '127.0.0.2' }
    const held = [await begin(mine), await begin(mine), await begin(mine)]
    const refused = await begin(mine)
    expect(refused.statusCode).toBe(503)
    expect(refused.headers['retry-after']).toBe('2')
    expect(JSON.parse((await rest(refused)).toString())).toEqual({ error: 'too many lists are being sent to you' })
    for (let other = 3; other < 6; other++) {
      const response = await begin({ localAddress: `127.0.0.${other}` })
      expect((await rest(response)).toString()).toBe(list)
    }
    held[0]?.destroy()
    await expect.poll(async () => (await begin(mine)).statusCode).toBe(200)
  })

  it('makes room when all places are taken and another client waits', async () => {
    await open({ listLimits: { total: 4, perClient: 2 } })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const from = (n: number) => ({ localAddress: `127.0.0.${n}` })
    const slow = await Promise.all([2, 2, 3, 3].map((n) => begin(from(n))))
    expect(slow.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    expect((await begin(from(4))).statusCode).toBe(503)
    vi.advanceTimersByTime(10_000)
    const other = await begin(from(4))
    expect((await rest(other)).toString()).toBe(list)
    const ends = await Promise.all(
      slow.map((response) =>
        rest(response).then(
          () => 'whole',
          () => 'cut',
        ),
      ),
    )
    expect(ends.sort()).toEqual(['cut', 'whole', 'whole', 'whole'])
  })

  it('is one of 64 of one address: others, and more of the same, are served', async () => {
    await open()
    const slow = await Promise.all(range(64, () => begin({ localAddress: '127.0.0.2' })))
    expect(new Set(slow.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect((await fixture.get(PATH)).text).toBe(list)
    expect((await rest(await begin({ localAddress: '127.0.0.2' }))).toString()).toBe(list)
    expect((await fixture.get(`${PATH}?limit=3`)).body).toHaveLength(3)
  })
})

it('serves pages to 200 connections at the same time', async () => {
  await open()
  const replies = await Promise.all(range(200, () => begin({ path: `${PATH}?limit=10` })))
  const bodies = await Promise.all(replies.map(rest))
  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  const page = JSON.stringify(JSON.parse(list).slice(0, 10))
  expect(new Set(bodies.map(String))).toEqual(new Set([page]))
})

describe('the state of the list', () => {
  it('has a strong ETag, so that nothing is sent twice', async () => {
    await open()
    const [first, again] = [await begin(), await begin()]
    const tag = first.headers.etag ?? ''
    expect(tag).toMatch(/^"[\w-]+"$/)
    expect(again.headers.etag).toBe(tag)
    const same = await begin({ headers: { 'If-None-Match': tag } })
    expect(same.statusCode).toBe(304)
    expect(same.headers.etag).toBe(tag)
    expect(await rest(same)).toHaveLength(0)
    const whole = await begin({ headers: { Range: 'bytes=5-', 'If-Range': tag } })
    expect([whole.statusCode, (await rest(whole)).toString()]).toEqual([200, list])
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

  it('is reported by HEAD with the headers of GET', async () => {
    await open()
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'Accept-Encoding': encoding }
      const [head, whole] = [await begin({ method: 'HEAD', headers }), await begin({ headers })]
      expect(await rest(head)).toHaveLength(0)
      const stableHeaders = ({ headers: { date, 'x-request-id': id, ...others } }: IncomingMessage) => others
      const { 'transfer-encoding': chunked, ...ofWhole } = stableHeaders(whole)
      expect(stableHeaders(head)).toMatchObject(ofWhole)
      expect(whole.headers.vary).toContain('Accept-Encoding')
    }
  })
})

describe('compression', () => {
  it('is the same list as one gzip member, with nothing after it', async () => {
    await open()
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
    if (version === null || !version.stdout.includes('libz')) skip('needs curl')
    await open()
    const { stdout } = await curl('curl', ['-sS', '--compressed', fixture.api.url + PATH], { maxBuffer: 1e8 })
    expect(stdout).toBe(list)
  })
})

it.each([import.meta.filename, '/proc/none'])(
  'the list folder %s stops the start, and is named in the error',
  async (listCacheDir) => {
    await expect(open({ listCacheDir })).rejects.toThrow(/cannot keep lists in .* \(LIST_CACHE_DIR\)/)
  },
)
