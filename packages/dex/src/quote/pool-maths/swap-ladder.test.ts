import { expect, test } from 'vitest'
import { LadderCache, type SwapLadder } from './swap-ladder.ts'

const side = (name: string) => ({ name })
const ladder = (length: number) => ({ length }) as SwapLadder
const never = () => expect.fail('it is kept')

test('ladders that were not used recently are dropped, so that rungs stay bounded', () => {
  const cache = new LadderCache(100)
  const used = side('used')
  const kept = ladder(10)
  cache.ladder(used, () => kept)
  for (let n = 0; n < 50; n++) {
    cache.ladder(side(`${n}`), () => ladder(20))
    expect(cache.ladder(used, never)).toBe(kept)
    expect(cache.rungs).toBeLessThanOrEqual(2 * 100 + 20)
  }
})

test('rungs that a ladder gets later count, too', () => {
  const cache = new LadderCache(100)
  const [first, long] = [side('first'), { length: 1 }]
  cache.ladder(first, () => ladder(1))
  cache.ladder(side('long'), () => long as SwapLadder)
  for (let round = 0; round < 3; round++) {
    long.length += 101
    cache.grew(101)
  }
  let made = false
  cache.ladder(first, () => {
    made = true
    return ladder(1)
  })
  expect(made).toBe(true)
})

test('a ladder of a pool that has changed is forgotten', () => {
  const cache = new LadderCache(100)
  const [one, fresh] = [side('one'), ladder(2)]
  cache.ladder(one, () => ladder(1))
  cache.forget(one)
  expect(cache.ladder(one, () => fresh)).toBe(fresh)
})
