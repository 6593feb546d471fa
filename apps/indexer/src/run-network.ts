import { type Chain, type Clock, systemClock } from '@dexfeed/chain'
import { type BlockHeader, type Deployment, ReferenceBook } from '@dexfeed/dex'
import { type IndexerStore, LeaseLost, type RangeCommit, ReorgTooDeep, type WriterLease } from '@dexfeed/store'
import { Filler } from './filler.ts'
import { Follower } from './follower.ts'
import type { IndexerLog } from './indexer-log.ts'
import { PoolRegistry } from './pool-registry.ts'
import { BlockProcessor } from './process-blocks.ts'
import { ReferenceHistory } from './reference-history.ts'
import { findReferencePools } from './reference-pools.ts'
import { findStartBlock, type StartSetting } from './start-block.ts'

const SECOND = 1_000
const FIRST_PAUSE = SECOND / 2
const LONGEST_PAUSE = 30 * SECOND
/** After a longer pause than this the follower starts over at the head and the filler covers the hole. */
const START_OVER_AFTER_S = 24 * 60 * 60

export interface NetworkDependencies {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  start: StartSetting
  log: IndexerLog
  committed(commit: RangeCommit): void
  /** For the pauses after failures; default: the system's. */
  clock?: Pick<Clock, 'sleep'>
}

/** Indexes one network until the signal aborts. Whatever happens to it stays here: other networks go on. */
export async function runNetwork(dependencies: NetworkDependencies, signal: AbortSignal): Promise<void> {
  const { store, log, clock = systemClock } = dependencies
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      await indexNetwork(dependencies, signal)
      pause = FIRST_PAUSE
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error }, 'indexing stopped')
      await store.setDegraded(reasonOf(error)).catch(() => undefined)
      // Nothing that this process can do mends that; an operator's restart looks again.
      if (error instanceof ReorgTooDeep) return
    }
    await clock.sleep(pause, signal)
  }
}

async function indexNetwork(dependencies: NetworkDependencies, signal: AbortSignal): Promise<void> {
  const { chain, store, deployment, log, start } = dependencies
  await chain.verifyChainId()
  const row = await store.register({
    genesisHash: await chain.genesisHash(),
    deployment,
    start: await findStartBlock(chain, start),
  })
  const lease = await store.acquireWriter(signal, (reason) => log.warn({ reason }, 'waiting to be the only writer'))
  try {
    await indexWithLease(dependencies, row.startBlock, lease, signal)
  } finally {
    await lease.release()
  }
}

async function indexWithLease(
  dependencies: NetworkDependencies,
  startBlock: number,
  lease: WriterLease,
  signal: AbortSignal,
): Promise<void> {
  const { chain, store, deployment, log, committed } = dependencies
  const [pools, tokens] = await Promise.all([store.loadPools(), store.loadTokens()])
  const known = pools.flatMap(({ factory, ...pool }) => {
    const dex = deployment.dexes.find((one) => one.factory === factory)
    return dex === undefined ? [] : [{ ...pool, dex }]
  })
  const registry = new PoolRegistry(chain, deployment, { pools: known, tokens })
  const references = await findReferencePools(chain, deployment, registry)
  const processor = new BlockProcessor(deployment, registry)
  const bookFrom = (history: ReferenceHistory) => async (block: { number: number; timestamp: number }) =>
    new ReferenceBook(
      references.config,
      references.pools,
      await history.statesBefore(references.pools, block.number, block.timestamp),
    )
  const anchor = await findAnchor(dependencies, startBlock, lease.epoch)
  const shared = { chain, store, registry, processor, log, committed }
  const follower = new Follower({
    ...shared,
    deployment,
    anchor,
    epoch: lease.epoch,
    // A new history each time: what it remembers of blocks that were taken back would be wrong.
    bookBefore: (block) => bookFrom(new ReferenceHistory(chain, deployment))(block),
  })
  const filler = new Filler(
    { ...shared, bookBefore: bookFrom(new ReferenceHistory(chain, deployment)) },
    { from: startBlock, to: anchor.number },
  )
  log.info({ from: anchor.number, references: references.pools.length, pools: known.length }, 'indexing')
  await runBoth(dependencies, follower, filler, lease, signal)
}

/** Follows and fills side by side until the lease is lost, the follower cannot go on, or the signal aborts. */
async function runBoth(
  { chain, store, deployment, log, clock = systemClock }: NetworkDependencies,
  follower: Follower,
  filler: Filler,
  lease: WriterLease,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  let degraded: string | null | undefined
  const report = async (reason: string | null) => {
    if (reason === degraded) return
    await store.setDegraded(reason)
    degraded = reason
  }
  const head = headSignal(chain, ended)
  const unreported = async () => undefined
  const loops = [
    repeat({ signal: ended, log, clock, report }, async () => {
      if (!(await follower.step())) await head.next()
      await report(null)
      return true
    }),
    repeat({ signal: ended, log, clock, report: unreported }, () => filler.step()),
  ]
  try {
    await Promise.race([
      Promise.all(loops),
      lease.lost.then(() => Promise.reject(new LeaseLost(deployment.network, lease.epoch))),
    ])
  } finally {
    stop.abort()
    head.close()
    await Promise.allSettled(loops)
  }
}

interface RepeatOptions {
  signal: AbortSignal
  log: IndexerLog
  clock: Pick<Clock, 'sleep'>
  report(reason: string): Promise<void>
}

/** Repeats a step while it returns true; a failure is reported and tried again after a growing pause. */
async function repeat({ signal, log, clock, report }: RepeatOptions, step: () => Promise<boolean>): Promise<void> {
  for (let pause = FIRST_PAUSE; !signal.aborted; ) {
    try {
      if (!(await step())) return
      pause = FIRST_PAUSE
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ReorgTooDeep || error instanceof LeaseLost) throw error
      log.warn({ err: error }, 'step failed, trying again')
      await report(reasonOf(error)).catch(() => undefined)
      await clock.sleep(pause, signal)
      pause = Math.min(2 * pause, LONGEST_PAUSE)
    }
  }
}

/** Lets a loop sleep until the chain may have a new head or all ends; a head that came in between is not missed. */
function headSignal(chain: Pick<Chain, 'onHead'>, ended: AbortSignal) {
  let pending = true
  let wake: (() => void) | null = null
  const ring = () => {
    pending = true
    wake?.()
  }
  const close = chain.onHead(ring)
  ended.addEventListener('abort', ring, { once: true })
  const next = async (): Promise<void> => {
    if (!pending) await new Promise<void>((resolve) => (wake = () => resolve()))
    wake = null
    pending = false
  }
  return { next, close }
}

/** The block that following begins after: where the database stands, else a final block (or the one before the start). */
async function findAnchor(
  { chain, store, deployment, log }: NetworkDependencies,
  startBlock: number,
  epoch: number,
): Promise<BlockHeader> {
  const head = await chain.head()
  const stored = (await store.reorgableBlocks()).at(-1)
  if (stored !== undefined) {
    if (head.timestamp - stored.timestamp <= START_OVER_AFTER_S) return stored
    log.warn({ stored: stored.number, head: head.number }, 'long behind: starting over at the head')
    await store.dropPoolStates(epoch)
  }
  const tagged = (await chain.finalized()) ?? head.number
  const final = Math.max(0, Math.min(tagged, head.number - deployment.finalityDepth), startBlock - 1)
  const header = await chain.header(final)
  if (header === null) throw new Error(`block ${final} is not there, though later ones are`)
  return header
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
