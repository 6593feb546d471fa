import { createRandom } from '@dexfeed/devnet'
import { type BlockRange, missingRanges, type NetworkName } from '@dexfeed/dex'
import { closeAfter, connectTo, testDatabase } from '@dexfeed/test-setup'
import { hasRedis, runRedis, startRedis } from '@dexfeed/test-setup/redis-server'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { ProgressDisplay } from '../src/backfill/backfill-display.ts'
import { Reconciler } from '../src/backfill/reconciler.ts'
import { requestBackfill, waitForBackfill } from '../src/backfill/request-backfill.ts'
import { serveBullBoard } from '../src/queue/bull-board.ts'
import type { Chunk, JobQueue } from '../src/queue/job-queue.ts'
import { EvictingRedis, openQueue, refuseEviction } from '../src/queue/queue.ts'
import { quiet as log } from './scene/made-values.ts'
import { openTestPlace, QUEUE_KINDS, type TestPlace } from './scene/queue-places.ts'

const HOUR_MS = 3_600_000
const networks: NetworkName[] = ['eth', 'bsc', 'polygon']

class Pruned extends Error {
  readonly retryable = false
}

/** Holds the required and covered blocks in memory, because only the queue is tested. */
function ledger(wanted: BlockRange, covered: BlockRange[] = []) {
  const coveredRanges = async () => [...covered].sort((a, b) => a.from - b.from).map((range) => ({ ...range }))
  return {
    networkRow: async () => ({ start: { number: wanted.from, timestamp: 0 }, finalNumber: wanted.to }),
    coveredRanges,
    oldRanges: async () => [],
    setBackfillRate: async () => undefined,
    missing: async () => missingRanges(wanted, await coveredRanges()),
    cover: ({ from, to }: BlockRange) => void covered.push({ from, to }),
  }
}

type Ledger = ReturnType<typeof ledger>

function reconcilerOf(store: Ledger, queue: JobQueue, now: () => number = Date.now) {
  return new Reconciler({ store, queue: async () => queue, onProgress: () => undefined, now })
}

async function complete(store: Ledger, reconciler: Reconciler): Promise<void> {
  while (await reconciler.reconcile()) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await store.missing()).toEqual([])
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

function closing(queue: JobQueue): JobQueue {
  return {
    ...queue,
    close: closeAfter(() => queue.close()),
    async work(doJob, concurrency) {
      const worker = await queue.work(doJob, concurrency)
      return { ...worker, close: closeAfter(() => worker.close()) }
    },
  }
}

const silent: ProgressDisplay = { show: () => undefined, note: () => undefined, end: () => undefined }
const done = { blocks: 1, trades: 1, ms: 1 }

