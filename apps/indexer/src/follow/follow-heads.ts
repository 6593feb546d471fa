import type { ReadHeader } from '@dexfeed/chain'
import { type BlockHeader, DAY_S, type Deployment, finalBelow, SECOND } from '@dexfeed/dex'
import { type IndexerStore, LeaseLost, ReorgTooDeep } from '@dexfeed/store'
import { headerAt } from '../blocks/common-ancestor.ts'
import type { HeadPriority } from '../loops/head-priority.ts'
import { type IndexerLog, type LoopClock, reasonOf, repeatStep, wakeSignal } from '../loops/loop.ts'
import type { Follower } from './follower.ts'

/** After a longer pause the follower starts again at the head. History then fills the gap. */
const START_OVER_AFTER_S = DAY_S
/** While waiting for the next head, check this often for other work to commit. Not all of it is announced. */
const WORK_POLL_MS = SECOND / 4

export interface HeadsOptions {
  chain: { onHead(wake: () => void): () => void }
  store: Pick<IndexerStore, 'setDegraded'>
  log: IndexerLog
  clock?: LoopClock
  /** Learns when a step begins and ends. */
  priority?: Pick<HeadPriority, 'beginStep'> | undefined
}

/**
 * Runs the follower's steps: while there is more to do, at each new head, and when other work is ready. If a step
 * fails, stores the reason in the network's row. @throws ReorgTooDeep or LeaseLost: it cannot continue
 */
export async function followHeads(
  { chain, store, log, clock, priority }: HeadsOptions,
  follower: Pick<Follower, 'step' | 'hasWork'> & { pools: Pick<Follower['pools'], 'onWork'> },
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  // Undefined while the row's content is unknown, for example after a write without a response.
  let degraded: string | null | undefined
  const report = async (reason: string | null) => {
    if (reason === degraded) return
    degraded = undefined
    await store.setDegraded(reason, epoch)
    degraded = reason
  }
  const heads = wakeSignal(ended)
  let announced: number | undefined
  const close = chain.onHead(() => {
    announced ??= performance.now()
    heads.wake()
  })
  const closeWork = follower.pools.onWork((work) => {
    if (work === 'commit') heads.wake()
  })
  const rest = async () => {
    while (!(await heads.wait(WORK_POLL_MS))) if (follower.hasWork()) return
  }
  const step = async () => {
    const over = priority?.beginStep(announced)
    announced = undefined
    const goesOn = await follower.step().finally(over)
    await report(null)
    if (!goesOn) await rest()
    return 0
  }
  const onFailure = async (error: unknown) => {
    if (error instanceof ReorgTooDeep || error instanceof LeaseLost) throw error
    log.warn({ err: error }, 'step failed, trying again')
    await report(reasonOf(error)).catch(() => undefined)
  }
  try {
    await repeatStep({ ended, clock }, step, onFailure)
  } finally {
    close()
    closeWork()
  }
}

export interface AnchorOptions {
  chain: { head(): Promise<BlockHeader>; finalized(): Promise<number | null>; header: ReadHeader }
  store: Pick<IndexerStore, 'reorgableBlocks' | 'dropPoolStates' | 'noteFinal'>
  deployment: Deployment
  log: IndexerLog
}

/** Returns the block after which to start: the last stored one, else a final block (or the one before the start). */
export async function findAnchor(
  { chain, store, deployment, log }: AnchorOptions,
  startBlock: number,
  epoch: number,
): Promise<BlockHeader> {
  const head = await chain.head()
  const stored = (await store.reorgableBlocks()).at(-1)
  if (stored !== undefined) {
    if (head.timestamp - stored.timestamp <= START_OVER_AFTER_S) return stored
    log.warn(
      { stored: stored.number, head: head.number },
      'the stored head is too old: starting again at the chain head, history fills the gap',
    )
    await store.dropPoolStates(epoch)
  }
  const final = finalBelow(head.number, await chain.finalized(), deployment.finalityDepth)
  const header = await headerAt(chain, Math.max(final, startBlock - 1))
  // History can start immediately, beside the follower's first steps. A higher final block noted earlier wins.
  const noted = await store.noteFinal(epoch, final)
  return noted > header.number ? headerAt(chain, noted) : header
}
