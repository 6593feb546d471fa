import { MINUTE, SECOND } from '@dexfeed/dex'
import { type Job, Queue, type QueueOptions, WaitingError, Worker, type WorkerOptions } from 'bullmq'
import type { IndexerLog } from '../loops/loop.ts'
import { CLOSE_MS, connectionTo, factoryOf, PREFIX, type QueuePlace, RETRY_MS, responding } from './queue.ts'

/** Pauses double from a second to an hour: a receiver may be gone for most of a day. */
const ATTEMPTS = 30
const MAX_PAUSE_MS = 60 * MINUTE
/** Deliveries to one webhook at the same time. */
const CONCURRENCY = 4
/** A finished job prevents the same alert from being queued again after a crash. */
const KEEP_FINISHED = 1_000
const UNFINISHED = ['wait', 'active', 'delayed', 'prioritized'] as const

export interface AlertJob {
  id: string
  body: string
}

export interface AlertQueue {
  /** The number of alerts that are not delivered yet. */
  unfinished(): Promise<number>
  /** Leaves out alerts that are queued already. */
  add(jobs: readonly AlertJob[]): Promise<void>
  close(): Promise<void>
}

export type Deliver = (job: AlertJob, signal: AbortSignal) => Promise<void>

/**
 * Opens the queue of one webhook, with a worker that delivers its alerts and tries those again that fail.
 *
 * @throws Error if the queue cannot be reached
 */
export async function openAlertQueue(
  place: QueuePlace,
  webhook: string,
  deliver: Deliver,
  log: IndexerLog,
): Promise<AlertQueue> {
  const name = `alerts-${webhook}`
  const connection =
    place.redisUrl === null ? { ...connectionTo(place).connection, max: 1 } : connectionTo(place).connection
  const options = { prefix: PREFIX, connection }
  const queue = new Queue<AlertJob>(
    name,
    { ...options, streams: { events: { maxLen: 1_000 } } } as QueueOptions,
    factoryOf(place),
  )
  const stop = new AbortController()
  const worker = new Worker<AlertJob>(
    name,
    (job, token) => attempt(job, token, deliver, stop.signal),
    {
      ...options,
      concurrency: CONCURRENCY,
      runRetryDelay: RETRY_MS,
      settings: { backoffStrategy: (attempts: number) => Math.min(SECOND * 2 ** (attempts - 1), MAX_PAUSE_MS) },
    } as WorkerOptions,
    factoryOf(place),
  )
  const note = (error: Error) => log.debug({ err: error }, 'error of the queue of alerts')
  queue.on('error', note)
  worker.on('error', note)
  const close = async () => {
    stop.abort(new Error('the worker stops'))
    for (const part of [worker, queue]) {
      await responding(part.close(), CLOSE_MS).catch(() => void part.disconnect().catch(() => undefined))
    }
  }
  try {
    await responding(Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]))
  } catch (error) {
    await close()
    throw error
  }
  return {
    unfinished: () => responding(queue.getJobCountByTypes(...UNFINISHED)),
    async add(jobs) {
      await responding(queue.addBulk(jobs.map(jobOf)))
    },
    close,
  }
}

function jobOf(data: AlertJob) {
  return {
    name: 'alert',
    data,
    opts: {
      jobId: data.id,
      attempts: ATTEMPTS,
      backoff: { type: 'custom' },
      removeOnComplete: { count: KEEP_FINISHED },
      removeOnFail: { count: KEEP_FINISHED },
    },
  }
}

async function attempt(
  job: Job<AlertJob>,
  token: string | undefined,
  deliver: Deliver,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deliver(job.data, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    await job.moveToWait(token)
    throw new WaitingError()
  }
}