for (const { kind, missing: skipped } of QUEUE_KINDS) {
  describe.skipIf(skipped)(`a backfill queue on ${kind}`, () => {
    let place: TestPlace
    let databaseUrl: string
    let next = 0

    beforeAll(async () => {
      place = await openTestPlace(kind)
    })

    async function freshQueue(): Promise<JobQueue> {
      const network = networks[next++ % networks.length] ?? 'eth'
      if (network === 'eth') databaseUrl = await testDatabase()
      if (kind === 'Redis' && network === 'eth') await place.flush(databaseUrl)
      return closing(await openQueue(place.at(databaseUrl), network, log))
    }

    /** Three workers cover the gaps of a ledger, each block once. Returns the chunks as begun. */
    async function expectCoveredOnce(reconcilers: number): Promise<Chunk[]> {
      const queue = await freshQueue()
      const store = ledger({ from: 0, to: 1_999 }, [{ from: 700, to: 1_200 }])
      const reconciler = reconcilerOf(store, queue)
      await Promise.all(Array.from({ length: reconcilers }, () => reconciler.reconcile()))
      const begun: Chunk[] = []
      const doJob = async (chunk: Chunk) => {
        begun.push(chunk)
        // Chance decides which of the three workers is called first, so all three must hold a job before one ends.
        await until(async () => begun.length >= 3)
        store.cover(chunk)
        return done
      }
      const workers = [await queue.work(doJob, 1), await queue.work(doJob, 2)]
      await complete(store, reconciler)
      await Promise.all(workers.map((worker) => worker.close()))
      expect(new Set(begun.map(({ from }) => from)).size).toBe(begun.length)
      expect(begun.reduce((blocks, { from, to }) => blocks + to - from + 1, 0)).toBe(1_499)
      return begun
    }

    test('workers cover all gaps, newest first', async () => {
      const begun = await expectCoveredOnce(1)
      expect(new Set(begun.slice(0, 3).map(({ to }) => to))).toEqual(new Set([1_999, 1_899, 1_799]))
    })

    test('workers cover no chunk twice that was queued twice at once', async () => {
      // Which of the two chunks stays in the queue is up to chance, and with it their order.
      await expectCoveredOnce(2)
    })

    test('a failing job pauses, is queued again in halves, and holds up nothing else', async () => {
      const queue = await freshQueue()
      const store = ledger({ from: 0, to: 299 })
      let served = false
      await queue.work(async (chunk) => {
        if (chunk.from <= 110 && chunk.to >= 110 && !served) throw new Pruned('pruned')
        store.cover(chunk)
        return done
      }, 2)
      const now = reconcilerOf(store, queue)
      await now.reconcile()
      await until(async () => (await store.missing()).length === 1 && (await queue.failed()).length === 1)
      const [failed] = await queue.failed()
      expect(failed).toMatchObject({ from: 100, to: 199, round: 0, reason: 'pruned', stalled: false })
      await now.reconcile()
      expect(await queue.open()).toEqual([])
      const later = reconcilerOf(store, queue, () => Date.now() + HOUR_MS)
      await later.reconcile()
      await until(async () => (await store.missing())[0]?.to === 149)
      served = true
      await complete(store, later)
    })

    test('a worker that stops returns its job', async () => {
      const queue = await freshQueue()
      const store = ledger({ from: 0, to: 49 })
      let begun = 0
      const stuck = await queue.work((_chunk, signal) => {
        begun++
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }, 1)
      await reconcilerOf(store, queue).reconcile()
      await until(async () => begun === 1)
      await stuck.close()
      expect(await queue.open()).toEqual([{ from: 0, to: 49, round: 0, taken: false }])
      await queue.work(async (chunk) => {
        store.cover(chunk)
        return done
      }, 1)
      await until(async () => (await store.missing()).length === 0)
    })

    test('a queue that lost everything is filled again and completes', async () => {
      const queue = await freshQueue()
      const store = ledger({ from: 0, to: 1_999 })
      const reconciler = reconcilerOf(store, queue)
      await reconciler.reconcile()
      expect((await queue.open()).length).toBeGreaterThan(0)
      await place.flush(databaseUrl)
      expect(await queue.open()).toEqual([])
      let flushed = false
      await queue.work(async (chunk) => {
        // Once more, while a worker is busy.
        if (!flushed) await place.flush(databaseUrl)
        flushed = true
        store.cover(chunk)
        return done
      }, 1)
      await complete(store, reconciler)
    })

    test('a waiting caller learns that everything is covered, or that a part cannot be', async () => {
      const queue = await freshQueue()
      const store = ledger({ from: 0, to: 999 })
      await queue.work(async (chunk) => {
        if (chunk.from < 100) throw new Pruned('pruned')
        store.cover(chunk)
        return done
      }, 2)
      const signal = AbortSignal.timeout(30_000)
      const served = { network: 'eth', range: { from: 500, to: 999 }, store, queue }
      expect(await requestBackfill(served)).toMatchObject({ blocks: 500 })
      expect(await waitForBackfill(served, silent, signal)).toBe(true)
      const pruned = { ...served, range: { from: 0, to: 999 } }
      await requestBackfill(pruned)
      expect(await waitForBackfill(pruned, silent, signal)).toBe(false)
    })
  })
}

test('lost connections at any moment, also while it opens or closes, do not end the process', async () => {
  const databaseUrl = await testDatabase()
  const killer = await connectTo(databaseUrl)
  const failures: unknown[] = []
  const fail = (error: unknown) => failures.push(error)
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', fail)
  closeAfter(() => {
    process.off('uncaughtException', fail)
    for (const listener of others) process.on('uncaughtException', listener)
  })
  const random = createRandom(inject('seed'))
  let over = false
  const killing = (async () => {
    while (!over) {
      await killer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
      await new Promise((resolve) => setTimeout(resolve, random.integer(20)))
    }
  })()
  const stopKilling = closeAfter(() => {
    over = true
    return killing
  })
  for (let life = 0; life < 10 * inject('scale'); life++) {
    const queue = await openQueue({ redisUrl: null, databaseUrl }, 'eth', log).catch(() => null)
    const worker = await queue?.work(async () => done, 1).catch(() => null)
    await worker?.close()
    await queue?.close()
  }
  await stopKilling()
  expect(failures).toEqual([])
})

test('the board shows the queues on the loopback interface and allows no change', async () => {
  const databaseUrl = await testDatabase()
  const queue = await openQueue({ redisUrl: null, databaseUrl }, 'eth', log)
  closeAfter(() => queue.close())
  await queue.add([{ from: 0, to: 9, round: 0 }])
  const board = await serveBullBoard(0)
  closeAfter(() => board.close())
  board.add(queue.shown)
  const url = `http://127.0.0.1:${board.port}`
  const listed = await (await fetch(`${url}/api/queues?activeQueue=backfill-eth&status=latest`)).json()
  expect(listed).toMatchObject({ queues: [{ name: 'backfill-eth', readOnlyMode: true, counts: { waiting: 1 } }] })
  const emptied = await fetch(`${url}/api/queues/backfill-eth/empty`, { method: 'PUT' })
  expect(emptied.ok).toBe(false)
  expect(await queue.open()).toHaveLength(1)
})

test.skipIf(!hasRedis())('a Redis that evicts keys is refused', async () => {
  const redis = await startRedis()
  await refuseEviction(redis.url)
  await runRedis(redis.url, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  await expect(refuseEviction(redis.url)).rejects.toThrow(EvictingRedis)
})
