import { expect, test } from 'vitest'
import type { Chunk } from '../queue/job-queue.ts'
import { type BackfillProgress, Reconciler } from './reconciler.ts'

const HOUR_MS = 3_600_000
const FAILED_AT = 1_000 * HOUR_MS

async function queuedAt(now: number): Promise<Chunk[]> {
  const queued: Chunk[] = []
  const failed = { from: 0, to: 99, round: 0, reason: 'pruned', failedAt: FAILED_AT, stalled: false }
  const reconciler = new Reconciler({
    store: {
      networkRow: async () => ({ start: { number: 0, timestamp: 0 }, finalNumber: 99 }),
      oldRanges: async () => [],
      coveredRanges: async () => [],
      setBackfillRate: async () => undefined,
    },
    queue: async () => ({
      open: async () => [],
      failed: async () => [failed],
      finished: async () => [],
      workers: async () => 1,
      add: async (chunks) => void queued.push(...chunks),
      remove: async () => undefined,
    }),
    onProgress: () => undefined,
    now: () => now,
  })
  await reconciler.reconcile()
  return queued
}

test.each([
  ['a moment later it rests', 1_000, 0],
  ['by a clock that is one second slow it pauses, too', -1_000, 0],
  ['after its rest it comes again in halves', 6_000, 2],
  ['when the clock has jumped an hour back it does not rest for that hour', -HOUR_MS, 2],
  ['when the clock has jumped an hour on it comes again', HOUR_MS, 2],
])('a job that failed: %s', async (_, later, jobs) => {
  expect(await queuedAt(FAILED_AT + later)).toHaveLength(jobs)
})

test('blocks that a job finishes during the check are not queued again', async () => {
  let covered = false
  const queued: Chunk[] = []
  const reconciler = new Reconciler({
    store: {
      networkRow: async () => ({ start: { number: 0, timestamp: 0 }, finalNumber: 99 }),
      oldRanges: async () => [],
      coveredRanges: async () => (covered ? [{ from: 0, to: 99 }] : []),
      setBackfillRate: async () => undefined,
    },
    queue: async () => ({
      open: async () => {
        covered = true
        return []
      },
      failed: async () => [],
      finished: async () => [],
      workers: async () => 1,
      add: async (chunks) => void queued.push(...chunks),
      remove: async () => undefined,
    }),
    onProgress: () => undefined,
    now: Date.now,
  })
  await reconciler.reconcile()
  expect(queued).toEqual([])
})

test('rows of older rules are derived again behind what is missing, newest first', async () => {
  const queued: Chunk[] = []
  const progress: BackfillProgress[] = []
  const reconciler = new Reconciler({
    store: {
      networkRow: async () => ({ start: { number: 100, timestamp: 0 }, finalNumber: 899 }),
      coveredRanges: async () => [
        { from: 0, to: 249 },
        { from: 300, to: 950 },
      ],
      oldRanges: async () => [
        { from: 0, to: 249 },
        { from: 700, to: 910 },
      ],
      setBackfillRate: async () => undefined,
    },
    queue: async () => ({
      open: async () => [],
      failed: async () => [],
      finished: async () => [],
      workers: async () => 1,
      add: async (chunks) => void queued.push(...chunks),
      remove: async () => undefined,
    }),
    onProgress: (made) => progress.push(made),
    now: Date.now,
  })
  expect(await reconciler.reconcile()).toBe(true)
  expect(progress).toEqual([{ done: 750, total: 800, old: 350, blocksPerS: null }])
  expect(queued.map(({ from, to }) => [from, to])).toEqual([
    [250, 299],
    [800, 899],
    [700, 799],
    [150, 249],
    [100, 149],
  ])
})
