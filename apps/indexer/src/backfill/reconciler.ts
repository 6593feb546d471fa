import { type BlockRange, countBlocks, MINUTE, missingRanges, SECOND, withoutRanges } from '@dexfeed/dex'
import type { IndexerStore, NetworkRow } from '@dexfeed/store'
import type { FailedJob, JobQueue } from '../queue/job-queue.ts'
import { chunkSize, cutChunks, retries } from './chunks.ts'
import { RateMeter } from './rate-meter.ts'

/** How long a failed job rests before its blocks are queued again; twice as long after each further failure. */
const FIRST_REST_MS = 5 * SECOND
const LONGEST_REST_MS = 5 * MINUTE
/** How many chunks wait at least: few, so that their size follows the time of the last ones. */
const MIN_AHEAD = 8
/** How many chunks are queued for each worker: enough for it until the next look. */
const AHEAD_OF_WORKER = 4

/** How far history is covered. */
interface BackfillProgress {
  done: number
  total: number
  /** Null while it is unknown, and when nothing is missing. */
  blocksPerS: number | null
}

export interface ReconcilerDependencies {
  store: {
    networkRow(): Promise<Pick<NetworkRow, 'start' | 'finalNumber'> | null>
    coveredRanges(): Promise<BlockRange[]>
    setBackfillRate: IndexerStore['setBackfillRate']
  }
  queue(): Promise<Pick<JobQueue, 'open' | 'failed' | 'finished' | 'workers' | 'add' | 'remove'>>
  onProgress(progress: BackfillProgress): void
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * Keeps the queue filled with what is missing. The covered ranges are the truth and the queue a to-do list: whatever
 * was lost, given up or never queued is found here again.
 */
export class Reconciler {
  readonly #deps: ReconcilerDependencies
  readonly #meter = new RateMeter()

  constructor(dependencies: ReconcilerDependencies) {
    this.#deps = dependencies
  }

  /**
   * Compares what is wanted with what is covered and queued.
   *
   * @returns whether anything is missing
   */
  async reconcile(): Promise<boolean> {
    const { store, queue } = this.#deps
    const row = await store.networkRow()
    // The follower writes what is final, and covers what lies above.
    if (row?.finalNumber == null || row.start === null) return true
    const wanted = { from: row.start.number, to: row.finalNumber }
    const missing = missingRanges(wanted, await store.coveredRanges())
    await this.#reportProgress(wanted, countBlocks(missing))
    if (missing.length === 0) return false
    await this.#fill(await queue(), wanted)
    return true
  }

  async #fill(queue: Awaited<ReturnType<ReconcilerDependencies['queue']>>, wanted: BlockRange): Promise<void> {
    const { store, now } = this.#deps
    const [open, failed, finished, workers] = await Promise.all([
      queue.open(),
      queue.failed(),
      queue.finished(),
      queue.workers(),
    ])
    // Coverage is read after the queue: what a job finishes in between is seen to be done, not to be missing.
    const missing = missingRanges(wanted, await store.coveredRanges())
    const due = failed.filter((job) => isDue(job, now()))
    const resting = failed.filter((job) => !due.includes(job))
    const free = withoutRanges(missing, [...open, ...resting])
    const again = retries(free, due)
    const waiting = open.filter(({ taken }) => !taken).length
    const count = Math.max(MIN_AHEAD, AHEAD_OF_WORKER * workers) - waiting - again.length
    const fresh = cutChunks(withoutRanges(free, due), { size: chunkSize(finished), count })
    if (due.length > 0) await queue.remove(due)
    if (again.length + fresh.length > 0) await queue.add([...again, ...fresh])
  }

  async #reportProgress(wanted: BlockRange, missing: number): Promise<void> {
    const { store, onProgress, now } = this.#deps
    const total = Math.max(0, countBlocks([wanted]))
    const measured = this.#meter.measure(now(), missing)
    const blocksPerS = missing === 0 ? null : measured
    if (blocksPerS !== null) await store.setBackfillRate(blocksPerS)
    onProgress({ done: total - missing, total, blocksPerS })
  }
}

/**
 * A job whose workers died is queued again at once: it was not the job's fault. So is one that failed in a future that
 * no rest reaches: the clock has jumped since.
 */
function isDue({ failedAt, round, stalled }: FailedJob, now: number): boolean {
  if (stalled || failedAt > now + LONGEST_REST_MS) return true
  return failedAt + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** round) <= now
}
