import { type Chain, type Clock, systemClock } from '@dexfeed/chain'
import type { BlockPoint, Deployment } from '@dexfeed/dex'
import type { IndexerRole } from '@dexfeed/service'
import {
  GenesisMismatch,
  type IndexerStore,
  type NetworkRow,
  type RangeCommit,
  ReorgTooDeep,
  type WashDay,
  type WashThresholds,
} from '@dexfeed/store'
import { Bell } from './bell.ts'
import { followNetwork } from './follow-network.ts'
import type { IndexerLog } from './indexer-log.ts'
import type { LazyQueue } from './lazy-queue.ts'
import { openNetworkContext } from './network-context.ts'
import type { DroppedLogs } from './process-blocks.ts'
import type { CheckedPart } from './range-checker.ts'
import { reasonOf } from './reason-of.ts'
import type { BackfillProgress } from './reconciler.ts'
import { findFirstKept, findStartBlock, type StartSetting } from './start-block.ts'
import { workOnQueue } from './work-on-queue.ts'

const SECOND = 1_000
const FIRST_PAUSE = SECOND / 2
const LONGEST_PAUSE = 30 * SECOND

export interface NetworkOptions {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  start: StartSetting
  role: IndexerRole
  queue: Pick<LazyQueue, 'use'>
  /** Backfill jobs at a time. */
  concurrency: number
  /** When a pool's day is flagged as wash trading; without it no day is judged. */
  wash?: WashThresholds | null
  log: IndexerLog
  committed(commit: RangeCommit): void
  progressed(progress: BackfillProgress): void
  /** Hears what the audit of final blocks compares; without it there is no audit. */
  audited?: ((part: CheckedPart) => void) | null
  /** Rows of so many days are kept; default: all. */
  retentionDays?: number | null
  judged?: ((day: WashDay) => void) | null
  /** Hears of logs with our topics that make nothing. */
  dropped?: (logs: DroppedLogs) => void
  /** For the pauses after failures; default: the system's. */
  clock?: Pick<Clock, 'sleep'>
}

export interface NetworkDependencies extends NetworkOptions {
  /** Rings when a worker of this process has finished a job. */
  jobDone: Bell
}

/** Indexes one network until the signal aborts. Whatever happens to it stays here: other networks go on. */
export async function runNetwork(options: NetworkOptions, signal: AbortSignal): Promise<void> {
  const { store, log, role, clock = systemClock } = options
  const dependencies = { ...options, jobDone: new Bell() }
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      await indexNetwork(dependencies, signal)
      pause = FIRST_PAUSE
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error }, 'indexing stopped')
      // How the network is, its follower tells.
      if (role !== 'backfill') await store.setDegraded(reasonOf(error), null).catch(() => undefined)
      // Nothing that this process can do mends that; an operator's restart looks again.
      if (error instanceof ReorgTooDeep) return
    }
    await clock.sleep(pause, signal)
  }
}

async function indexNetwork(dependencies: NetworkDependencies, signal: AbortSignal): Promise<void> {
  const { chain, store, deployment, role, dropped } = dependencies
  await chain.verifyChainId()
  const { start } = await takeUpNetwork(dependencies)
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const context = await openNetworkContext(chain, store, deployment, { ended, ...(dropped && { dropped }) })
  const parts: Promise<void>[] = []
  if (role !== 'follow') parts.push(workOnQueue(dependencies, context, ended))
  if (role !== 'backfill') parts.push(followNetwork(dependencies, context, start.number, ended))
  try {
    await Promise.all(parts)
  } finally {
    stop.abort()
    await Promise.allSettled(parts)
  }
}

/** The network's row, which the follower's process makes. */
async function takeUpNetwork(dependencies: NetworkDependencies): Promise<NetworkRow> {
  const { chain, store, deployment, role } = dependencies
  const genesisHash = await chain.genesisHash()
  if (role !== 'backfill') {
    return store.register({ genesisHash, deployment, start: await findStart(dependencies) })
  }
  const row = await store.networkRow()
  if (row === null) throw new Error(`no indexer has followed ${deployment.network} on this database yet`)
  if (row.genesisHash !== genesisHash) throw new GenesisMismatch(row.network, row.genesisHash, genesisHash)
  return row
}

/** Where indexing is to begin: not before what is kept. */
async function findStart({ chain, start, retentionDays = null }: NetworkDependencies): Promise<BlockPoint> {
  const wanted = await findStartBlock(chain, start)
  if (retentionDays === null) return wanted
  const kept = await findFirstKept(chain, await chain.head(), retentionDays)
  return kept.number > wanted.number ? kept : wanted
}
