import { EventEmitter } from 'node:events'
import { systemClock } from '@dexfeed/chain'
import { type BlockHeader, type BlockPoint, MINUTE, SECOND } from '@dexfeed/dex'
import type { IndexerRole } from '@dexfeed/service'
import { checkGenesis, LeaseInterrupted, ReorgTooDeep } from '@dexfeed/store'
import { workOnQueue } from './backfill/queue-loops.ts'
import type { HashSource } from './blocks/common-ancestor.ts'
import { type ContextOptions, learnStored, type NetworkContext, openNetworkContext } from './blocks/network-context.ts'
import type { DroppedLogs } from './blocks/process-blocks.ts'
import { findFirstKept, findStartBlock, StartNotKept, type StartSetting } from './days/start-block.ts'
import { reportUnproven } from './follow/report-status.ts'
import { type FollowOptions, followNetwork } from './follow-network.ts'
import { reasonOf, repeatLogged, repeatStep } from './loops/loop.ts'
import { confirmDenials, coverDropped } from './verify/cover-dropped.ts'
import { RangeChecker } from './verify/range-checker.ts'

interface Options extends FollowOptions {
  start: StartSetting
  role: IndexerRole
  concurrency: number
  isJoined?: boolean
  onUnknownHeaders?: (from: number | null) => void
  onDropped?: (logs: DroppedLogs) => void
  dropped?: ContextOptions['dropped']
  references?: ContextOptions['references']
  onReferences?: ContextOptions['onReferences']
}

const RECHECK_MS = 10 * SECOND
const REGISTERED_MS = SECOND / 4
const WAITS_BEFORE_LOG = 40

export type NetworkOptions = Omit<Options, 'jobs'>

export async function runNetwork(options: NetworkOptions, signal: AbortSignal): Promise<void> {
  const { store, log, role, clock } = options
  const jobs = new EventEmitter<{ done: [] }>()
  const step = async () => {
    try {
      await indexNetwork({ ...options, jobs }, signal)
    } catch (error) {
      if (signal.aborted) return null
      if (error instanceof LeaseInterrupted) log.warn({ err: error }, 'indexing interrupted, trying again')
      else log.error({ err: error }, 'indexing stopped')
      // Only the follower's process reports the network's state.
      if (role !== 'backfill') await store.setDegraded(reasonOf(error), null).catch(() => undefined)
      if (error instanceof ReorgTooDeep) {
        await waitForChain(options, signal)
        return 0
      }
      throw error
    }
    return 0
  }
  await repeatStep({ ended: signal, clock }, step, () => undefined)
}

async function indexNetwork(options: Options, signal: AbortSignal): Promise<void> {
  const { chain, store, deployment, role, isJoined = false, onDropped, dropped, references, onReferences } = options
  await chain.verifyChainId()
  const start = await registerNetwork(options, signal)
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const context = await openNetworkContext(chain, store, deployment, {
    ended,
    onDropped,
    dropped,
    keyStore: store,
    countVenues: role !== 'backfill',
    references,
    onReferences,
  })
  const parts = [reportUnproven(options, ended)]
  if (!isJoined) parts.push(reindexDropped(options, context, ended))
  if (!isJoined && role === 'backfill') parts.push(learnDropped(options, context, ended))
  if (role !== 'backfill') parts.push(settleDenials(options, context, ended))
  if (role !== 'follow') parts.push(workOnQueue(options, context, ended))
  if (role !== 'backfill') parts.push(followNetwork(options, context, start.number, ended))
  try {
    await Promise.all(parts)
  } finally {
    stop.abort()
    await Promise.allSettled(parts)
  }
}

/** Loads stored pools whose events this process dropped. The follower loads all pools anyway. */
function learnDropped({ store, deployment, log, clock }: Options, { registry }: NetworkContext, ended: AbortSignal) {
  const step = async () => {
    await learnStored(store, deployment, registry.known, registry.droppedEmitters())
    return MINUTE
  }
  return repeatLogged({ ended, log, clock }, 'stored pools could not be read', step)
}

function reindexDropped(options: Options, context: NetworkContext, ended: AbortSignal) {
  const { store, log, clock } = options
  const { registry } = context
  return coverDropped({ registry, store, checker: rangeChecker(options, context), log, clock }, ended)
}

function settleDenials(options: Options, context: NetworkContext, ended: AbortSignal) {
  const { chain, store, log, clock } = options
  const { registry, processor } = context
  const checker = rangeChecker(options, context)
  return confirmDenials({ chain, processor, registry, store, checker, log, clock }, ended)
}

function rangeChecker({ chain, store, log }: Options, { registry, processor, freshBookBefore }: NetworkContext) {
  const { known } = registry
  return new RangeChecker({ chain, store, processor, log, known, bookBefore: freshBookBefore, freshBookBefore })
}

/** Waits until all nodes have the stored block again, or a command has repaired the rows. */
async function waitForChain(
  { chain, store, log, clock = systemClock }: NetworkOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(RECHECK_MS, signal)
    try {
      const stored = (await store.reorgableBlocks())[0]
      if (stored !== undefined && !(await isEverywhere(chain, stored))) continue
      // Known final blocks may belong to the removed branch.
      chain.forgetFinal()
      return
    } catch (error) {
      log.debug({ err: error }, 'could not check whether the chain has the stored blocks again')
    }
  }
}

async function isEverywhere(chain: HashSource, block: BlockHeader): Promise<boolean> {
  const { hashes } = await chain.hashesAt(block.number)
  return hashes.length > 0 && hashes.every((hash) => hash === block.hash)
}

/** The follower registers the network's row; a worker waits for it. */
async function registerNetwork(options: NetworkOptions, signal: AbortSignal): Promise<BlockPoint> {
  const { chain, store, deployment, role, log, clock = systemClock } = options
  const genesisHash = (await chain.header(0))?.hash ?? null
  if (role !== 'backfill') {
    return (await store.register({ genesisHash, deployment, start: await findStart(options) })).start
  }
  for (let waits = 0; ; waits++) {
    const row = await store.networkRow()
    if (row?.start != null) {
      checkGenesis(row.network, row.genesisHash, genesisHash)
      return row.start
    }
    if (waits === WAITS_BEFORE_LOG) log.warn({}, 'no indexer has followed the network on this database yet: waiting')
    await clock.sleep(REGISTERED_MS, signal)
    signal.throwIfAborted()
  }
}

/** Returns a start within the kept days. A network that has started keeps its start, even if nodes prune it. */
async function findStart({ chain, store, start, retentionDays = null, log }: NetworkOptions): Promise<BlockPoint> {
  const begun = (await store.networkRow())?.start ?? null
  const configured = await findStartBlock(chain, start).catch((error: unknown) => {
    if (begun === null || !(error instanceof StartNotKept)) throw error
    log.warn(
      { err: error, from: begun.number },
      'the nodes do not keep the configured start: history keeps its old start',
    )
    return begun
  })
  if (configured.number > 0 && (await chain.header(configured.number - 1)) === null) {
    log.warn({ from: configured.number }, 'the nodes keep no older blocks: history starts here')
  }
  if (retentionDays === null) return configured
  const { block: kept } = await findFirstKept(chain, await chain.head(), retentionDays)
  return kept.number > configured.number ? kept : configured
}
