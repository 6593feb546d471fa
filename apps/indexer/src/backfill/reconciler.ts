import { type BlockRange, countBlocks, MINUTE, missingRanges, SECOND, sharedRanges, withoutRanges } from '@dexfeed/dex'
import type { QueueCounts } from '@dexfeed/store'
import type { FailedJob, TodoList } from '../queue/job-queue.ts'
import { chunkSize, cutChunks, retries } from './chunks.ts'
import { RateMeter } from './rate-meter.ts'

const FIRST_REST_MS = 5 * SECOND
const MAX_REST_MS = 5 * MINUTE
/** Few, so that new jobs get the size that the last finished jobs suggest. */
const MIN_AHEAD = 8
const AHEAD_OF_WORKER = 4

export interface BackfillProgress {
  done: number
  total: number
  /** Covered blocks whose rows older rules made. */
  old: number
  /** Null while unknown, and when nothing is missing or old. */
  blocksPerS: number | null
}

export interface ReconcilerStore {
  networkRow(): Promise<{ start: { number: number } | null; finalNumber: number | null } | null>
  coveredRanges(): Promise<BlockRange[]>
  oldRanges(): Promise<BlockRange[]>
  setBackfillRate(blocksPerS: number): Promise<unknown>
}

export interface ReconcilerDependencies {
  store: ReconcilerStore
  queue(): Promise<TodoList>
  onProgress(progress: BackfillProgress): void
  onQueue?: ((counts: QueueCounts) => void) | undefined
  now(): number
}

/**
 * Keeps the queue filled with missing blocks, then with blocks made by older rules. The covered ranges are the source
 * of truth, not the queue.
 */
export class Reconciler {
  readonly #deps: ReconcilerDependencies
  readonly #meter = new RateMeter()

  constructor(dependencies: ReconcilerDependencies) {
    this.#deps = dependencies
  }

  async reconcile(): Promise<boolean> {
    const { store, queue } = this.#deps
    const row = await store.networkRow()
    if (row?.finalNumber == null || row.start === null) return true
    const required = { from: row.start.number, to: row.finalNumber }
    const { missing, old } = await this.#unfinished(required)
    await this.#reportProgress(required, countBlocks(missing), countBlocks(old))
    if (missing.length + old.length === 0) {
      this.#deps.onQueue?.({ waiting: 0, taken: 0, failed: 0, workers: null })
      return false
    }
    await this.#fill(await queue(), required)
    return true
  }

  async #fill(queue: TodoList, required: BlockRange): Promise<void> {
    const { now } = this.#deps
    const [open, failed, finished, workers] = await Promise.all([
      queue.open(),
      queue.failed(),
      queue.finished(),
      queue.workers(),
    ])
    // Read after the queue, so that a job that finishes in between counts as done.
    const { missing, old } = await this.#unfinished(required)
    const due = failed.filter((job) => isDue(job, now()))
    const resting = failed.filter((job) => !due.includes(job))
    const free = (ranges: readonly BlockRange[]) => withoutRanges(ranges, [...open, ...resting])
    const again = [...retries(free(missing), due), ...retries(free(old), due)]
    const waiting = open.filter(({ taken }) => !taken).length
    this.#deps.onQueue?.({ waiting, taken: open.length - waiting, failed: failed.length, workers })
    const count = Math.max(MIN_AHEAD, AHEAD_OF_WORKER * workers) - waiting - again.length
    const size = chunkSize(finished)
    const fresh = cutChunks(withoutRanges(free(missing), due), { size, count })
    fresh.push(...cutChunks(withoutRanges(free(old), due), { size, count: count - fresh.length }))
    if (due.length > 0) await queue.remove(due)
    if (again.length + fresh.length > 0) await queue.add([...again, ...fresh])
  }

  async #unfinished(required: BlockRange): Promise<{ missing: BlockRange[]; old: BlockRange[] }> {
    const { store } = this.#deps
    const [covered, old] = await Promise.all([store.coveredRanges(), store.oldRanges()])
    return { missing: missingRanges(required, covered), old: sharedRanges(old, required) }
  }

  async #reportProgress(required: BlockRange, missing: number, old: number): Promise<void> {
    const { store, onProgress, now } = this.#deps
    const total = Math.max(0, countBlocks([required]))
    const measured = this.#meter.measure(now(), missing + old)
    const blocksPerS = missing + old === 0 ? null : measured
    if (blocksPerS !== null) await store.setBackfillRate(blocksPerS)
    onProgress({ done: total - missing, total, old, blocksPerS })
  }
}

/** Returns whether a failed job's pause is over. There is no pause if its worker died or the clock has jumped back. */
function isDue({ failedAt, round, stalled }: FailedJob, now: number): boolean {
  if (stalled || failedAt > now + MAX_REST_MS) return true
  return failedAt + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** round) <= now
}
