import { type BlockHeader, finalBelow } from '@dexfeed/dex'
import { LeaseLost, ReorgTooDeep, type WriterLease } from '@dexfeed/store'
import { fillQueue } from './backfill/fill-queue.ts'
import { loadKnown, type NetworkContext } from './blocks/network-context.ts'
import { judgeDays } from './days/judge-days.ts'
import { retainDays } from './days/retain-days.ts'
import { Follower } from './follow/follower.ts'
import { reasonOf } from './loops/reason-of.ts'
import { repeatStep } from './loops/repeat-step.ts'
import { wakeSignal } from './loops/wake-signal.ts'
import { askLateTokens } from './pools/ask-late-tokens.ts'
import type { NetworkDependencies } from './run-network.ts'
import { auditFinal } from './verify/audit-final.ts'
import { RangeChecker } from './verify/range-checker.ts'

/** After a longer pause than this the follower starts over at the head and the hole becomes history to fill in. */
const START_OVER_AFTER_S = 24 * 60 * 60

/**
 * Waits to be the network's only writer, then follows its head and keeps the backfill queue filled, until the lease is
 * lost, the follower cannot go on, or the signal aborts.
 */
export async function followNetwork(
  dependencies: NetworkDependencies,
  context: NetworkContext,
  startBlock: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, log } = dependencies
  const lease = await store.acquireWriter(signal, (reason) => log.warn({ reason }, 'waiting to be the only writer'))
  try {
    await followWithLease(dependencies, context, startBlock, lease, signal)
  } finally {
    await lease.release()
  }
}

async function followWithLease(
  dependencies: NetworkDependencies,
  context: NetworkContext,
  startBlock: number,
  lease: WriterLease,
  signal: AbortSignal,
): Promise<void> {
  const { chain, store, deployment, log, committed } = dependencies
  const { registry, processor, bookAfter, references } = context
  // What others found while this process waited.
  registry.learn(await loadKnown(store, deployment))
  const anchor = await findAnchor(dependencies, startBlock, lease.epoch)
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const filling = wakeSignal(ended)
  const follower = new Follower({
    ...{ chain, store, registry, processor, log, deployment, anchor, bookAfter, epoch: lease.epoch },
    committed,
  })
  log.info({ from: anchor.number, references, pools: registry.pools.size }, 'indexing')
  const loops = [
    followHeads(dependencies, follower, lease.epoch, ended),
    fillQueue(dependencies, registry, filling, ended),
    ...lookAfterRows(dependencies, context, follower, ended),
    askLateTokens(dependencies, registry, ended),
    judgeDays(dependencies, ended),
  ]
  try {
    await Promise.race([
      Promise.all(loops),
      lease.lost.then(() => Promise.reject(new LeaseLost(deployment.network, lease.epoch))),
    ])
  } finally {
    stop.abort()
    await Promise.allSettled(loops)
  }
}

/** What the one process that writes a network does to its rows besides: the audit, and the end of old days. */
function lookAfterRows(
  { chain, store, log, clock, audited = null, retentionDays = null }: NetworkDependencies,
  { registry, processor, freshBookBefore }: NetworkContext,
  follower: Follower,
  ended: AbortSignal,
): Promise<void>[] {
  const loops: Promise<void>[] = []
  if (audited !== null) {
    const checker = new RangeChecker({ chain, store, registry, processor, bookBefore: freshBookBefore, log })
    const distrust: Follower['distrust'] = (pools) => follower.distrust(pools)
    loops.push(auditFinal({ store, checker, log, audited, distrust, clock }, ended))
  }
  if (retentionDays !== null) loops.push(retainDays({ chain, store, retentionDays, log, clock }, ended))
  return loops
}

async function followHeads(
  { chain, store, log, clock }: NetworkDependencies,
  follower: Follower,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  let degraded: string | null | undefined
  const report = async (reason: string | null) => {
    if (reason === degraded) return
    await store.setDegraded(reason, epoch)
    degraded = reason
  }
  const heads = wakeSignal(ended)
  const close = chain.onHead(heads.ring)
  const step = async () => {
    if (!(await follower.step())) await heads.next()
    await report(null)
    return true
  }
  const failed = async (error: unknown) => {
    if (error instanceof ReorgTooDeep || error instanceof LeaseLost) throw error
    log.warn({ err: error }, 'step failed, trying again')
    await report(reasonOf(error)).catch(() => undefined)
  }
  await repeatStep({ signal: ended, clock }, step, failed).finally(close)
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
  const final = finalBelow(head.number, await chain.finalized(), deployment.finalityDepth)
  const number = Math.max(final, startBlock - 1)
  const header = await chain.header(number)
  if (header === null) throw new Error(`block ${number} is not there, though later ones are`)
  // History can be filled in at once, beside the follower's first steps.
  await store.noteFinal(epoch, final)
  return header
}
