import { setTimeout as delay } from 'node:timers/promises'
import { type BackfillJob, type BackfillResult, backfillJob, backfillResult } from '@dexfeed/contract'
import { type BlockRange, type NetworkName, SECOND } from '@dexfeed/dex'
import { KeepAliveClient, PATIENCE, type Patience, watchedPoolConfig } from '@dexfeed/store'
import {
  type ConnectionOptions,
  createPostgresBackend,
  type Job,
  Queue,
  type QueueOptions,
  UnrecoverableError,
  WaitingError,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import type { IndexerLog } from '../loops/loop.ts'
import { inspectRedis } from './inspect-redis.ts'
import type { Chunk, DoJob, FailedJob, JobQueue, JobWorker, OpenJob, TodoList } from './job-queue.ts'

const RESPONSE_MS = 5 * SECOND
export const CLOSE_MS = 3 * SECOND
/** Another worker gets a dead worker's job after the sum of these. */
const LOCK_MS = 5 * SECOND
const STALL_CHECK_MS = 2 * SECOND
export const RETRY_MS = SECOND
/** Pauses between attempts double. */
const ATTEMPTS = 3
const FIRST_RETRY_MS = SECOND / 2
/** Kept because they set the size of the next chunks. */
const KEEP_FINISHED = 6
const KEEP_FAILED = 1_000
const WAITING_STATES = ['wait', 'delayed', 'prioritized'] as const
/** BullMQ's reason if a job's workers died one after the other. */
const STALLED = /stalled more than allowable/
export const PREFIX = 'dexfeed'

export interface QueuePlace {
  redisUrl: string | null
  databaseUrl: string
  patience?: Patience
}

export class EvictingRedis extends Error {
  override readonly name = 'EvictingRedis'

  constructor(policy: string) {
    super(
      `REDIS_URL: this Redis evicts keys when its memory is full (maxmemory-policy ${policy}); set it to noeviction`,
    )
  }
}

/** @throws EvictingRedis, or an Error if the queue cannot be used now */
export async function openQueue(
  place: QueuePlace,
  network: NetworkName,
  log: IndexerLog,
): Promise<JobQueue & { shown: Queue }> {
  if (place.redisUrl !== null) await refuseEviction(place.redisUrl)
  const name = `backfill-${network}`
  const options = { prefix: PREFIX, ...connectionTo(place) }
  const queue = new Queue<BackfillJob, BackfillResult>(
    name,
    { ...options, streams: { events: { maxLen: 1_000 } } } as QueueOptions,
    factoryOf(place),
  )
  queue.on('error', (error) => log.debug({ err: error }, 'error of the queue'))
  const close = () => responding(queue.close(), CLOSE_MS).catch(() => void queue.disconnect().catch(() => undefined))
  try {
    await responding(queue.waitUntilReady())
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...jobsOf(queue, network),
    work: worksOn(name, options, place, log),
    shown: queue as unknown as Queue,
    close,
  }
}

/** @throws EvictingRedis, or an Error if Redis cannot be reached */
export async function refuseEviction(redisUrl: string): Promise<void> {
  const { evictionPolicy } = await inspectRedis(redisUrl)
  if (evictionPolicy !== null && evictionPolicy !== 'noeviction') throw new EvictingRedis(evictionPolicy)
}

type BackfillQueue = Queue<BackfillJob, BackfillResult>

export function connectionTo({ redisUrl, databaseUrl, patience = PATIENCE }: QueuePlace): {
  connection: ConnectionOptions
} {
  if (redisUrl === null) return { connection: postgresConnection(databaseUrl, patience) }
  // Longer than the 10 s for which BullMQ waits silently for a job.
  return { connection: { url: redisUrl, socketTimeout: patience.silentMs + patience.checkMs } }
}

export function factoryOf({ redisUrl }: QueuePlace): undefined {
  return (redisUrl === null ? postgresBackend : undefined) as undefined
}

function jobsOf(queue: BackfillQueue, network: NetworkName): TodoList {
  const remove = async (ranges: readonly BlockRange[]) => {
    await responding(Promise.all(ranges.map((range) => queue.remove(idOf(range)))))
  }
  return {
    async open() {
      const [taken, waiting] = await responding(Promise.all([queue.getActive(), queue.getJobs([...WAITING_STATES])]))
      return [...taken.flatMap(openAs(true)), ...waiting.flatMap(openAs(false))]
    },
    failed: async () => (await responding(queue.getFailed(0, KEEP_FAILED))).flatMap((job) => failedOf(job) ?? []),
    finished: async () =>
      (await responding(queue.getCompleted(0, KEEP_FINISHED))).flatMap(({ returnvalue }) => {
        const result = backfillResult.safeParse(returnvalue)
        return result.success ? [result.data] : []
      }),
    workers: () => responding(queue.getWorkersCount()),
    async add(chunks) {
      // A finished job with the same id would block the new one.
      await remove(chunks)
      await responding(queue.addBulk(chunks.map((chunk) => jobOf(network, chunk))))
    },
    remove,
  }
}

function jobOf(network: NetworkName, { from, to, round }: Chunk) {
  return {
    name: 'backfill',
    data: { network, from, to, round },
    opts: {
      jobId: idOf({ from, to }),
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: FIRST_RETRY_MS },
      removeOnComplete: { count: KEEP_FINISHED },
      removeOnFail: { count: KEEP_FAILED },
    },
  }
}

