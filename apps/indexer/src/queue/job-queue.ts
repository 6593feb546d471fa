import type { BackfillResult } from '@dexfeed/contract'
import type { BlockRange } from '@dexfeed/dex'

/** A chunk of history that one job covers. */
export interface Chunk extends BlockRange {
  /** How often these blocks have failed before. */
  round: number
}

/** A job that waits or is under way. */
export interface OpenJob extends Chunk {
  /** Whether a worker has it, alive or dead. */
  taken: boolean
}

/** A job that failed in all its attempts. */
export interface FailedJob extends Chunk {
  reason: string
  /** Milliseconds since 1970. */
  failedAt: number
  /** Whether it failed because its workers died, not because of its blocks. */
  stalled: boolean
}

export type DoJob = (chunk: Chunk, signal: AbortSignal) => Promise<BackfillResult>

/**
 * The backfill jobs of one network. It is only a to-do list: what must be done follows from the covered ranges, so lost
 * jobs are queued again. Every call rejects within seconds if the queue is out of reach.
 */
export interface JobQueue {
  open(): Promise<OpenJob[]>
  failed(): Promise<FailedJob[]>
  /** Returns the results of the last finished jobs, newest first. */
  finished(): Promise<BackfillResult[]>
  /** Returns the number of workers of this queue on all machines. */
  workers(): Promise<number>
  /** Queues chunks in this order. A chunk that already waits or is under way is not queued again. */
  add(chunks: readonly Chunk[]): Promise<void>
  /** Removes jobs that are not under way. */
  remove(ranges: readonly BlockRange[]): Promise<void>
  /** Works on the jobs until the worker is closed. */
  work(doJob: DoJob, concurrency: number): Promise<JobWorker>
  close(): Promise<void>
}

export interface JobWorker {
  /** Returns running jobs to the queue. */
  close(): Promise<void>
}
