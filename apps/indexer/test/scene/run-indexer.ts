import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Chain, type Clock, openChain, systemClock } from '@dexfeed/chain'
import { createRandom, type Devnet, type DevnetChain } from '@dexfeed/devnet'
import {
  type Deployment,
  isPossibleState,
  missingRanges,
  type NetworkName,
  parseDexConfig,
  sharedRanges,
  stateReadingOf,
} from '@dexfeed/dex'
import type { IndexerRole } from '@dexfeed/service'
import { type DatabaseOptions, type IndexerStore, openDatabase, openIndexerStore, StoreError } from '@dexfeed/store'
import { closeAfter, sceneDatabase } from '@dexfeed/test-setup'
import { inject } from 'vitest'
import type { NetworkAlerts } from '../../src/alerts/alerts.ts'
import { loadKnown } from '../../src/blocks/network-context.ts'
import { watchedTopics } from '../../src/blocks/process-blocks.ts'
import type { IndexerLog } from '../../src/loops/loop.ts'
import { lazyQueue } from '../../src/queue/job-queue.ts'
import { openQueue } from '../../src/queue/queue.ts'
import { runNetwork } from '../../src/run-network.ts'
import type { CheckedStates } from '../../src/verify/pool-states/state-checker.ts'
import type { CheckedPart } from '../../src/verify/range-checker.ts'

/**
 * A client sets an endpoint with a false response aside for a minute. During a reorg, that may happen twice. In `npm
 * test`, the deadline comes before the time-out of a test, which would not say what was awaited.
 */
const DEADLINE_MS = inject('scale') > 1 ? 150_000 : 100_000
/** Each look at the tables, and each request for the head, costs as much as indexing some blocks. */
const PAUSE_MS = 120
const POLL_MS = 100
/** Fewer than the program opens, because each new connection plans all its statements again. */
const MAX_CONNECTIONS = 4

export function deploymentOf(devnet: Pick<Devnet, 'dexConfigFile'>, network: NetworkName): Deployment {
  const { deployments, problems } = parseDexConfig(readFileSync(devnet.dexConfigFile, 'utf8'))
  const deployment = deployments[network]
  if (deployment === undefined) throw new Error(`no deployment of ${network}: ${problems.join('; ')}`)
  return deployment
}

export async function headOf({ rpc }: Pick<DevnetChain, 'rpc'>): Promise<{ number: number; hash: string }> {
  const block = await rpc.send<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false])
  return { number: Number(block.number), hash: block.hash }
}

export interface RunningIndexer {
  /**
   * Resolves once everything from the start to this block is covered, final blocks follow the current rules, and pool
   * states are read.
   */
  caughtUp(block: { number: number; hash: string }): Promise<void>
  /** Resolves once this block is the committed head, even if blocks below are missing. */
  follows(block: { hash: string }): Promise<void>
  /** Resolves once the indexer's log has a warning that matches. */
  warns(of: RegExp): Promise<void>
  stop(): Promise<void>
}

export interface RunOptions {
  databaseUrl: string
  network: NetworkName
  /** Comma-separated. */
  rpcUrl: string
  deployment: Deployment
  startBlock?: number
  role?: IndexerRole
  /** Without it, the queue is kept in the database. */
  redisUrl?: string | null
  /** Receives the audit's parts. The audit then runs without pauses; by default it does not run. */
  onAudit?: ((part: CheckedPart) => void) | null
  /** Receives the comparison of pool states, which then runs without pauses; by default it does not run. */
  onStates?: ((checked: CheckedStates) => void) | null
  retentionDays?: number | null
  restoreSince?: number
  /** Announces heads. By default, heads are polled. */
  wsUrl?: string
  /** 100 by default. */
  pollMs?: number
  /** 0 by default, which means at each step. */
  finalityMs?: number
  /** Receives the number of pools whose state was found wrong. */
  onInvalidate?: (pools: number) => void
  wrap?: (chain: Chain) => Chain
  alerts?: NetworkAlerts
  /** How many times faster than the system clock the chain's clock runs, for its pauses and waits; 1 by default. */
  haste?: number
  /** How long a reorg below the final block must be claimed; minutes by default. */
  deepReorgMs?: number
  /** Limits for a silent database; seconds by default. */
  patience?: DatabaseOptions['patience']
}

const SHORT_REST_MS = 60
/** A clock for the audit, which pauses between its steps. */
const restless = {
  sleep: (ms: number, signal: AbortSignal) =>
    delay(Math.min(ms, SHORT_REST_MS), undefined, { signal }).catch(() => undefined),
}

const clockOf = (haste: number): Clock => ({
  now: () => performance.now() * haste,
  random: createRandom(inject('seed')).next,
  sleep: (ms, signal) => systemClock.sleep(ms / haste, signal),
})

