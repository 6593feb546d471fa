import type { NetworkName } from '@dexfeed/dex'
import type { IndexerStore, SentAlert } from '@dexfeed/store'
import { type IndexerLog, reasonOf } from '../loops/loop.ts'
import { type AlertJob, type AlertQueue, type Deliver, openAlertQueue } from '../queue/alert-queue.ts'
import type { QueuePlace } from '../queue/queue.ts'
import type { Webhook } from './alert-rules.ts'
import { sendWebhook } from './send-webhook.ts'

/** Further alerts wait in the table. */
const MAX_UNFINISHED = 1_000
const MAX_ADDED = 100

type Waiting = Pick<IndexerStore, 'lastAlert' | 'waitingAlerts' | 'noteQueued'>

interface OpenQueue {
  queue: AlertQueue
  /** By network, the number of a row; up to it, no alert waits for this queue. */
  filledTo: Map<NetworkName, number>
}

interface Options {
  place: QueuePlace
  log: IndexerLog
}

/** A queue for each webhook, so that none waits for the receiver of another. */
export class WebhookQueues {
  readonly #options: Options
  readonly #queues = new Map<string, OpenQueue>()
  readonly #failing = new Set<string>()
  #webhooks: ReadonlyMap<string, Webhook> = new Map()

  constructor(options: Options) {
    this.#options = options
  }

  /** Opens the queues of these webhooks that are not open yet, and closes those of others. */
  async use(webhooks: readonly Webhook[]): Promise<void> {
    const { place, log } = this.#options
    this.#webhooks = new Map(webhooks.map((webhook) => [webhook.name, webhook]))
    for (const [name, { queue }] of this.#queues) {
      if (this.#webhooks.has(name)) continue
      this.#queues.delete(name)
      await queue.close()
    }
    for (const { name } of webhooks) {
      if (this.#queues.has(name)) continue
      const queue = await openAlertQueue(place, name, this.#deliverTo(name), log)
      this.#queues.set(name, { queue, filledTo: new Map() })
    }
  }

  /** Moves alerts of a network from the table to the queues. Returns whether more may wait. */
  async fill(network: NetworkName, store: Waiting): Promise<boolean> {
    let isMore = false
    // Read first, so that no row up to it is missed. Rows that wait for other queues are not read again.
    const last = await store.lastAlert()
    for (const [name, { queue, filledTo }] of this.#queues) {
      const after = filledTo.get(network) ?? 0
      if (after >= last) continue
      const room = Math.min(MAX_ADDED, MAX_UNFINISHED - (await queue.unfinished()))
      if (room <= 0) continue
      const alerts = await store.waitingAlerts(name, room, after)
      const numbers = alerts.map(({ number }) => number)
      if (alerts.length > 0) {
        await queue.add(alerts.map((alert) => jobOf(network, alert)))
        await store.noteQueued(name, numbers)
      }
      const isFull = alerts.length === room
      filledTo.set(network, isFull ? Math.max(...numbers) : last)
      isMore ||= isFull
    }
    return isMore
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map(({ queue }) => queue.close()))
    this.#queues.clear()
  }

  #deliverTo(name: string): Deliver {
    return async (job, signal) => {
      const webhook = this.#webhooks.get(name)
      if (webhook === undefined) throw new Error(`ALERTS_CONFIG has no webhook ${name} any more`)
      try {
        await sendWebhook(webhook, job, { signal })
        if (this.#failing.delete(name)) this.#options.log.info({ webhook: name }, 'a webhook accepts alerts again')
      } catch (error) {
        if (!signal.aborted) this.#noteFailure(name, error)
        throw error
      }
    }
  }

  /** Warn once until the receiver accepts again. */
  #noteFailure(name: string, error: unknown): void {
    if (this.#failing.has(name)) return
    this.#failing.add(name)
    this.#options.log.warn(
      { webhook: name, reason: reasonOf(error) },
      'a webhook did not accept an alert, trying again',
    )
  }
}

function jobOf(network: NetworkName, { number, id, status, details }: SentAlert): AlertJob {
  const body = JSON.stringify({ id, sequence: number, status, ...JSON.parse(details) })
  return { id: `${network}-${number}-${id}`, body }
}
