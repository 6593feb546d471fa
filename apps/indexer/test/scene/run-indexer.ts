import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Chain, type Clock, openChain, systemClock } from '@dexfeed/chain'
import type { Devnet, DevnetChain } from '@dexfeed/devnet'
import { type Deployment, missingRanges, type NetworkName, parseDexConfig, stateReadingOf } from '@dexfeed/dex'
import type { IndexerRole } from '@dexfeed/service'
import { type DatabaseOptions, openDatabase, openIndexerStore, StoreError } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { loadKnown } from '../../src/blocks/network-context.ts'
import { watchedTopics } from '../../src/blocks/process-blocks.ts'
import type { IndexerLog } from '../../src/loops/loop.ts'
import { lazyQueue } from '../../src/queue/lazy-queue.ts'
import { openQueue } from '../../src/queue/queue.ts'
import { runNetwork } from '../../src/run-network.ts'
import type { CheckedStates } from '../../src/verify/pool-states/state-checker.ts'
import type { CheckedPart } from '../../src/verify/range-checker.ts'

/** Above the minute for which a client sets an endpoint aside that showed something false, as one may amid a reorg. */
const DEADLINE_MS = 90_000
const PAUSE_MS = 20

export function deploymentOf(devnet: Pick<Devnet, 'dexConfigFile'>, network: NetworkName): Deployment {
  const { deployments, problems } = parseDexConfig(readFileSync(devnet.dexConfigFile, 'utf8'))
  const deployment = deployments[network]
  if (deployment === undefined) throw new Error(`no deployment of ${network}: ${problems.join('; ')}`)
  return deployment
}

/** The chain's head, asked past any cache. */
export async function headOf({ rpc }: Pick<DevnetChain, 'rpc'>): Promise<{ number: number; hash: string }> {
  const block = await rpc.send<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false])
  return { number: Number(block.number), hash: block.hash }
}

export interface RunningIndexer {
  /** Resolves once everything from the start to this block is covered, and pool states are read. */
  caughtUp(block: { number: number; hash: string }): Promise<void>
  /** Resolves once this block is the committed head, whatever is missing below. */
  follows(block: { hash: string }): Promise<void>
  /** Resolves once its log has warned of this. */
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
  /** Unset: the queue is kept in the database. */
  redisUrl?: string | null
  /** Is called by the audit, which goes on without its rests; without it there is none. */
  onAudit?: ((part: CheckedPart) => void) | null
  /** Is called by the comparison of pool states, which goes on without its rests; without it there is none. */
  onStates?: ((checked: CheckedStates) => void) | null
  retentionDays?: number | null
  /** Announces heads; without it they are polled. */
  wsUrl?: string
  /** Default: 20. */
  pollMs?: number
  /** Default: 0, at each step. */
  finalityMs?: number
  /** Is called with the number of pools whose state was found to be wrong. */
  onInvalidate?: (pools: number) => void
  /** What the indexer is given in the chain's place. */
  wrap?: (chain: Chain) => Chain
  /** How many times as fast as the system's the chain's time passes: cool-downs, patience; default 1. */
  haste?: number
  /** How long a reorg below the final block must be claimed; default: minutes. */
  deepReorgMs?: number
  /** With a silent database; default: seconds. */
  patience?: DatabaseOptions['patience']
}

const SHORT_REST_MS = 10
/** For the audit, which rests between its steps. */
const restless = {
  sleep: (ms: number, signal: AbortSignal) =>
    delay(Math.min(ms, SHORT_REST_MS), undefined, { signal }).catch(() => undefined),
}

const clockOf = (haste: number): Clock => ({
  now: () => performance.now() * haste,
  random: Math.random,
  sleep: (ms, signal) => systemClock.sleep(ms / haste, signal),
})

/** Runs the indexing of one network in this process, as the program does. It ends with the test. */
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
  const database = await openDatabase(databaseUrl, { applicationName: 'test-indexer', ...(patience && { patience }) })
  const store = openIndexerStore(database, network)
  const topics = watchedTopics(deployment)
  const times = { pollMs: 20 * haste, operationTimeoutMs: 30_000 * haste }
  // What is stored of reorgable blocks follows from the final one, which is not to be an old one.
  const { pollMs = times.pollMs, finalityMs = 0 } = options
  const urls = [...rpcUrl.split(','), ...(wsUrl === undefined ? [] : [wsUrl])]
  const settings = { network, urls, topics, ...times, pollMs, finalityMs, log }
  const chain = wrap(openChain(settings, clockOf(haste)))
  const queue = lazyQueue(() => openQueue({ redisUrl, databaseUrl }, network, log))
  const stop = new AbortController()
  const running = runNetwork(
    {
      ...{ chain, store, deployment, queue, log },
      start: { startBlock, backfillDays: 7 },
      role,
      concurrency: 2,
      onCommit: () => undefined,
      onProgress: () => undefined,
      ...{ onAudit, onStates, retentionDays, deepReorgMs, onInvalidate: options.onInvalidate },
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
    const [{ pools }, states] = await Promise.all([loadKnown(store, deployment), store.loadPoolStates()])
    return pools.filter((pool) => stateReadingOf(pool) !== null).length === states.length
  }
  const wait = async (condition: () => Promise<boolean>, otherwise: string) => {
    for (const deadline = Date.now() + DEADLINE_MS; !(await condition().catch(notYet)); await delay(PAUSE_MS)) {
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

/** A database that cannot answer now is asked again. */
function notYet(error: unknown): boolean {
  if (error instanceof StoreError && error.retryable) return false
  throw error
}

function describe(values: object): string {
  const error = 'err' in values ? values.err : values
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)
}
