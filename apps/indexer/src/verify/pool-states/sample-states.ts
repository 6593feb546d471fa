import { HOUR, MINUTE, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { IndexerStore, InvalidatedPool } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../../loops/loop.ts'
import type { PoolCache } from '../../pools/pool-cache.ts'
import type { CheckedStates, StateChecker } from './state-checker.ts'

const EVERY_MS = 30 * SECOND
/** All pools are compared within this many steps, so a day has hours left for steps that fail or take long. */
const STEPS_OF_ALL = (20 * HOUR) / EVERY_MS
const LEAST_POOLS = 4
/** An invalidated pool that could not be read is tried again after this time. */
const RETRY_MS = 10 * MINUTE
const LONGEST_PAUSE_MS = 5 * MINUTE
/** Attempts for some pools before the next ones get their turn. */
const TRIES = 3

export interface SampleDependencies {
  store: Pick<IndexerStore, 'poolsWithState' | 'checkedPool' | 'setCheckedPool' | 'invalidatedPools'>
  checker: Pick<StateChecker, 'check'>
  known: Pick<PoolCache, 'pools'>
  /** Whether the committed states belong to a block whose state nodes still keep. */
  isNearHead(): boolean
  invalidate(pools: readonly InvalidatedPool[]): Promise<void>
  resync(pools: readonly InvalidatedPool[]): void
  onStates(checked: CheckedStates): void
  log: IndexerLog
  clock?: LoopClock
  /** Milliseconds on a monotonic clock. */
  now?: () => number
}

/**
 * Compares some pool states with the chain every 30 s, all within a day. Differing ones are invalidated and read again.
 */
export async function sampleStates(dependencies: SampleDependencies, ended: AbortSignal): Promise<void> {
  const { log, clock, now = () => performance.now() } = dependencies
  const sampler = new StateSampler(dependencies)
  const step = async () => {
    const begun = now()
    sampler.reportFindings(await dependencies.store.invalidatedPools(), begun)
    if (dependencies.isNearHead()) await sampler.step(ended)
    return Math.max(SECOND, EVERY_MS - (now() - begun))
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'pool states could not be compared, trying again')
  await repeatStep({ ended, longestPauseMs: LONGEST_PAUSE_MS, clock }, step, onFailure)
}

class StateSampler {
  readonly #deps: SampleDependencies
  /** Findings that the follower knows, with their block and the time of the report. */
  readonly #reported = new Map<PoolAddress, { blockNumber: number; at: number }>()
  #tries = 0

  constructor(dependencies: SampleDependencies) {
    this.#deps = dependencies
  }

  /** Reports the findings of other processes to the follower; after a while again, if they could not be read. */
  reportFindings(invalidated: readonly InvalidatedPool[], now: number): void {
    const due = invalidated.filter(({ pool, blockNumber }) => {
      const reported = this.#reported.get(pool)
      return reported?.blockNumber !== blockNumber || now - reported.at >= RETRY_MS
    })
    const standing = new Set(invalidated.map(({ pool }) => pool))
    for (const pool of this.#reported.keys()) if (!standing.has(pool)) this.#reported.delete(pool)
    for (const { pool, blockNumber } of due) this.#reported.set(pool, { blockNumber, at: now })
    if (due.length > 0) this.#deps.resync(due)
  }

  async step(signal: AbortSignal): Promise<void> {
    const { store, known } = this.#deps
    const limit = Math.max(LEAST_POOLS, Math.ceil(known.pools.size / STEPS_OF_ALL))
    const pools = await store.poolsWithState(await store.checkedPool(), limit)
    try {
      await this.#compare(pools, signal)
    } catch (error) {
      if (signal.aborted || ++this.#tries < TRIES) throw error
      this.#deps.log.warn({ err: error, pools }, 'states of pools are left uncompared: they could not be read')
    }
    this.#tries = 0
    // After the last pool comes the first.
    await store.setCheckedPool(pools.at(-1) ?? null)
  }

  async #compare(pools: readonly PoolAddress[], signal: AbortSignal): Promise<void> {
    for await (const checked of this.#deps.checker.check(pools, signal)) {
      if (checked.differences.length > 0) await this.#onDiffering(checked)
      this.#deps.onStates(checked)
    }
  }

  async #onDiffering({ differences }: CheckedStates): Promise<void> {
    this.#deps.log.warn({ pools: differences }, 'pool states differ from the chain: reading them again')
    await this.#deps.invalidate(differences.map(({ pool, blockNumber }) => ({ pool, blockNumber })))
  }
}
