import { HOUR, MINUTE, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { InvalidatedPool } from '@dexfeed/store'
import { type LoopContext, repeatLogged } from '../../loops/loop.ts'
import type { CheckedStates, PoolChecker } from './state-checker.ts'

const EVERY_MS = 30 * SECOND
/** Leaves a few hours of each day for steps that fail or take long. */
const STEPS_OF_ALL = (20 * HOUR) / EVERY_MS
const MIN_POOLS = 4
/** After this, an invalidated pool that could not be read is tried again. */
const RETRY_MS = 10 * MINUTE
const MAX_PAUSE_MS = 5 * MINUTE
const TRIES = 3

export interface SampleDependencies extends LoopContext {
  store: {
    poolsWithState(after: PoolAddress | null, limit: number): Promise<PoolAddress[]>
    checkedPool(): Promise<PoolAddress | null>
    setCheckedPool(pool: PoolAddress | null): Promise<void>
    invalidatedPools(): Promise<InvalidatedPool[]>
  }
  checker: PoolChecker
  known: { pools: { size: number } }
  follower: {
    pools: {
      /** Null if nodes no longer keep the state of the committed head. */
      readBlock: object | null
      resync(pools: readonly InvalidatedPool[]): void
    }
    invalidate(pools: readonly InvalidatedPool[]): Promise<void>
  }
  onStates(checked: CheckedStates): void
  now?: () => number
}

export async function sampleStates(dependencies: SampleDependencies, ended: AbortSignal): Promise<void> {
  const { log, clock, now = () => performance.now() } = dependencies
  const sampler = new StateSampler(dependencies)
  const step = async () => {
    const begun = now()
    sampler.reportFindings(await dependencies.store.invalidatedPools(), begun)
    if (dependencies.follower.pools.readBlock !== null) await sampler.step(ended)
    return Math.max(SECOND, EVERY_MS - (now() - begun))
  }
  await repeatLogged(
    { ended, maxPauseMs: MAX_PAUSE_MS, log, clock },
    'pool states could not be compared, trying again',
    step,
  )
}

class StateSampler {
  readonly #deps: SampleDependencies
  readonly #reported = new Map<PoolAddress, { blockNumber: number; at: number }>()
  #tries = 0

  constructor(dependencies: SampleDependencies) {
    this.#deps = dependencies
  }

  /** Reports other processes' findings to the follower, and again after a while if they remain. */
  reportFindings(invalidated: readonly InvalidatedPool[], now: number): void {
    const due = invalidated.filter(({ pool, blockNumber }) => {
      const reported = this.#reported.get(pool)
      return reported?.blockNumber !== blockNumber || now - reported.at >= RETRY_MS
    })
    const standing = new Set(invalidated.map(({ pool }) => pool))
    for (const pool of this.#reported.keys()) if (!standing.has(pool)) this.#reported.delete(pool)
    for (const { pool, blockNumber } of due) this.#reported.set(pool, { blockNumber, at: now })
    if (due.length > 0) this.#deps.follower.pools.resync(due)
  }

  async step(signal: AbortSignal): Promise<void> {
    const { store, known } = this.#deps
    const limit = Math.max(MIN_POOLS, Math.ceil(known.pools.size / STEPS_OF_ALL))
    const pools = await store.poolsWithState(await store.checkedPool(), limit)
    try {
      await this.#compare(pools, signal)
    } catch (error) {
      if (signal.aborted || ++this.#tries < TRIES) throw error
      this.#deps.log.warn({ err: error, pools }, 'some pool states were not compared, because they could not be read')
    }
    this.#tries = 0
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
    await this.#deps.follower.invalidate(differences.map(({ pool, blockNumber }) => ({ pool, blockNumber })))
  }
}
