import type { RequestOptions } from 'node:http'
import { writeSwapCursor } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'
import { expectedList } from '../expected-list.ts'
import { AS_BEFORE, BRANCH, beginList, FINAL, fillLists, PATH, ROWS, reorg, rest } from './list-world.ts'

let fixture: ApiFixture

beforeAll(async () => {
  fixture = await openFixture({ fill: fillLists })
})

const begin = (options?: RequestOptions) => beginList(fixture.api.url, options)
const expected = () => expectedList(fixture.owner, NOON - DAY_S)

async function openStreams(): Promise<number | undefined> {
  const metric = await fixture.registry.getSingleMetric('dexfeed_api_open_streams')?.get()
  return metric?.values[0]?.value
}

/** Returns the part of a tag that does not depend on the encoding. */
const listOf = (etag = '') => etag.replace(/-(gzip|identity)"$/, '')

describe('a list that was broken off', () => {
  it('is resumed unchanged after the list has changed', async () => {
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

  it('is resumed, however many lists another client breaks off meanwhile', async () => {
    const list = await expected()
    const broken = await begin({ localAddress: '127.0.0.2' })
    broken.destroy()
    await expect.poll(openStreams).toBe(0)
    // Each begins after another row, and so is another list.
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

  it.each<[string, (etag: string) => RequestOptions]>([
    ['another coding', (etag) => ({ headers: { Range: 'bytes=5-', 'If-Range': etag, 'Accept-Encoding': 'gzip' } })],
    ['an invalid range', (etag) => ({ headers: { Range: 'bytes=x', 'If-Range': etag } })],
    ['several ranges', (etag) => ({ headers: { Range: 'bytes=0-1,5-6', 'If-Range': etag } })],
    ['the head', (etag) => ({ method: 'HEAD', headers: { Range: 'bytes=5-', 'If-Range': etag } })],
    ['what has changed', (etag) => ({ headers: { Range: 'bytes=5-', 'If-Range': etag, 'If-None-Match': etag } })],
  ])('is not used for a request of %s', async (_, optionsOf) => {
    const before = await begin()
    await rest(before)
    await reorg(fixture.owner, BRANCH)
    const now = await begin({ method: 'HEAD' })
    const reply = await begin(optionsOf(String(before.headers.etag)))
    await rest(reply)
    expect(reply.statusCode).toBe(200)
    expect(listOf(reply.headers.etag)).toBe(listOf(now.headers.etag))
    expect(listOf(reply.headers.etag)).not.toBe(listOf(before.headers.etag))
    await reorg(fixture.owner, AS_BEFORE)
  })

  it('is not used for a range of another URL', async () => {
    const whole = await begin()
    await rest(whole)
    const headers = { Range: 'bytes=5-', 'If-Range': whole.headers.etag ?? '' }
    const other = await begin({ path: `${PATH}?network=bsc`, headers })
    expect(other.statusCode).toBe(200)
    expect((await rest(other)).toString()).toBe((await fixture.get(`${PATH}?network=bsc`)).text)
  })

  it('is sent whole once it is forgotten, never as a range of another list', async () => {
    const stranger = await begin({ headers: { Range: 'bytes=5-', 'If-Range': '"something else"' } })
    expect(stranger.statusCode).toBe(200)
    expect((await rest(stranger)).toString()).toBe(await expected())
    expect((await begin({ headers: { Range: 'bytes=5-', 'If-Match': '"something else"' } })).statusCode).toBe(412)
    const etag = String(stranger.headers.etag)
    const among = await begin({
      headers: { Range: 'bytes=0-4', 'If-Match': `"something else"${' '.repeat(9_000)},  ${etag}` },
    })
    expect(among.statusCode).toBe(206)
    await rest(among)
    const outside = await begin({ headers: { Range: 'bytes=999999999-' } })
    expect(outside.statusCode).toBe(416)
    expect(outside.headers['content-range']).toMatch(/^bytes \*\/\d+$/)
  })
})
