import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Answer } from '../http/answer.ts'
import type { LiveMarket } from './live-market.ts'
import { QuoteAnswers } from './quote-answers.ts'

const marketOf = (network: string) => ({ network: { network } }) as unknown as LiveMarket
const answer: Answer = { body: '{}', etag: '"e"', length: 2, headers: {} }
const URL = '/api/quote?network=eth'

function scene() {
  const live = marketOf('eth')
  const feed = { live: live as LiveMarket | null, changing: null as Promise<void> | null }
  const answers = new QuoteAnswers({ market: () => feed.live, changing: () => feed.changing })
  const ask = (url: string, until = 1_000) => answers.keep(url, { answer, live, now: 10, until })
  return { feed, answers, ask }
}

test('stores a response when its request is repeated, not before', () => {
  const { answers, ask } = scene()
  ask(URL)
  expect(answers.get(URL, 10)).toBeUndefined()
  for (let other = 0; other < 1_000; other++) ask(`${URL}&n=${other}`)
  ask(URL)
  expect(answers.get(URL, 10)).toBe(answer)
  expect(answers.get(`${URL}&n=7`, 10)).toBeUndefined()
})

test('a response is valid from its time on for a minute, or as long as its state is fresh', () => {
  const { answers, ask } = scene()
  for (let again = 0; again < 2; again++) ask(URL)
  expect([9, 10, 70, 71].map((now) => answers.get(URL, now))).toEqual([undefined, answer, answer, undefined])
  for (let again = 0; again < 2; again++) ask(`${URL}&short`, 20)
  expect([20, 21].map((now) => answers.get(`${URL}&short`, now))).toEqual([answer, undefined])
})

test('a response is valid as long as its market is unchanged', () => {
  const { answers, ask, feed } = scene()
  for (let again = 0; again < 2; again++) ask(URL)
  feed.changing = Promise.resolve()
  expect(answers.get(URL, 10)).toBeUndefined()
  feed.changing = null
  expect(answers.get(URL, 10)).toBe(answer)
  feed.live = marketOf('eth')
  expect(answers.get(URL, 10)).toBeUndefined()
})

test('a request of an odd length is computed again', () => {
  const { answers, ask } = scene()
  const long = `${URL}&x=${'1'.repeat(300)}`
  for (let again = 0; again < 3; again++) ask(long)
  expect(answers.get(long, 10)).toBeUndefined()
})

test('holds no reference to a market, so that a reload never keeps two', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const { answers, feed } = scene()
  const answerFrom = (live: LiveMarket) => {
    feed.live = live
    for (let again = 0; again < 2; again++) answers.keep(URL, { answer, live, now: 10, until: 1_000 })
    expect(answers.get(URL, 10)).toBe(answer)
    return new WeakRef(live)
  }
  const old = answerFrom(marketOf('eth'))
  feed.live = null
  const isLeft = () => {
    collectGarbage()
    return old.deref() !== undefined
  }
  await expect.poll(isLeft).toBe(false)
  expect(answers.get(URL, 10)).toBeUndefined()
})
