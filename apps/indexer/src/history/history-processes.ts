import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { type Budget, BudgetServer, newsOf } from '@dexfeed/chain'
import { MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import type { ReferenceHistory } from '../blocks/reference-history.ts'
import { type IndexerLog, type LoopClock, reasonOf, repeatStep, wakeSignal } from '../loops/loop.ts'
import type { DroppedEvents } from '../pools/dropped-events.ts'
import type { HistoryReports } from './history-reports.ts'
import type { Report, ToHistory, ToIndexer } from './messages.ts'

/** The argument of a program that fills history for the process that starts it. */
export const JOINED = 'joined'

/** The processes end when nothing was missing for this time. */
const IDLE_MS = MINUTE
/** A process that does not end in this time is killed: sooner than the shutdown of the indexer gives up. */
const STOP_MS = 8 * SECOND
/** More processes than this wait for Postgres and the nodes. */
const MOST_BY_DEFAULT = 4
/** A ninth of the share of the process that follows the heads, and a third of that of the API, if processors are short. */
export const HISTORY_NICENESS = 10

/** How many processes fill history if nothing is configured: one processor is for the heads. */
export function defaultHistoryProcesses(): number {
  return Math.min(availableParallelism() - 1, MOST_BY_DEFAULT)
}

type ReadReferences = Promise<Pick<ReferenceHistory, 'cache'> | null>

/** Everything that history processes share with the indexer. */
interface SharedNetwork {
  network: NetworkName
  budgets: readonly Budget[]
  reports: HistoryReports
  /** Receives what they drop. They end once history is complete, but the indexer may still read these blocks again. */
  dropped: Pick<DroppedEvents, 'note'>
}

export interface HistoryProcessesOptions {
  count: number
  networks: readonly SharedNetwork[]
  /** Starts a process with a channel. */
  start: () => ChildProcess
  log: IndexerLog
  clock?: LoopClock
  /** Wait for the first report of missing history, because no node responds yet. */
  waits?: boolean
}

/** Starts the program of this process as a history process. */
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
 * Fills history in other processes with a lower priority, so that it never delays the heads. They run while blocks are
 * missing. They use the budgets of this process for its endpoints, and this process counts what they report.
 */
export class HistoryProcesses {
  readonly #options: HistoryProcessesOptions
  /** Networks that lack history, for all this process knows: another indexer may follow one of them. */
  readonly #missing: Set<NetworkName>
  readonly #ended = new AbortController()
  /** The processes that are to run on. */
  readonly #running = new Set<ChildProcess>()
  readonly #references = new Map<NetworkName, ReadReferences>()
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

  /** Notes whether a network lacks history. */
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

  /** Lets history continue what is read of the reference pools of a network. */
  share(network: NetworkName, reading: ReadReferences): void {
    this.#references.set(network, reading)
  }

  /** Ends the processes. Resolves when they have ended. */
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

  /** Keeps one process running while history is missing. */
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

  /** Runs a process to its end. @throws if it ends before it is stopped */
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
      const of = networks.get(network)
      if (message.kind === 'budget') of?.servers[message.place]?.receive(message.call)
      else if (of !== undefined) count(of, message.report)
    })
    return [...networks.values()].flatMap(({ servers }) => servers)
  }
}

function count({ reports, dropped }: Pick<SharedNetwork, 'reports' | 'dropped'>, { name, values }: Report): void {
  if (name === 'onDropped') for (const emitter of values[0].emitters) dropped.note(emitter)
  const report = reports[name] as (...values: Report['values']) => void
  report(...values)
}

/** Without its channel, a history process ends in order. */
function stop(child: ChildProcess): void {
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.once('exit', () => clearTimeout(timer))
}
