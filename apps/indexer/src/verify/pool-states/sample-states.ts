import { HOUR, MINUTE, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { IndexerStore, InvalidatedPool } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../../loops/loop.ts'
import type { PoolCache } from '../../pools/pool-cache.ts'
import type { CheckedStates, StateChecker } from './state-checker.ts'

const EVERY_MS = 30 * SECOND
/** All pools are compared in so many steps, which leaves hours of a day for steps that failed or took long. */
const STEPS_OF_ALL = (20 * HOUR) / EVERY_MS
const LEAST_POOLS = 4
/** A invalidated pool that could not be read is tried again after so long. */
const TRY_AGAIN_MS = 10 * MINUTE
const LONGEST_PAUSE_MS = 5 * MINUTE
/** How often some pools are tried before the next ones have their turn. */
const TRIES = 3

export interface SampleDependencies {
  store: Pick<IndexerStore, 'poolsWithState' | 'checkedPool' | 'setCheckedPool' | 'invalidatedPools'>
  checker: Pick<StateChecker, 'check'>
  known: Pick<PoolCache, 'pools'>
  /** Whether the committed states are of a block whose state nodes still have. */
  isNearHead(): boolean
  /** Notes that states of pools are wrong, and has them read again. */
  invalidate(pools: readonly InvalidatedPool[]): Promise<void>
  /** Has pools read again that are noted to be wrong. */
  resync(pools: readonly InvalidatedPool[]): void
  /** Is called with what was compared. */
  onStates(checked: CheckedStates): void
  log: IndexerLog
  clock?: LoopClock
  /** Milliseconds on a clock that only grows. */
  now?: () => number
}

/**
 * Compares some of the committed pool states with the chain every 30 s, all of them within a day; goes on where it
 * stopped. What differs is invalidated and read anew.
 */
export async function sampleStates(dependencies: SampleDependencies, ended: AbortSignal): Promise<void> {
  const { log, clock, now = () => performance.now() } = dependencies
  const sampler = new StateSampler(dependencies)
  const step = async () => {
    const begun = now()
    sampler.takeUpFindings(await dependencies.store.invalidatedPools(), begun)
    if (dependencies.isNearHead()) await sampler.step(ended)
    return Math.max(SECOND, EVERY_MS - (now() - begun))
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'pool states could not be compared, trying again')
  await repeatStep({ ended, longestPauseMs: LONGEST_PAUSE_MS, clock }, step, onFailure)
}

/** One step of the comparison at a time. */
class StateSampler {
  readonly #deps: SampleDependencies
  /** When the follower was told of a finding; of its block. */
  readonly #told = new Map<PoolAddress, { blockNumber: number; at: number }>()
  #tries = 0

  constructor(dependencies: SampleDependencies) {
    this.#deps = dependencies
  }

  /** Passes on what another process has found, and once in a while what could not be read anew. */
  takeUpFindings(invalidated: readonly InvalidatedPool[], now: number): void {
    const due = invalidated.filter(({ pool, blockNumber }) => {
      const told = this.#told.get(pool)
      return told?.blockNumber !== blockNumber || now - told.at >= TRY_AGAIN_MS
    })
    const standing = new Set(invalidated.map(({ pool }) => pool))
    for (const pool of this.#told.keys()) if (!standing.has(pool)) this.#told.delete(pool)
    for (const { pool, blockNumber } of due) this.#told.set(pool, { blockNumber, at: now })
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
    // Behind the last one comes the first.
    await store.setCheckedPool(pools.at(-1) ?? null)
  }

  async #compare(pools: readonly PoolAddress[], signal: AbortSignal): Promise<void> {
    for await (const checked of this.#deps.checker.check(pools, signal)) {
      if (checked.differences.length > 0) await this.#onDiffering(checked)
      this.#deps.onStates(checked)
    }
  }

  async #onDiffering({ differences }: CheckedStates): Promise<void> {
    this.#deps.log.warn({ pools: differences }, 'states of pools were not those of the chain: reading them anew')
    await this.#deps.invalidate(differences.map(({ pool, blockNumber }) => ({ pool, blockNumber })))
  }
}
