import type { BlockRange } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import type { Chunk, JobQueue } from '../queue/job-queue.ts'
import { type BackfillProgress, Reconciler } from './reconciler.ts'

const HOUR_MS = 3_600_000
const FAILED_AT = 1_000 * HOUR_MS

interface Scene extends Partial<Pick<JobQueue, 'open' | 'failed'>> {
  blocks?: BlockRange
  covered?: () => BlockRange[]
  old?: BlockRange[]
  now?: number
}

async function reconcile({ blocks = { from: 0, to: 99 }, covered = () => [], old = [], now = 0, ...queue }: Scene) {
  const queued: Chunk[] = []
  const progress: BackfillProgress[] = []
  const reconciler = new Reconciler({
    store: {
      networkRow: async () => ({ start: { number: blocks.from, timestamp: 0 }, finalNumber: blocks.to }),
      oldRanges: async () => old,
      coveredRanges: async () => covered(),
      setBackfillRate: async () => undefined,
    },
    queue: async () => ({
      open: async () => [],
      failed: async () => [],
      finished: async () => [],
      workers: async () => 1,
      add: async (chunks) => void queued.push(...chunks),
      remove: async () => undefined,
      ...queue,
    }),
    onProgress: (made) => progress.push(made),
    now: () => now,
  })
  return { isIncomplete: await reconciler.reconcile(), progress, queued: queued.map(({ from, to }) => [from, to]) }
}

test.each([
  ['a moment later it rests', 1_000, 0],
  ['by a clock that is one second slow it pauses, too', -1_000, 0],
  ['after its rest it comes again in halves', 6_000, 2],
  ['when the clock has jumped an hour back it does not rest for that hour', -HOUR_MS, 2],
  ['when the clock has jumped an hour on it comes again', HOUR_MS, 2],
])('a job that failed: %s', async (_, later, jobs) => {
  const failed = { from: 0, to: 99, round: 0, reason: 'pruned', failedAt: FAILED_AT, stalled: false }
  expect((await reconcile({ failed: async () => [failed], now: FAILED_AT + later })).queued).toHaveLength(jobs)
})

test('blocks that a job finishes during the check are not queued again', async () => {
  const covered: BlockRange[] = []
  const open = async () => {
    covered.push({ from: 0, to: 99 })
    return []
  }
  expect((await reconcile({ covered: () => covered, open })).queued).toEqual([])
})

test('rows of older rules are derived again behind what is missing, newest first', async () => {
  const covered = [
    { from: 0, to: 249 },
    { from: 300, to: 950 },
  ]
  const old = [
    { from: 0, to: 249 },
    { from: 700, to: 910 },
  ]
  expect(await reconcile({ blocks: { from: 100, to: 899 }, covered: () => covered, old })).toEqual({
    isIncomplete: true,
    progress: [{ done: 750, total: 800, old: 350, blocksPerS: null }],
    queued: [
      [250, 299],
      [800, 899],
      [700, 799],
      [150, 249],
      [100, 149],
    ],
  })
})
