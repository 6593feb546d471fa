import { EventEmitter } from 'node:events'
import type { BlockPoint } from '@dexfeed/dex'
import type { IndexerRole } from '@dexfeed/service'
import { GenesisMismatch, type NetworkRow, ReorgTooDeep } from '@dexfeed/store'
import { type WorkOptions, workOnQueue } from './backfill/work-on-queue.ts'
import { openNetworkContext } from './blocks/network-context.ts'
import type { DroppedLogs } from './blocks/process-blocks.ts'
import { findFirstKept, findStartBlock, type StartSetting } from './days/start-block.ts'
import { type FollowOptions, followNetwork } from './follow-network.ts'
import { reasonOf } from './loops/indexer-log.ts'
import { repeatStep } from './loops/repeat-step.ts'

interface Options extends FollowOptions, Pick<WorkOptions, 'concurrency'> {
  start: StartSetting
  role: IndexerRole
  /** Is called with logs with our topics that make nothing. */
  onDropped?: (logs: DroppedLogs) => void
}

export type NetworkOptions = Omit<Options, 'jobs'>

/** Indexes one network until the signal aborts. Whatever happens to it stays here: other networks go on. */
export async function runNetwork(options: NetworkOptions, signal: AbortSignal): Promise<void> {
  const { store, log, role, clock } = options
  const jobs = new EventEmitter<{ done: [] }>()
  const step = async () => {
    try {
      await indexNetwork({ ...options, jobs }, signal)
    } catch (error) {
      if (signal.aborted) return null
      log.error({ err: error }, 'indexing stopped')
      // The follower's process alone reports the state of the network.
      if (role !== 'backfill') await store.setDegraded(reasonOf(error), null).catch(() => undefined)
      // Nothing that this process can do repairs that; an operator's restart looks again.
      if (error instanceof ReorgTooDeep) return null
      throw error
    }
    return 0
  }
  await repeatStep({ ended: signal, clock }, step, () => undefined)
}

async function indexNetwork(options: Options, signal: AbortSignal): Promise<void> {
  const { chain, store, deployment, role, onDropped } = options
  await chain.verifyChainId()
  const { start } = await takeUpNetwork(options)
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const context = await openNetworkContext(chain, store, deployment, { ended, onDropped })
  const parts: Promise<void>[] = []
  if (role !== 'follow') parts.push(workOnQueue(options, context, ended))
  if (role !== 'backfill') parts.push(followNetwork(options, context, start.number, ended))
  try {
    await Promise.all(parts)
  } finally {
    stop.abort()
    await Promise.allSettled(parts)
  }
}

/** The network's row, which the follower's process makes. */
async function takeUpNetwork(options: NetworkOptions): Promise<NetworkRow> {
  const { chain, store, deployment, role } = options
  const genesisHash = await chain.genesisHash()
  if (role !== 'backfill') return store.register({ genesisHash, deployment, start: await findStart(options) })
  const row = await store.networkRow()
  if (row === null) throw new Error(`no indexer has followed ${deployment.network} on this database yet`)
  if (row.genesisHash !== genesisHash) throw new GenesisMismatch(row.network, row.genesisHash, genesisHash)
  return row
}

/** Where indexing is to begin: not before what is kept. */
async function findStart({ chain, start, retentionDays = null }: NetworkOptions): Promise<BlockPoint> {
  const wanted = await findStartBlock(chain, start)
  if (retentionDays === null) return wanted
  const kept = await findFirstKept(chain, await chain.head(), retentionDays)
  return kept.number > wanted.number ? kept : wanted
}
