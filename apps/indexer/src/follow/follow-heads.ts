import { type BlockHeader, DAY_S, finalBelow, SECOND } from '@dexfeed/dex'
import { LeaseLost, ReorgTooDeep } from '@dexfeed/store'
import { type HeaderSource, headerAt } from '../blocks/common-ancestor.ts'
import { type IndexerLog, type LoopContext, reasonOf, repeatStep, wakeSignal } from '../loops/loop.ts'

/** After a longer pause, start again at the head; history fills the gap. */
const START_OVER_AFTER_S = DAY_S
const WORK_POLL_MS = SECOND / 4

export interface StepPriority {
  beginStep(announcedAt?: number): () => void
}

export interface HeadsOptions extends LoopContext {
  chain: { onHead(wake: () => void): () => void }
  store: { setDegraded(reason: string | null, epoch: number): Promise<unknown> }
  priority?: StepPriority | undefined
}

interface Steps {
  step(): Promise<boolean>
  hasWork(): boolean
  pools: { onWork(listener: (work: 'read' | 'commit') => void): () => void }
}

/**
 * Runs steps while there is more to do, at each new head, and when other work is ready. Stores why a step failed, and
 * tries again.
 * @throws ReorgTooDeep or LeaseLost
 */
export async function followHeads(
  { chain, store, log, clock, priority }: HeadsOptions,
  follower: Steps,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  // Undefined if unknown, for example after a write without a response.
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

interface AnchorChain extends HeaderSource {
  head(): Promise<BlockHeader>
  finalized(): Promise<number | null>
}

export interface AnchorOptions {
  chain: AnchorChain
  store: {
    reorgableBlocks(): Promise<BlockHeader[]>
    dropPoolStates(epoch: number): Promise<unknown>
    noteFinal(epoch: number, finalNumber: number): Promise<number>
  }
  deployment: { finalityDepth: number }
  log: IndexerLog
}

/**
 * Returns the block after which to follow: the last stored block, or else a final block, or the block before the start
 * if that is higher.
 */
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
  // History can start now. A higher final block noted earlier is kept.
  const noted = await store.noteFinal(epoch, final)
  return noted > header.number ? headerAt(chain, noted) : header
}
