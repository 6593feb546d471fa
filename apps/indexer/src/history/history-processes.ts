import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { type Budget, BudgetServer, newsOf } from '@dexfeed/chain'
import { MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import type { ReadReferences } from '../blocks/network-context.ts'
import { type LoopContext, reasonOf, repeatStep, wakeSignal } from '../loops/loop.ts'
import type { DroppedEmitter } from '../pools/dropped-events.ts'
import type { HistoryReports, Report, ToHistory, ToIndexer } from './messages.ts'

export const JOINED = 'joined'

const IDLE_MS = MINUTE
/** A process is killed after this time, before the indexer's shutdown gives up. */
const STOP_MS = 8 * SECOND
/** More processes would only wait for Postgres and the nodes. */
const MAX_BY_DEFAULT = 4
/** Gives a process a ninth of the indexer's CPU share, and a third of the API's. */
export const HISTORY_NICENESS = 10

/** Leaves one processor to the head. */
export function defaultHistoryProcesses(): number {
  return Math.min(availableParallelism() - 1, MAX_BY_DEFAULT)
}

interface SharedNetwork {
  network: NetworkName
  budgets: readonly Budget[]
  reports: HistoryReports
  /** The indexer may read these blocks again after the process has ended. */
  dropped: { note(emitter: DroppedEmitter): void }
}

export interface HistoryProcessesOptions extends LoopContext {
  count: number
  networks: readonly SharedNetwork[]
  start: () => ChildProcess
  /** Whether to wait for the first report of missing history, because no node responds yet. */
  waits?: boolean
}

export function forkHistory(env: Readonly<Record<string, string | undefined>>): ChildProcess {
  const [, program = ''] = process.argv
  const child = fork(program, ['--role', 'backfill', JOINED], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  if (child.pid !== undefined) setPriority(child.pid, HISTORY_NICENESS)
  return child
}

/**
 * Fills history in processes of lower priority, so that it never delays the head. They share this process's endpoint
 * budgets and report to it.
 */
export class HistoryProcesses {
  readonly #options: HistoryProcessesOptions
  /** All networks at first, because another indexer may follow one. */
  readonly #missing: Set<NetworkName>
  readonly #ended = new AbortController()
  readonly #running = new Set<ChildProcess>()
  readonly #references = new Map<NetworkName, Promise<ReadReferences | null>>()
  readonly #wakes: (() => void)[] = []
  readonly #loops: Promise<unknown>
  #idle: NodeJS.Timeout | null = null
  #isNeeded: boolean

  constructor(options: HistoryProcessesOptions) {
    this.#options = options
    this.#isNeeded = options.waits !== true
    this.#missing = new Set(options.networks.map(({ network }) => network))
    this.#loops = Promise.all(Array.from({ length: options.count }, () => this.#keepRunning()))
  }

  note(network: NetworkName, isMissing: boolean): void {
    if (isMissing) this.#missing.add(network)
    else this.#missing.delete(network)
    if (this.#missing.size > 0) {
      if (this.#idle !== null) clearTimeout(this.#idle)
      this.#idle = null
      this.#isNeeded = true
      for (const wake of this.#wakes) wake()
    } else if (this.#isNeeded && this.#idle === null) {
      this.#idle = setTimeout(() => this.#rest(), IDLE_MS)
      this.#idle.unref()
    }
  }

  share(network: NetworkName, reading: Promise<ReadReferences | null>): void {
    this.#references.set(network, reading)
  }

  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#ended.abort()
    this.#rest()
    await this.#loops
  }

  #rest(): void {
    this.#idle = null
    this.#isNeeded = false
    for (const child of this.#running) stop(child)
    this.#running.clear()
  }

  async #keepRunning(): Promise<void> {
    const { log, clock } = this.#options
    const { signal: ended } = this.#ended
    const { wake, wait } = wakeSignal(ended)
    this.#wakes.push(wake)
    const step = async () => {
      if (this.#isNeeded) await this.#run()
      else await wait()
      return 0
    }
    await repeatStep({ ended, clock }, step, (error) =>
      log.warn({ reason: reasonOf(error) }, 'a history process ended by itself'),
    )
  }

  /** @throws Error if the process ends before it is stopped */
  async #run(): Promise<void> {
    const child = this.#options.start()
    this.#running.add(child)
    const servers = this.#serve(child)
    const end = await new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
      child.on('error', (error) => resolve(error.message))
    })
    for (const server of servers) server.close()
    if (this.#running.delete(child)) throw new Error(end)
  }

  #serve(child: ChildProcess): BudgetServer[] {
    const send = (message: ToHistory) => {
      if (child.connected) child.send(message, () => undefined)
    }
    const networks = new Map(
      this.#options.networks.map(({ network, budgets, reports, dropped }) => {
        const servers = budgets.map(
          (budget, place) => new BudgetServer(budget, (reply) => send({ kind: 'budget', network, place, reply })),
        )
        return [network, { budgets, reports, dropped, servers }]
      }),
    )
    child.on('message', (message: ToIndexer) => {
      if (message.kind === 'joined') {
        const news = [...networks].map(([network, { budgets }]) => [network, budgets.map(newsOf)])
        send({ kind: 'welcome', news: Object.fromEntries(news) })
        return
      }
      const { network } = message
      if (message.kind === 'references') {
        const reading = this.#references.get(network) ?? Promise.resolve(null)
        void reading.then((read) => send({ kind: 'references', network, cache: read?.cache ?? null }))
        return
      }
      const served = networks.get(network)
      if (message.kind === 'budget') served?.servers[message.place]?.receive(message.call)
      else if (served !== undefined) count(served, message.report)
    })
    return [...networks.values()].flatMap(({ servers }) => servers)
  }
}

function count({ reports, dropped }: Omit<SharedNetwork, 'network'>, { name, values }: Report): void {
  if (name === 'onDropped') for (const emitter of values[0].emitters) dropped.note(emitter)
  const report = reports[name] as (...values: Report['values']) => void
  report(...values)
}

/** Disconnects, which makes the process shut down. Kills it if that takes too long. */
function stop(child: ChildProcess): void {
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.once('exit', () => clearTimeout(timer))
}
