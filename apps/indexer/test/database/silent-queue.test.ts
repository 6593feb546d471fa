import { closeAfter, connectTo, queryOnce, testDatabase } from '@dexfeed/test-setup'
import { hasRedis, startRedis } from '@dexfeed/test-setup/redis-server'
import { type Freeze, openTcpProxy, type TcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import type { Chunk, JobQueue } from '../../src/queue/job-queue.ts'
import { openQueue, type QueuePlace } from '../../src/queue/queue.ts'

//   worker -- x   x -- server       in between: nothing gets through, nothing is closed

const HASTY = { silentMs: 300, checkMs: 600, marginMs: 300, keepAliveMs: 100, idleSessionMs: 2_000 }
const LOST = /Connection terminated: nothing came/
const CHUNKS: Chunk[] = [0, 10, 20, 30, 40].map((from) => ({ from, to: from + 9, round: 0 }))
const done = { blocks: 10, trades: 1, ms: 1 }

let databaseUrl: string
let proxy: TcpProxy
let errors: string[]
/** The first queue's connection falls silent; the direct queue's connection does not. */
let queue: JobQueue
let directQueue: JobQueue

const ignore = () => undefined
const log = {
  debug: (values: object) => void errors.push('err' in values ? String(values.err) : ''),
  info: ignore,
  warn: ignore,
  error: ignore,
}

async function open(databaseUrl: string, redis: Omit<QueuePlace, 'databaseUrl'> | null = null): Promise<JobQueue> {
  const place = redis ?? { redisUrl: null, patience: HASTY }
  const opened = await openQueue({ databaseUrl, ...place }, 'eth', log)
  closeAfter(() => opened.close())
  return opened
}

beforeEach(async () => {
  errors = []
  databaseUrl = await testDatabase()
  proxy = await openTcpProxy(databaseUrl)
  directQueue = await open(databaseUrl)
  queue = await open(proxy.url)
})

/** Works on the jobs, and returns the chunks in the order in which they began. */
async function workOn(on: JobQueue): Promise<Chunk[]> {
  const begun: Chunk[] = []
  const worker = await on.work(async (chunk) => {
    begun.push(chunk)
    return done
  }, 1)
  closeAfter(() => worker.close())
  return begun
}

const inDatabase = (statement: string) => queryOnce<{ state: string; count: number }>(databaseUrl, statement)
const states = () =>
  inDatabase(`SELECT state, count(*)::int AS count FROM dexfeed_queue.job GROUP BY state ORDER BY state`)

const FREEZES: [string, Freeze][] = [
  ['everywhere, before it arrived', { all: true, arrives: false }],
  ['everywhere, before the response', { all: true, arrives: true }],
  ['on its connection alone, before it arrived', { all: false, arrives: false }],
  ['only on its connection, before the response', { all: false, arrives: true }],
]
const CALLS: [string, RegExp][] = [
  ['requests a job', /move_to_active\(/],
  ['reports a job and requests the next', /move_to_completed_fetch\(/],
  ['looks for jobs whose workers died', /move_stalled_jobs_to_wait\(/],
  ['begins to listen', /LISTEN bullmq_jobs/],
  ['listens', /SELECT 1\0/],
]
const IS_LONG = inject('scale') > 1

// In the short tier, each call meets one of the silences, and each silence meets one of the calls.
describe.each(FREEZES.map(([name, how], place) => [name, how, place] as const))(
  'a queue in a database that falls silent %s:',
  (_, how, place) => {
    test.each(CALLS.filter((_, i) => IS_LONG || i % FREEZES.length === place))(
      'a worker that %s goes on, and every job is done',
      async (_name, text) => {
        const frozen = proxy.freezeAt(text, how)
        const begun = await workOn(queue)
        await directQueue.add(CHUNKS)
        await frozen
        await expect.poll(() => errors).toContainEqual(expect.stringMatching(LOST))
        await proxy.restore()
        await expect.poll(states).toEqual([{ state: 'completed', count: CHUNKS.length }])
        expect(new Set(begun.map(({ from }) => from)).size).toBe(CHUNKS.length)
        // The server has dropped the lost connections, so no job starts again.
        await expect.poll(() => directQueue.workers()).toBe(1)
        const [count] = [begun.length]
        await directQueue.add([{ from: 50, to: 59, round: 0 }])
        await expect.poll(() => begun.length).toBe(count + 1)
      },
    )

    test.runIf(IS_LONG || how.arrives)(
      'chunks that could not be queued are queued the next time, and once',
      async () => {
        const frozen = proxy.freezeAt(/add_jobs_bulk\(/, how)
        const lost = expect(queue.add(CHUNKS)).rejects.toThrow(LOST)
        await frozen
        await lost
        await proxy.restore()
        await queue.add(CHUNKS)
        expect((await queue.open()).map(({ from }) => from).sort()).toEqual(CHUNKS.map(({ from }) => from).sort())
        expect(await states()).toEqual([{ state: 'waiting', count: CHUNKS.length }])
      },
    )
  },
)

test('a queue whose connections all fall silent is handed to others', async () => {
  await directQueue.add(CHUNKS)
  await Promise.all([queue.open(), queue.open(), queue.open()])
  proxy.onSent = () => ({ all: false, arrives: false })
  await Promise.allSettled([queue.open(), queue.open(), queue.open()])
  proxy.onSent = () => null
  expect(await queue.open()).toHaveLength(CHUNKS.length)
})

test('a worker waits for a slow queue', async () => {
  await directQueue.add(CHUNKS)
  const calledThrice = proxy.sees('FROM pg_stat_activity WHERE pid', 3)
  const blocker = await connectTo(databaseUrl)
  await blocker.query('BEGIN; LOCK TABLE dexfeed_queue.job IN ACCESS EXCLUSIVE MODE')
  const begun = await workOn(queue)
  await calledThrice
  await blocker.query('ROLLBACK')
  await expect.poll(states).toEqual([{ state: 'completed', count: CHUNKS.length }])
  expect(begun).toHaveLength(CHUNKS.length)
  expect(errors).not.toContainEqual(expect.stringMatching(LOST))
})

// Longer than the 5 s for which Redis itself lets a worker wait.
const REDIS_PATIENCE = { ...HASTY, silentMs: 2_000, checkMs: 4_000 }

test.skipIf(!hasRedis())('a worker whose Redis falls silent goes on, and every job is done', async () => {
  const { url } = await startRedis()
  const redisProxy = await openTcpProxy(url)
  const directRedis = await open(databaseUrl, { redisUrl: url })
  const begun = await workOn(await open(databaseUrl, { redisUrl: redisProxy.url, patience: REDIS_PATIENCE }))
  await directRedis.add(CHUNKS.slice(0, 1))
  await expect.poll(() => begun).toHaveLength(1)
  await redisProxy.freezeAt(/evalsha/, { all: false, arrives: false })
  await directRedis.add(CHUNKS.slice(1))
  await expect.poll(() => errors).toContainEqual(expect.stringContaining('Socket timeout'))
  await expect.poll(() => new Set(begun.map(({ from }) => from)).size).toBe(CHUNKS.length)
  await expect.poll(() => directRedis.open()).toEqual([])
  expect(await directRedis.failed()).toEqual([])
})