/** Indexes one network in this process, as the program does. Stops at the end of the test. */
export async function runIndexer(options: RunOptions): Promise<RunningIndexer> {
  const { databaseUrl, network, rpcUrl, deployment, startBlock = 0, role = 'both', redisUrl = null } = options
  const {
    onAudit = null,
    onStates = null,
    retentionDays = null,
    wsUrl,
    wrap = (chain) => chain,
    haste = 1,
    deepReorgMs,
    patience,
  } = options
  const problems: string[] = []
  const log: IndexerLog = {
    debug: () => undefined,
    info: () => undefined,
    warn: (values, message) => problems.push(`${message} ${describe(values)}`),
    error: (values, message) => problems.push(`${message} ${describe(values)}`),
  }
  const database = await openDatabase(databaseUrl, {
    applicationName: 'test-indexer',
    max: MAX_CONNECTIONS,
    ...(patience && { patience }),
  })
  const store = openIndexerStore(database, network)
  const topics = watchedTopics(deployment)
  const times = { pollMs: POLL_MS * haste, operationTimeoutMs: 30_000 * haste }
  // The final block must be recent, because it decides which reorgable blocks are stored.
  const { pollMs = times.pollMs, finalityMs = 0 } = options
  const urls = [...rpcUrl.split(','), ...(wsUrl === undefined ? [] : [wsUrl])]
  const settings = { network, urls, topics, ...times, pollMs, finalityMs, log }
  const chain = wrap(openChain(settings, clockOf(haste)))
  const queue = lazyQueue(() => openQueue({ redisUrl, databaseUrl }, network, log))
  const stop = new AbortController()
  const running = runNetwork(
    {
      chain,
      store,
      deployment,
      queue,
      log,
      start: { startBlock, backfillDays: 7 },
      role,
      concurrency: 2,
      onCommit: () => undefined,
      onProgress: () => undefined,
      onAudit,
      onStates,
      retentionDays,
      restorable: [{ network, chain, store }],
      restoreSince: options.restoreSince ?? null,
      deepReorgMs,
      onInvalidate: options.onInvalidate,
      alerts: options.alerts,
      ...(onAudit === null && onStates === null ? {} : { clock: restless }),
    },
    stop.signal,
  )
  const isCaughtUp = async (block: { number: number; hash: string }) => {
    const row = await store.networkRow()
    if (row?.head?.hash !== block.hash || row.degraded !== null) return false
    const missing = missingRanges(
      { from: Math.max(startBlock, row.start?.number ?? 0), to: block.number },
      await store.coveredRanges(),
    )
    if (missing.length > 0) return false
    const final = { from: Math.max(startBlock, row.start?.number ?? 0), to: row.finalNumber ?? -1 }
    if (sharedRanges(await store.oldRanges(), final).length > 0) return false
    return areStatesRead(store, deployment)
  }
  const wait = async (condition: () => Promise<boolean>, otherwise: string) => {
    for (const deadline = Date.now() + DEADLINE_MS; !(await condition().catch(notYet)); await delay(PAUSE_MS)) {
      if (stop.signal.aborted) throw new Error('the indexer was stopped')
      if (Date.now() > deadline) throw new Error(`${otherwise}: ${problems.join('\n')}`)
    }
  }
  return {
    caughtUp: (block) => wait(() => isCaughtUp(block), `not caught up with ${block.number}`),
    follows: ({ hash }) =>
      wait(async () => (await store.networkRow())?.head?.hash === hash, `does not follow to ${hash}`),
    warns: (of) => wait(async () => problems.some((problem) => of.test(problem)), `does not warn of ${of}`),
    stop: closeAfter(async () => {
      stop.abort()
      await running
      await queue.close()
      await chain.close()
      await database.close()
    }),
  }
}

/**
 * Returns a database that was indexed up to the head of a chain. Tests with the same chain share the work, because the
 * head's hash identifies its content.
 */
export function indexedDatabase(
  onChain: Pick<RunOptions, 'network' | 'rpcUrl' | 'deployment'>,
  head: { number: number; hash: string },
): Promise<string> {
  const { network, deployment } = onChain
  return sceneDatabase(`${network} ${head.hash} ${deployment.finalityDepth}`, async (databaseUrl) => {
    const indexer = await runIndexer({ ...onChain, databaseUrl })
    await indexer.caughtUp(head)
    await indexer.stop()
  })
}

async function areStatesRead(store: IndexerStore, deployment: Deployment): Promise<boolean> {
  const [{ pools }, states] = await Promise.all([loadKnown(store, deployment), store.loadPoolStates()])
  const read = states.filter(({ state }) => isPossibleState(state))
  return pools.filter((pool) => stateReadingOf(pool) !== null).length === read.length
}

/** Returns false if the error is retryable, so that a database that cannot respond now is queried again. */
function notYet(error: unknown): boolean {
  if (error instanceof StoreError && error.retryable) return false
  throw error
}

function describe(values: object): string {
  const error = 'err' in values ? values.err : values
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)
}
