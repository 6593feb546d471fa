import { type ChainOptions, maskUrl } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'
import type { EndpointUse, NetworkActivity, QueueCounts } from '@dexfeed/store'
import { type LoopContext, repeatLogged } from '../loops/loop.ts'

const REPORT_MS = 10 * SECOND
const INTERVALS = 6

interface Watched {
  onRequest: NonNullable<ChainOptions['onRequest']>
  onQueue: ((counts: QueueCounts | null) => void) | undefined
}

interface Counts {
  items: number
  refused: number
  failed: number
}

export class ActivityCounts {
  readonly #endpoints: readonly string[]
  readonly #budgets = new Map<string, number | null>()
  /** Newest first. */
  readonly #intervals: Map<string, Counts>[] = [new Map()]
  #queue: QueueCounts | null = null

  constructor(rpcUrls: readonly string[]) {
    this.#endpoints = rpcUrls.map(maskUrl)
  }

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

  take(): NetworkActivity {
    const endpoints = this.#endpoints.flatMap((name, at): EndpointUse[] => {
      // Endpoints with the same masked URL count as the first of them.
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

export interface CountedActivity {
  take(): NetworkActivity
}

interface ReportActivityOptions extends LoopContext {
  activity?: CountedActivity
  store: { setActivity(activity: NetworkActivity): Promise<unknown> }
}

export async function reportActivity(
  { activity, store, log, clock }: ReportActivityOptions,
  ended: AbortSignal,
): Promise<void> {
  if (activity === undefined) return
  const step = () => store.setActivity(activity.take()).then(() => REPORT_MS)
  await repeatLogged(
    { ended, log, clock, level: 'debug' },
    'could not store the activity of the process, trying again',
    step,
  )
}
