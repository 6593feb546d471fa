import type { Chain } from '@dexfeed/chain'
import { builtInDeployments, MINUTE } from '@dexfeed/dex'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { findAnchor, followHeads, type HeadsOptions } from './follow-heads.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

const quiet = () => undefined
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** Follows a chain without new heads. The follower has work only from its pools. */
function followStillChain(step: () => Promise<boolean>, priority?: HeadsOptions['priority']) {
  const ended = new AbortController()
  const pools = { onWork: () => () => undefined }
  const follower = { step: vi.fn(step), hasWork: vi.fn(() => false), pools }
  const store = { setDegraded: vi.fn(async (): Promise<void> => undefined) }
  const clock = { sleep: () => Promise.resolve() }
  let announce: () => void = quiet
  const onHead = (wake: () => void) => {
    announce = wake
    return quiet
  }
  const running = followHeads({ chain: { onHead }, store, log, clock, priority }, follower, 1, ended.signal)
  onTestFinished(async () => {
    ended.abort()
    await running
  })
  return { follower, store, announce: () => announce() }
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
    // Fail on the second try, so that the first one does not wait for a head.
    if (++tries === 2) throw new Error('the node does not respond')
    return false
  })
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(follower.step.mock.calls.length).toBeGreaterThan(2)
  expect(store.setDegraded.mock.calls.at(-1)).toEqual([null, 1])
})

//  step fails -- degraded --> row     the row has it, but the response is lost
//  step succeeds, no new block        the row must not keep the mark
test('a degraded mark whose write seemed to fail is removed by the first step that succeeds', async () => {
  let tries = 0
  const { store } = followStillChain(async () => {
    if (++tries === 2) throw new Error('ConnectionClosed')
    return false
  })
  let row: string | null = null
  store.setDegraded.mockImplementation(async (...[reason]: unknown[]) => {
    row = reason as string | null
    if (row !== null) throw new Error('the response was lost')
  })
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(tries).toBeGreaterThan(2)
  expect(store.setDegraded).toHaveBeenCalledWith('ConnectionClosed', 1)
  expect(row).toBeNull()
})

test('a head counts from its announcement, during the step before, until its own step ends', async () => {
  const over = vi.fn()
  const beginStep = vi.fn((_announcedAt?: number) => over)
  let tries = 0
  const { announce } = followStillChain(
    async () => {
      if (++tries > 2) return false
      await new Promise((resolve) => setTimeout(resolve, 800))
      if (tries === 2) throw new Error('the node does not respond')
      return false
    },
    { beginStep },
  )
  await vi.advanceTimersByTimeAsync(100)
  const announcedAt = performance.now()
  announce()
  await vi.advanceTimersByTimeAsync(200)
  announce()
  expect(over).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(600)
  expect(beginStep.mock.calls).toEqual([[undefined], [announcedAt]])
  expect(over).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(800)
  expect(over.mock.calls.length).toBeGreaterThanOrEqual(2)
  expect(beginStep.mock.calls.length).toBe(over.mock.calls.length)
  // The next step has no announced head.
  expect(beginStep.mock.calls[2]).toEqual([undefined])
})

// History is filled up to block 1,000, which another endpoint called final. This endpoint says 990.
test('following starts after the block that was called final before, because history may hold it already', async () => {
  const header = (number: number) => ({ number, hash: `0x${number}`, parentHash: `0x${number - 1}`, timestamp: number })
  const chain = {
    head: async () => header(1_100),
    finalized: async () => 990,
    header: async (number: number) => header(number),
  } as unknown as Chain
  const store = {
    reorgableBlocks: async () => [],
    dropPoolStates: async () => undefined,
    noteFinal: async (_epoch: number, final: number) => Math.max(1_000, final),
  }
  const options = { chain, store, log, deployment: builtInDeployments.eth }
  expect((await findAnchor(options, 0, 1)).number).toBe(1_000)
  expect((await findAnchor(options, 1_051, 1)).number).toBe(1_050)
})
