import type { BlockRange } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { coverPassedOver } from './cover-passed-over.ts'

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

//  10 - .. - 15 - .. - 20      passed over; final up to 15, then up to 30
test('blocks without a pool that are not final yet are read again once they are', async () => {
  const ended = new AbortController()
  const checked: BlockRange[] = []
  const found = [[{ from: 10, to: 20 }]]
  const finals = [15, 30]
  let steps = 0
  await coverPassedOver(
    {
      registry: { takePassedOver: () => found.shift() ?? [] },
      store: {
        networkRow: async () => ({ finalNumber: finals.shift() }) as never,
        coveredRanges: async () => [{ from: 1, to: 40, fromTime: 0, toTime: 0 }],
      },
      checker: {
        async *check(range) {
          checked.push(range)
          yield* []
        },
      },
      log: quiet,
      clock: {
        sleep: async () => {
          if (++steps === 2) ended.abort()
        },
      },
    },
    ended.signal,
  )
  expect(checked.map(({ from, to }) => [from, to])).toEqual([
    [10, 15],
    [16, 20],
  ])
})
