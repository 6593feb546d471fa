import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { CachedResponse } from '../http/cached-response.ts'
import type { LiveMarket } from './live-market.ts'
import { QuoteCache } from './quote-cache.ts'

const marketOf = (network: string) => ({ network: { network } }) as unknown as LiveMarket
const response: CachedResponse = { body: '{}', etag: '"e"', length: 2, headers: {} }
const URL = '/api/quote?network=eth'

function scene() {
  const live = marketOf('eth')
  const feed = { live: live as LiveMarket | null, changing: null as Promise<void> | null }
  const cache = new QuoteCache({ market: () => feed.live, changing: () => feed.changing })
  const keep = (url: string, until = 1_000) => cache.keep(url, { response, live, now: 10, until })
  return { feed, cache, keep }
}

test('stores a response when its request is repeated, not before', () => {
  const { cache, keep } = scene()
  keep(URL)
  expect(cache.get(URL, 10)).toBeUndefined()
  for (let other = 0; other < 1_000; other++) keep(`${URL}&n=${other}`)
  keep(URL)
  expect(cache.get(URL, 10)).toBe(response)
  expect(cache.get(`${URL}&n=7`, 10)).toBeUndefined()
})

test('a response is valid from its time on for a minute, or as long as its state is fresh', () => {
  const { cache, keep } = scene()
  for (let again = 0; again < 2; again++) keep(URL)
  expect([9, 10, 70, 71].map((now) => cache.get(URL, now))).toEqual([undefined, response, response, undefined])
  for (let again = 0; again < 2; again++) keep(`${URL}&short`, 20)
  expect([20, 21].map((now) => cache.get(`${URL}&short`, now))).toEqual([response, undefined])
})

test('a response is valid as long as its market is unchanged', () => {
  const { cache, keep, feed } = scene()
  for (let again = 0; again < 2; again++) keep(URL)
  feed.changing = Promise.resolve()
  expect(cache.get(URL, 10)).toBeUndefined()
  feed.changing = null
  expect(cache.get(URL, 10)).toBe(response)
  feed.live = marketOf('eth')
  expect(cache.get(URL, 10)).toBeUndefined()
})

test('a request of an odd length is computed again', () => {
  const { cache, keep } = scene()
  const long = `${URL}&x=${'1'.repeat(300)}`
  for (let again = 0; again < 3; again++) keep(long)
  expect(cache.get(long, 10)).toBeUndefined()
})

test('holds no reference to a market, so that a reload never keeps two', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const { cache, feed } = scene()
  const cacheFrom = (live: LiveMarket) => {
    feed.live = live
    for (let again = 0; again < 2; again++) cache.keep(URL, { response, live, now: 10, until: 1_000 })
    expect(cache.get(URL, 10)).toBe(response)
    return new WeakRef(live)
  }
  const old = cacheFrom(marketOf('eth'))
  feed.live = null
  const isLeft = () => {
    collectGarbage()
    return old.deref() !== undefined
  }
  await expect.poll(isLeft).toBe(false)
  expect(cache.get(URL, 10)).toBeUndefined()
})
