import type { Block } from '@dexfeed/dex'
import { expect, test, vi } from 'vitest'
import { emptyBook, quiet } from '../../test/scene/made-values.ts'
import { type BackfillDependencies, backfillRange } from './backfill-range.ts'

test('the time of a job leaves out the wait for reference prices, which the next jobs do not have', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const covered: { from: number; to: number }[] = []
  const blockAt = (number: number) => ({ number, hash: '0x', timestamp: number, logs: [] }) as unknown as Block
  const dependencies = {
    chain: {
      knowFinal: () => undefined,
      async readRange(from: number, to: number) {
        now += 300
        return { from, to, blocks: [blockAt(from), blockAt(to)] }
      },
    },
    store: {
      networkRow: async () => ({ finalNumber: 1_000 }),
      reorgableBlocks: async () => [],
      oldRanges: async () => [],
      coveredRanges: async () => covered,
    },
    context: {
      known: {
        async saveWith(_pools: unknown, { from, to }: { from: number; to: number }) {
          covered.push({ from, to })
          return { from, to, covered: [{ from, to }], trades: [] }
        },
      },
      processor: {
        prepare: async () => ({}),
        price: () => ({ trades: [], moves: [], creations: [], events: [], skipped: [], denied: [] }),
      },
      async bookBefore() {
        now += 80_000
        return emptyBook()
      },
    },
    log: quiet,
    onCommit: () => undefined,
  } as unknown as BackfillDependencies
  const result = await backfillRange(dependencies, { from: 1, to: 100 }, new AbortController().signal)
  expect(result).toEqual({ blocks: 100, trades: 0, ms: 300 })
})
