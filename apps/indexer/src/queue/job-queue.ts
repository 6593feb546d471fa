import type { BackfillResult } from '@dexfeed/contract'
import type { BlockRange } from '@dexfeed/dex'

/** A chunk of history that a job covers. */
export interface Chunk extends BlockRange {
  /** How often these blocks were given up before. */
  round: number
}

/** A job that waits or is being worked on. */
export interface OpenJob extends Chunk {
  /** A worker has it, alive or not. */
  taken: boolean
}

/** A job that no worker could do. */
export interface FailedJob extends Chunk {
  reason: string
  /** Milliseconds since 1970. */
  failedAt: number
  /** Given up because its workers died, not because of what they met. */
  stalled: boolean
}

/** Does one job; the signal aborts when this worker is to stop. */
export type DoJob = (chunk: Chunk, signal: AbortSignal) => Promise<BackfillResult>

/**
 * The backfill jobs of one network. A to-do list, no more: what has to be done follows from the covered ranges, so
 * whatever is lost here is queued again. Every call rejects within seconds when the queue is out of reach.
 */
export interface JobQueue {
  open(): Promise<OpenJob[]>
  failed(): Promise<FailedJob[]>
  /** The results of the last finished jobs, newest first. */
  finished(): Promise<BackfillResult[]>
  /** Workers of this queue on all machines. */
  workers(): Promise<number>
  /** Queues chunks in this order. One that waits or is being worked on already stays alone. */
  add(chunks: readonly Chunk[]): Promise<void>
  /** Forgets jobs that are not being worked on. */
  remove(ranges: readonly BlockRange[]): Promise<void>
  /** Works on the jobs until the worker is closed. */
  work(doJob: DoJob, concurrency: number): Promise<JobWorker>
  close(): Promise<void>
}

export interface JobWorker {
  /** Gives running jobs back to the queue. */
  close(): Promise<void>
}
