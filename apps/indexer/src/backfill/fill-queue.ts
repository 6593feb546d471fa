import { loadKnown } from '../blocks/network-context.ts'
import { repeatStep } from '../loops/repeat-step.ts'
import type { WakeSignal } from '../loops/wake-signal.ts'
import type { PoolRegistry } from '../pools/pool-registry.ts'
import type { NetworkDependencies } from '../run-network.ts'
import { Reconciler } from './reconciler.ts'

const SECOND = 1_000
/** Pause between two looks at what is missing; finished jobs of this process wake it earlier. */
const LOOK_MS = 2 * SECOND
/** The follower hears so often of pools that workers of other processes found. */
const LEARN_MS = 60 * SECOND
const LONGEST_PAUSE_MS = 5 * SECOND

/** Keeps the backfill queue filled until the signal aborts. Its troubles are its own: the follower goes on. */
export async function fillQueue(
  { store, deployment, queue, log, progressed, jobDone, clock }: NetworkDependencies,
  registry: PoolRegistry,
  wake: WakeSignal,
  ended: AbortSignal,
): Promise<void> {
  const reconciler = new Reconciler({ store, queue: () => queue.use(), progressed, now: Date.now })
  const stopListening = jobDone.listen(wake.ring)
  let learned = Date.now()
  let filling = false
  let failing = false
  const step = async () => {
    await wake.next(LOOK_MS)
    if (ended.aborted) return false
    const missing = await reconciler.reconcile()
    if (filling && (!missing || Date.now() - learned > LEARN_MS)) {
      registry.learn(await loadKnown(store, deployment))
      learned = Date.now()
    }
    if (filling && !missing) log.info({}, 'history is complete')
    if (failing) log.info({}, 'the backfill queue is back')
    filling = missing
    failing = false
    return true
  }
  const failed = (error: unknown) => {
    if (!failing) log.warn({ err: error }, 'the backfill queue cannot be filled, trying again')
    failing = true
  }
  await repeatStep({ signal: ended, longestPauseMs: LONGEST_PAUSE_MS, clock }, step, failed).finally(stopListening)
}