function worksOn(name: string, options: { connection: ConnectionOptions }, place: QueuePlace, log: IndexerLog) {
  return async (doJob: DoJob, concurrency: number): Promise<JobWorker> => {
    const stop = new AbortController()
    const worker = new Worker<BackfillJob, BackfillResult>(
      name,
      (job, token) => attempt(job, token, { doJob, signal: stop.signal, log }),
      {
        ...options,
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: STALL_CHECK_MS,
        runRetryDelay: RETRY_MS,
      } as WorkerOptions,
      factoryOf(place),
    )
    worker.on('error', (error) => log.debug({ err: error }, 'error of a queue worker'))
    const close = async () => {
      stop.abort(new Error('the worker stops'))
      await responding(worker.close(), CLOSE_MS).catch(() => void worker.disconnect().catch(() => undefined))
    }
    try {
      await responding(worker.waitUntilReady())
    } catch (error) {
      await close()
      throw error
    }
    return { close }
  }
}

async function attempt(
  job: Job<BackfillJob>,
  token: string | undefined,
  { doJob, signal, log }: { doJob: DoJob; signal: AbortSignal; log: IndexerLog },
): Promise<BackfillResult> {
  const chunk = chunkOf(job)
  if (chunk === null) throw new UnrecoverableError('this is not a backfill job')
  try {
    return await doJob(chunk, signal)
  } catch (error) {
    if (signal.aborted) {
      await job.moveToWait(token)
      throw new WaitingError()
    }
    log.warn({ err: error, from: chunk.from, to: chunk.to }, 'a backfill job failed')
    if (isHopeless(error)) throw new UnrecoverableError(error.message)
    throw error
  }
}

function isHopeless(error: unknown): error is Error {
  return error instanceof Error && 'retryable' in error && error.retryable === false
}

function idOf({ from, to }: BlockRange): string {
  return `${from}-${to}`
}

function chunkOf(job: Job | undefined): Chunk | null {
  const read = backfillJob.safeParse(job?.data)
  return read.success ? { from: read.data.from, to: read.data.to, round: read.data.round } : null
}

function openAs(taken: boolean): (job: Job | undefined) => OpenJob[] {
  return (job) => {
    const chunk = chunkOf(job)
    return chunk === null ? [] : [{ ...chunk, taken }]
  }
}

function failedOf(job: Job): FailedJob | null {
  const chunk = chunkOf(job)
  const reason = job?.failedReason ?? 'unknown'
  return (
    chunk && { ...chunk, reason, failedAt: job.finishedOn ?? Number.NEGATIVE_INFINITY, stalled: STALLED.test(reason) }
  )
}

export async function responding<T>(work: Promise<T>, ms: number = RESPONSE_MS): Promise<T> {
  const done = new AbortController()
  const timer = delay(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`the queue did not respond within ${ms} ms`)
  })
  return Promise.race([work, timer]).finally(() => done.abort())
}

const SCHEMA = 'dexfeed_queue'
const CONNECTIONS = 3

function postgresConnection(databaseUrl: string, patience: Patience): ConnectionOptions {
  // Longer than it takes to detect a silent connection.
  const connectTimeoutMs = 2 * (patience.silentMs + patience.checkMs)
  const settings = { applicationName: 'dexfeed-queue', connectTimeoutMs, patience }
  // Without `migrate`, a worker on an empty database would loop until memory is exhausted.
  const own = { migrate: true, schema: SCHEMA, max: CONNECTIONS }
  // BullMQ's types only know Redis connections.
  return { ...watchedPoolConfig(databaseUrl, settings), ...own } as ConnectionOptions
}

/** BullMQ has no setting for the class of its listening connection. */
interface ListeningMadeFrom {
  pgModule: { Client: unknown }
}

/**
 * Adds keep-alive to BullMQ's listening connection. Behind a firewall that drops idle connections, a loss is then
 * noticed after 20 s instead of minutes.
 */
const postgresBackend: typeof createPostgresBackend = (...args) => {
  const backend = createPostgresBackend(...args)
  const connection = backend.connection as unknown as ListeningMadeFrom
  connection.pgModule = { ...connection.pgModule, Client: KeepAliveClient }
  return backend
}
