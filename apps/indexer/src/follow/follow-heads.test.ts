import { MINUTE } from '@dexfeed/dex'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { followHeads } from './follow-heads.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** A follower that has nothing to do but what its pools give, on a chain without new heads. */
function followStillChain(step: () => Promise<boolean>) {
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const ended = new AbortController()
  const follower = { step: vi.fn(step), hasWork: vi.fn(() => false) }
  const store = { setDegraded: vi.fn(async () => undefined) }
  const clock = { sleep: () => Promise.resolve() }
  const running = followHeads({ chain: { onHead: () => quiet }, store, log, clock }, follower, 1, ended.signal)
  onTestFinished(async () => {
    ended.abort()
    await running
  })
  return { follower, store }
}

test('states of pools that were read are committed though no head comes', async () => {
  const { follower } = followStillChain(async () => false)
  await vi.advanceTimersByTimeAsync(MINUTE)
  const before = follower.step.mock.calls.length
  follower.hasWork.mockReturnValueOnce(true)
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(follower.step.mock.calls.length).toBe(before + 1)
})

test('a network is no longer degraded as soon as a step succeeds, though no head comes', async () => {
  let tries = 0
  const { follower, store } = followStillChain(async () => {
    // The second: the first does not wait for a head.
    if (++tries === 2) throw new Error('the node does not answer')
    return false
  })
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(follower.step.mock.calls.length).toBeGreaterThan(2)
  expect(store.setDegraded.mock.calls.at(-1)).toEqual([null, 1])
})
