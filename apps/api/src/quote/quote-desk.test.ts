import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { LiveMarket } from './live-market.ts'
import { QuoteDesk } from './quote-desk.ts'
import { lastSecond, repeats } from './quote-route.ts'

const marketOf = (network: string) => ({ network: { network } }) as unknown as LiveMarket

function scene() {
  const feed = { live: marketOf('eth') as LiveMarket | null, changing: null as Promise<void> | null }
  const markets = { market: () => feed.live, changing: () => feed.changing }
  return { feed, desk: new QuoteDesk({ feed: markets, maxAgeS: 120, now: () => 10 }) }
}

test('a market is unchanged until it is changing, or another one', () => {
  const { feed, desk } = scene()
  const isUnchanged = desk.unchanged(feed.live as LiveMarket)
  expect(isUnchanged()).toBe(true)
  feed.changing = Promise.resolve()
  expect(isUnchanged()).toBe(false)
  feed.changing = null
  expect(isUnchanged()).toBe(true)
  feed.live = marketOf('eth')
  expect(isUnchanged()).toBe(false)
})

test('to know whether a market is unchanged holds no reference to it, so that a reload never keeps two', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const { feed, desk } = scene()
  const old = new WeakRef(feed.live as LiveMarket)
  const isUnchanged = desk.unchanged(feed.live as LiveMarket)
  feed.live = null
  const isLeft = () => {
    collectGarbage()
    return old.deref() !== undefined
  }
  await expect.poll(isLeft).toBe(false)
  expect(isUnchanged()).toBe(false)
})

test('a quote is repeated for a minute, and only while its state is fresh', () => {
  const desk = { maxAgeS: 120, now: () => 1_000 }
  const marketAt = (timestamp: number) => ({ network: { head: { timestamp } } }) as unknown as LiveMarket
  const pairOf = (sell: string, buy: string) =>
    ({ sell: { address: sell }, buy: { address: buy } }) as Parameters<typeof lastSecond>[2]
  expect(lastSecond(desk, marketAt(990), pairOf('0xa', '0xb'))).toBe(1_060)
  expect(lastSecond(desk, marketAt(900), pairOf('0xa', '0xb'))).toBe(1_020)
  expect(lastSecond(desk, marketAt(900), pairOf('0xa', '0xa'))).toBe(1_060)
})

test('a text is repeated when it comes the second time, not before', () => {
  const isRepeated = repeats()
  expect(isRepeated('/api/quote')).toBe(false)
  for (let other = 0; other < 1_000; other++) isRepeated(`/api/quote?n=${other}`)
  expect(isRepeated('/api/quote')).toBe(true)
  expect(isRepeated('/api/quote?n=1000')).toBe(false)
})
