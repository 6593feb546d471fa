import type { BackfillResult } from '@dexfeed/contract'
import type { BlockRange } from '@dexfeed/dex'

export interface Chunk extends BlockRange {
  /** How often these blocks have failed before. */
  round: number
}

export interface OpenJob extends Chunk {
  /** Whether a worker, alive or dead, has taken the job. */
  taken: boolean
}

export interface FailedJob extends Chunk {
  reason: string
  /** Milliseconds since 1970. */
  failedAt: number
  /** Whether the job's workers died. Its blocks may be fine. */
  stalled: boolean
}

export type DoJob = (chunk: Chunk, signal: AbortSignal) => Promise<BackfillResult>

export interface TodoList {
  open(): Promise<OpenJob[]>
  failed(): Promise<FailedJob[]>
  /** Results of the last finished jobs, newest first. */
  finished(): Promise<BackfillResult[]>
  /** The number of workers on all machines. */
  workers(): Promise<number>
  /** Queues chunks in this order, except those that are already queued or under way. */
  add(chunks: readonly Chunk[]): Promise<void>
  remove(ranges: readonly BlockRange[]): Promise<void>
}

/** A queue and its workers. Every call rejects within seconds if the queue cannot be reached. */
export interface JobQueue extends TodoList {
  work(doJob: DoJob, concurrency: number): Promise<JobWorker>
  close(): Promise<void>
}

export interface JobWorker {
  close(): Promise<void>
}

export interface OpenedQueue {
  /** Opens the queue on first use, and again after a failure to open. */
  use(): Promise<JobQueue>
}

export interface LazyQueue extends OpenedQueue {
  close(): Promise<void>
}

export function lazyQueue(open: () => Promise<JobQueue>): LazyQueue {
  let opened: Promise<JobQueue> | null = null
  return {
    use() {
      opened ??= open().catch((error: unknown) => {
        opened = null
        throw error
      })
      return opened
    },
    async close() {
      const queue = await opened?.catch(() => null)
      await queue?.close()
    },
  }
}
