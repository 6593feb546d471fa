import { readFile } from 'node:fs/promises'
import { type Address, type NetworkName, present, SECOND } from '@dexfeed/dex'
import type { IndexerStore, JudgeAlerts } from '@dexfeed/store'
import {
  type IndexerLog,
  type LoopContext,
  reasonOf,
  repeatLogged,
  type WakeSignal,
  wakeSignal,
} from '../loops/loop.ts'
import type { QueuePlace } from '../queue/queue.ts'
import type { AlertsConfig, ReadAlerts } from './alert-rules.ts'
import { type JudgedRows, judgeCommit } from './judge-commit.ts'
import { judgeLag } from './judge-lag.ts'
import { RuleIndex } from './rule-index.ts'
import { WebhookQueues } from './webhook-queues.ts'

const FILE_MS = 5 * SECOND
const POLL_MS = SECOND

export interface AlertsFile {
  path: string
  text: string
  config: AlertsConfig
  parse(text: string): ReadAlerts
}

/** What the follower of a network needs. */
export interface NetworkAlerts {
  /** Returns what judges the rows of a commit, or null if no rule is about them. */
  judge(rows: JudgedRows): JudgeAlerts | null
  /** Call it after a commit that was judged. */
  wake(): void
}

interface AlertsOptions extends LoopContext {
  place: QueuePlace
  ended: AbortSignal
  networks: readonly { network: NetworkName; wrappedNative: Address; store: IndexerStore; log: IndexerLog }[]
}

/** Judges the rules of an ALERTS_CONFIG file, which may change, and sends what they fire. */
export class Alerts {
  readonly #options: AlertsOptions
  readonly #queues: WebhookQueues
  readonly #wakes: ReadonlyMap<NetworkName, WakeSignal>
  #file: AlertsFile
  #seen: string
  #indices = new Map<NetworkName, RuleIndex>()

  constructor(file: AlertsFile, options: AlertsOptions) {
    this.#options = options
    this.#file = file
    this.#seen = file.text
    this.#queues = new WebhookQueues(options)
    this.#wakes = new Map(options.networks.map(({ network }) => [network, wakeSignal(options.ended)]))
    this.#index()
  }

  of(network: NetworkName): NetworkAlerts {
    return {
      judge: (rows) => judgeCommit(this.#indexOf(network), rows),
      wake: () => this.#wakes.get(network)?.wake(),
    }
  }

  /** Ends when the signal aborts. */
  async run(): Promise<void> {
    const { networks, log } = this.#options
    const keepQueues = async () => {
      await this.readAgain()
      await this.#queues.use(this.#file.config.webhooks)
      return FILE_MS
    }
    await Promise.all([
      repeatLogged(this.#loop(log), 'could not open the queues of alerts', keepQueues),
      ...networks.map((each) => this.#follow(each)),
    ])
    await this.#queues.close()
  }

  /** Reads the file again if it has changed. A file that is not valid changes nothing. */
  async readAgain(): Promise<void> {
    const { log } = this.#options
    const { path, parse } = this.#file
    const text = await readFile(path, 'utf8').catch((error: unknown) => ({ problem: reasonOf(error) }))
    const seen = typeof text === 'string' ? text : text.problem
    if (seen === this.#seen) return
    this.#seen = seen
    const { config, problems } = typeof text === 'string' ? parse(text) : { problems: [`cannot be read (${seen})`] }
    if (config === undefined) {
      for (const problem of problems ?? [])
        log.warn({ problem }, 'ALERTS_CONFIG has changed, but is not valid: the rules stay as they were')
      return
    }
    this.#file = { ...this.#file, config }
    this.#index()
    log.info({ rules: config.rules.length, webhooks: config.webhooks.length }, 'ALERTS_CONFIG has changed: read again')
  }

  #follow({ network, store, log }: AlertsOptions['networks'][number]): Promise<void> {
    const wake = this.#wakes.get(network)
    const send = async () => {
      if (!(await this.#queues.fill(network, store))) await wake?.wait(POLL_MS)
      return 0
    }
    const judge = async () => {
      await judgeLag(store, this.#indexOf(network), Date.now())
      return POLL_MS
    }
    return Promise.all([
      repeatLogged(this.#loop(log), 'could not queue alerts', send),
      repeatLogged(this.#loop(log), 'could not judge how far the network is behind', judge),
    ]).then(() => undefined)
  }

  #loop(log: IndexerLog) {
    const { ended, clock } = this.#options
    return { ended, clock, log }
  }

  #index(): void {
    const { rules } = this.#file.config
    this.#indices = new Map(
      this.#options.networks.map(({ network, wrappedNative }) => [
        network,
        new RuleIndex(rules, network, wrappedNative),
      ]),
    )
  }

  #indexOf(network: NetworkName): RuleIndex {
    return present(this.#indices.get(network))
  }
}
