import { setTimeout as delay } from 'node:timers/promises'
import { type Chain, type Clock, openChain } from '@dexfeed/chain'
import type { Random } from '@dexfeed/devnet'
import { type Deployment, SECOND } from '@dexfeed/dex'
import { type JobQueue, type LazyQueue, lazyQueue } from '@dexfeed/indexer/job-queue'
import { watchedTopics } from '@dexfeed/indexer/process-blocks'
import { openQueue } from '@dexfeed/indexer/queue'
import { runNetwork } from '@dexfeed/indexer/run-network'
import type { IndexerRole } from '@dexfeed/service'
import {
  type Database,
  type DatabaseOptions,
  DatabaseUnreachable,
  openDatabase,
  openIndexerStore,
  type RangeCommit,
} from '@dexfeed/store'
import { writerName } from './audit.ts'

export const SPEED = 100
/** Longer than an honest node needs on a busy machine, shorter than a late response. */
const REQUEST_TIMEOUT_MS = 800
const OPERATION_TIMEOUT_MS = 200_000
/**
 * Long enough that one endpoint's lies are not trusted while the other is down. On a busy machine a fault outlasts ten
 * minutes of this clock.
 */
const HEAD_PATIENCE_MS = 2_000_000
const POLL_MS = 1_000
const LOG_LINES = 400

export interface ReadTally extends Record<'proven' | 'unproven' | 'archived', number> {
  falseBlocks: number
}

export interface IndexingOptions {
  databaseUrl: string
  deployment: Deployment
  urls: readonly string[]
  portalUrl: string | null
  /** Multiplies time-outs. */
  patience: number
  random: Random
  startBlock: number
  /** Seconds. */
  startTime: number
  reads: ReadTally
  committed(commit: RangeCommit): void
}

export interface Indexing {
  readonly lines: readonly string[]
  jobs(): number
  /** Whether the indexer ended without being stopped. */
  hasEnded(): boolean
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
  const { databaseUrl, deployment, urls, portalUrl, random, startBlock, startTime, reads } = options
  const { network } = deployment
  const lines: string[] = []
  const onLine = (line: string) => {
    lines.push(`${network} ${line}`)
    if (lines.length > LOG_LINES) lines.shift()
  }
  const log = logTo(onLine, () => reads.falseBlocks++)
  const onRead = (blocks: number, how: 'proven' | 'unproven' | 'archived') => {
    reads[how] += blocks
  }
  let jobs = 0
  let hasEnded = false
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
    const { from, to, trades } = commit
    const taken =
      'live' in commit
        ? `followed, rolled back to ${commit.live.rollbackTo}, final ${commit.live.finalNumber}`
        : 'filled'
    onLine(`committed ${from} to ${to}: ${trades.length} trades, ${taken}`)
    options.committed(commit)
  }
  return {
    lines,
    jobs: () => jobs,
    hasEnded: () => hasEnded,
    async start(role) {
      const clock = fastClock(startTime * SECOND, SPEED, random)
      const database = await openAgain(databaseUrl, { applicationName: writerName(network), max: 6 })
      const limits = {
        requestTimeoutMs: options.patience * REQUEST_TIMEOUT_MS,
        operationTimeoutMs: options.patience * OPERATION_TIMEOUT_MS,
        headPatienceMs: HEAD_PATIENCE_MS,
      }
      const topics = watchedTopics(deployment)
      // A sampled check would miss lies of the Portal, and the rows would differ.
      const history = portalUrl === null ? {} : { archive: { url: portalUrl, key: null }, proveHistory: 1 }
      const chain = openChain({ network, urls, topics, pollMs: POLL_MS, ...limits, ...history, onRead, log }, clock)
      const stop = new AbortController()
      const store = openIndexerStore(database, network)
      const queue = lazyQueue(async () => counted(await openQueue({ redisUrl: null, databaseUrl }, network, log)))
      const done = runNetwork(
        {
          chain,
          store,
          deployment,
          queue,
          log,
          onCommit: committed,
          clock,
          role,
          start: { startBlock, backfillDays: 7 },
          concurrency: 2,
          onProgress: () => undefined,
          // Enables the comparison of pool states with the chain.
          onStates: () => undefined,
        },
        stop.signal,
      )
      void done.then(() => {
        hasEnded ||= !stop.signal.aborted
      })
      running = { stop, done, chain, queue, database }
    },
    async stop() {
      const ending = running
      running = null
      ending?.stop.abort()
      // Closing the chain ends waits for a node.
      await ending?.chain.close()
      await ending?.done
      await ending?.queue.close()
      await ending?.database.close()
    },
  }
}

/** Retries until the database is up, as a supervisor would restart the process. */
async function openAgain(databaseUrl: string, options: DatabaseOptions): Promise<Database> {
  for (;;) {
    try {
      return await openDatabase(databaseUrl, options)
    } catch (error) {
      if (!(error instanceof DatabaseUnreachable)) throw error
    }
  }
}

function logTo(onLine: (line: string) => void, onFalseBlock: () => void) {
  const note = (level: string) => (values: object, message: string) => {
    const error = 'err' in values && values.err instanceof Error ? values.err : null
    onLine(`${level} ${message} ${JSON.stringify(values)} ${error?.message ?? ''}`)
    if (error?.name === 'ProofFailed') onFalseBlock()
  }
  return { debug: () => undefined, info: note('info'), warn: note('warn'), error: note('error') }
}

function fastClock(startMs: number, speed: number, random: Random): Clock {
  return {
    now: () => startMs + performance.now() * speed,
    random: random.next,
    sleep: async (ms, signal) => {
      await delay(ms / speed, undefined, signal ? { signal } : {}).catch(() => undefined)
    },
  }
}
