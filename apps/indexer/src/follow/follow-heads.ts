import type { Chain } from '@dexfeed/chain'
import { type BlockHeader, DAY_S, type Deployment, finalBelow, SECOND } from '@dexfeed/dex'
import { type IndexerStore, LeaseLost, ReorgTooDeep } from '@dexfeed/store'
import { headerAt } from '../blocks/common-ancestor.ts'
import type { HeadPriority } from '../loops/head-priority.ts'
import { type IndexerLog, type LoopClock, reasonOf, repeatStep, wakeSignal } from '../loops/loop.ts'
import type { Follower } from './follower.ts'

/** After a longer pause than this the follower starts over at the head and the hole becomes history to fill in. */
const START_OVER_AFTER_S = DAY_S
/** A follower that waits for the next head looks this often for what else is to be committed: no head announces it. */
const WORK_POLL_MS = SECOND / 4

export interface HeadsOptions {
  chain: Pick<Chain, 'onHead'>
  store: Pick<IndexerStore, 'setDegraded'>
  log: IndexerLog
  clock?: LoopClock
  /** Is told of the steps. */
  priority?: Pick<HeadPriority, 'beginStep'> | undefined
}

/**
 * Has the follower take steps as long as there is more to do, at each head, and when there is other work for it; writes into
 * the network's row why it stands still.
 *
 * @throws ReorgTooDeep or LeaseLost: it cannot go on
 */
export async function followHeads(
  { chain, store, log, clock, priority }: HeadsOptions,
  follower: Pick<Follower, 'step' | 'hasWork'>,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  // Undefined: what the row says is unknown, as after a write whose answer was lost.
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
  await repeatStep({ ended, clock }, step, onFailure).finally(close)
}

export interface AnchorOptions {
  chain: Pick<Chain, 'head' | 'finalized' | 'header'>
  store: Pick<IndexerStore, 'reorgableBlocks' | 'dropPoolStates' | 'noteFinal'>
  deployment: Deployment
  log: IndexerLog
}

/** The block that following begins after: where the database stands, else a final block (or the one before the start). */
export async function findAnchor(
  { chain, store, deployment, log }: AnchorOptions,
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
  const header = await headerAt(chain, Math.max(final, startBlock - 1))
  // History can be filled in at once, beside the follower's first steps: up to what was noted before, where that is higher.
  const noted = await store.noteFinal(epoch, final)
  return noted > header.number ? headerAt(chain, noted) : header
}
