import { type Chain, openChain } from '@dexfeed/chain'
import type { Random } from '@dexfeed/devnet'
import type { Deployment } from '@dexfeed/dex'
import type { IndexerRole } from '@dexfeed/service'
import {
  type Database,
  type DatabaseOptions,
  DatabaseUnreachable,
  openDatabase,
  openIndexerStore,
  type RangeCommit,
} from '@dexfeed/store'
import { watchedTopics } from '../../apps/indexer/src/blocks/process-blocks.ts'
import type { JobQueue } from '../../apps/indexer/src/queue/job-queue.ts'
import { type LazyQueue, lazyQueue } from '../../apps/indexer/src/queue/lazy-queue.ts'
import { openQueue } from '../../apps/indexer/src/queue/queue.ts'
import { runNetwork } from '../../apps/indexer/src/run-network.ts'
import { writerName } from './audit.ts'
import { hastyClock } from './hasty-clock.ts'

const SPEED = 100
/** Longer than an honest node takes on a busy machine, shorter than a late answer. */
const REQUEST_TIMEOUT_MS = 800
const OPERATION_TIMEOUT_MS = 200_000
const POLL_MS = 1_000
const LOG_LINES = 400

export interface IndexingOptions {
  databaseUrl: string
  deployment: Deployment
  urls: readonly string[]
  random: Random
  startBlock: number
  committed(commit: RangeCommit): void
}

/** The real indexing of one network, as a process of its own would run it: with its own connections. */
export interface Indexing {
  /** Last lines of its log. */
  readonly lines: readonly string[]
  /** Backfill jobs that it is doing. */
  jobs(): number
  /** Whether it ended although nobody stopped it. */
  gaveUp(): boolean
  start(role: IndexerRole): Promise<void>
  stop(): Promise<void>
}

interface Running {
  stop: AbortController
  done: Promise<void>
  chain: Chain
  queue: LazyQueue
  database: Database
}

export function indexingOf(options: IndexingOptions): Indexing {
  const { databaseUrl, deployment, urls, random, startBlock } = options
  const { network } = deployment
  const lines: string[] = []
  const tell = (line: string) => {
    lines.push(`${network} ${line}`)
    if (lines.length > LOG_LINES) lines.shift()
  }
  const log = logTo(tell)
  let jobs = 0
  let gaveUp = false
  let running: Running | null = null
  const counted = (queue: JobQueue): JobQueue => ({
    ...queue,
    work: (doJob, concurrency) =>
      queue.work(async (chunk, signal) => {
        jobs++
        return doJob(chunk, signal).finally(() => jobs--)
      }, concurrency),
  })
  const committed = (commit: RangeCommit) => {
    const { live, from, to, trades } = commit
    const taken = live === null ? 'filled' : `followed, taken back to ${live.rollbackTo}, final ${live.finalNumber}`
    tell(`committed ${from} to ${to}: ${trades.length} trades, ${taken}`)
    options.committed(commit)
  }
  return {
    lines,
    jobs: () => jobs,
    gaveUp: () => gaveUp,
    async start(role) {
      const clock = hastyClock(SPEED, random)
      const database = await openAgain(databaseUrl, { applicationName: writerName(network), max: 6 })
      const limits = { requestTimeoutMs: REQUEST_TIMEOUT_MS, operationTimeoutMs: OPERATION_TIMEOUT_MS }
      const topics = watchedTopics(deployment)
      const chain = openChain({ network, urls, topics, pollMs: POLL_MS, ...limits, log }, clock)
      const stop = new AbortController()
      const store = openIndexerStore(database, network)
      const queue = lazyQueue(async () => counted(await openQueue({ redisUrl: null, databaseUrl }, network, log)))
      const done = runNetwork(
        {
          ...{ chain, store, deployment, queue, log, onCommit: committed, clock, role },
          start: { startBlock, backfillDays: 7 },
          concurrency: 2,
          onProgress: () => undefined,
        },
        stop.signal,
      )
      void done.then(() => {
        gaveUp ||= !stop.signal.aborted
      })
      running = { stop, done, chain, queue, database }
    },
    async stop() {
      const ending = running
      running = null
      ending?.stop.abort()
      // As the program does: what waits for a node stops waiting.
      await ending?.chain.close()
      await ending?.done
      await ending?.queue.close()
      await ending?.database.close()
    },
  }
}

/** A process whose database is gone as it starts ends, and is started again. */
async function openAgain(databaseUrl: string, options: DatabaseOptions): Promise<Database> {
  for (;;) {
    try {
      return await openDatabase(databaseUrl, options)
    } catch (error) {
      if (!(error instanceof DatabaseUnreachable)) throw error
    }
  }
}

function logTo(tell: (line: string) => void) {
  const note = (level: string) => (values: object, message: string) => {
    const error = 'err' in values && values.err instanceof Error ? values.err.message : ''
    tell(`${level} ${message} ${JSON.stringify(values)} ${error}`)
  }
  return { debug: () => undefined, info: note('info'), warn: note('warn'), error: note('error') }
}
