import { type ChainOptions, maskUrl } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'
import type { EndpointUse, IndexerStore, NetworkActivity, QueueCounts } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'

const REPORT_MS = 10 * SECOND
/** A report has the counts of this many intervals: a minute. */
const INTERVALS = 6

interface Watched {
  onRequest: NonNullable<ChainOptions['onRequest']>
  onQueue: ((counts: QueueCounts | null) => void) | undefined
}

type Counts = Pick<EndpointUse, 'items' | 'refused' | 'failed'>

/** Counts the requests of the last minute by endpoint, and keeps the newest counts of the queue. */
export class ActivityCounts {
  /** Masked, in the order of the setting. */
  readonly #endpoints: readonly string[]
  readonly #budgets = new Map<string, number | null>()
  /** The newest interval is the first. */
  readonly #intervals: Map<string, Counts>[] = [new Map()]
  #queue: QueueCounts | null = null

  constructor(rpcUrls: readonly string[]) {
    this.#endpoints = rpcUrls.map(maskUrl)
  }

  /** Returns the callbacks of the metrics, which then count here, too. */
  watching<T extends Watched>(metrics: T): T {
    return {
      ...metrics,
      onRequest: (report) => {
        metrics.onRequest(report)
        this.#count(report.endpoint, report)
        this.#budgets.set(report.endpoint, report.budgetPerS)
      },
      onQueue: (counts) => {
        metrics.onQueue?.(counts)
        this.#queue = counts
      },
    }
  }

  /** Returns the counts of the last minute, and begins a new interval. Endpoints that were not used are missing. */
  take(): NetworkActivity {
    const endpoints = this.#endpoints.flatMap((name, at): EndpointUse[] => {
      // Two endpoints of one host that differ in a hidden part are counted as the first of them.
      if (!this.#budgets.has(name) || this.#endpoints.indexOf(name) < at) return []
      const sum = { items: 0, refused: 0, failed: 0 }
      for (const interval of this.#intervals) add(sum, interval.get(name))
      return [{ endpoint: at + 1, ...sum, budgetPerS: this.#budgets.get(name) ?? null }]
    })
    this.#intervals.unshift(new Map())
    this.#intervals.splice(INTERVALS)
    return { endpoints, queue: this.#queue }
  }

  #count(endpoint: string, counts: Counts): void {
    const [newest] = this.#intervals
    const sum = newest?.get(endpoint) ?? { items: 0, refused: 0, failed: 0 }
    add(sum, counts)
    newest?.set(endpoint, sum)
  }
}

function add(sum: Counts, counts: Counts | undefined): void {
  if (counts === undefined) return
  sum.items += counts.items
  sum.refused += counts.refused
  sum.failed += counts.failed
}

export interface ReportActivityOptions {
  /** Without counts, nothing is reported. */
  activity?: Pick<ActivityCounts, 'take'>
  store: Pick<IndexerStore, 'setActivity'>
  log: IndexerLog
  clock?: LoopClock
}

/** Stores every ten seconds what the process did in the last minute. */
export async function reportActivity(
  { activity, store, log, clock }: ReportActivityOptions,
  ended: AbortSignal,
): Promise<void> {
  if (activity === undefined) return
  const step = () => store.setActivity(activity.take()).then(() => REPORT_MS)
  await repeatStep({ ended, clock }, step, (error) =>
    log.debug({ err: error }, 'could not store the activity of the process, trying again'),
  )
}
