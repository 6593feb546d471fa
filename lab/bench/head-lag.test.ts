import { expect, it } from 'vitest'
import { HeadWatch, PoolWatch } from './head-lag.ts'

const CHAIN = 56

it('a block lags from its showing to the commit that has it, alone or with later ones', () => {
  const watch = new HeadWatch()
  for (const number of [1, 2, 3, 4]) watch.shown(CHAIN, { number, at: 100 * number })
  watch.seen(CHAIN, { number: 1, at: 130 })
  watch.seen(CHAIN, { number: 3, at: 350 })
  watch.seen(CHAIN, { number: 4, at: 460 })
  expect(watch.lag(CHAIN, 0, 1_000)).toEqual({ p50: 50, p99: 150, max: 150, blocks: 4, behind: 0 })
})

it('one that is not committed at the end lags up to there at least', () => {
  const watch = new HeadWatch()
  for (const number of [1, 2, 3]) watch.shown(CHAIN, { number, at: 100 * number })
  watch.seen(CHAIN, { number: 1, at: 110 })
  watch.seen(CHAIN, { number: 3, at: 2_000 })
  expect(watch.lag(CHAIN, 0, 1_000)).toEqual({ p50: 700, p99: 800, max: 800, blocks: 3, behind: 2 })
})

it('only blocks that were shown meanwhile count, and each network separately', () => {
  const watch = new HeadWatch()
  for (const number of [1, 2, 3]) watch.shown(CHAIN, { number, at: 100 * number })
  watch.seen(CHAIN, { number: 3, at: 305 })
  expect(watch.lag(CHAIN, 150, 1_000)).toMatchObject({ blocks: 2, max: 105 })
  expect(watch.lag(1, 0, 1_000)).toBeNull()
})

it('a pool lags from its block to its first event, or to the end of the period without one', () => {
  const watch = new PoolWatch()
  watch.shown({ pools: ['0xa'], at: 50 })
  watch.shown({ pools: ['0xb', '0xc'], at: 100 })
  watch.shown({ pools: ['0xd', '0xe'], at: 200 })
  for (const [pool, at] of [
    ['0xA', 60],
    ['0xc', 150],
    ['0xB', 250],
    ['0xb', 900],
    ['0xe', 9_000],
  ] as const) {
    watch.seen(pool, at)
  }
  expect(watch.lag(100, 1_000)).toEqual({ p50: 150, p99: 800, pools: 4 })
  expect(watch.lag(300, 1_000)).toBeNull()
})
