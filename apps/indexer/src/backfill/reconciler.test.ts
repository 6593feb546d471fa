import { expect, test } from 'vitest'
import type { Chunk } from '../queue/job-queue.ts'
import { Reconciler } from './reconciler.ts'

const HOUR_MS = 3_600_000
const FAILED_AT = 1_000 * HOUR_MS

async function queuedAt(now: number): Promise<Chunk[]> {
  const queued: Chunk[] = []
  const failed = { from: 0, to: 99, round: 0, reason: 'pruned', failedAt: FAILED_AT, stalled: false }
  const reconciler = new Reconciler({
    store: {
      networkRow: async () => ({ start: { number: 0, timestamp: 0 }, finalNumber: 99 }),
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
