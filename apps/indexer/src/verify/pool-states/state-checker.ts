import { ChainError } from '@dexfeed/chain'
import type { Pool, PoolAddress } from '@dexfeed/dex'
import type { CommittedStates, IndexerStore } from '@dexfeed/store'
import type { IndexerLog } from '../../loops/loop.ts'
import type { ContractCalls } from '../../pools/contract-calls.ts'
import type { PoolCache } from '../../pools/pool-cache.ts'
import { MAX_WORDS, type PoolSnapshots, snapshotPools, wordsOf } from '../../pools/pool-snapshot.ts'
import type { StateCalls } from '../../pools/read-ticks.ts'
import { compareStates, type StateDifference } from './compare-states.ts'

export interface CheckedStates {
  compared: number
  differences: StateDifference[]
}

export interface StateCheckerDependencies {
  chain: ContractCalls & StateCalls
  store: Pick<IndexerStore, 'committedStates'>
  known: PoolCache
  log: IndexerLog
}

/**
 * Compares committed pool states with the chain at exactly their block. A difference is read once more, at another
 * endpoint if there is one, before it is trusted.
 */
export class StateChecker {
  readonly #deps: StateCheckerDependencies

  constructor(dependencies: StateCheckerDependencies) {
    this.#deps = dependencies
  }

  /** Compares those pools that have a trusted state, part by part. */
  async *check(pools: readonly PoolAddress[], signal: AbortSignal): AsyncGenerator<CheckedStates, void> {
    const known = pools.flatMap((address) => this.#deps.known.pools.get(address) ?? [])
    for (const part of partsOf(known)) {
      signal.throwIfAborted()
      const committed = await this.#deps.store.committedStates(part.map(({ address }) => address))
      const hasState = new Set(committed.states.map(({ pool }) => pool))
      const compared = part.filter(({ address }) => hasState.has(address))
      yield { compared: compared.length, differences: await this.#compare(compared, committed) }
    }
  }

  async #compare(pools: readonly Pool[], committed: CommittedStates): Promise<StateDifference[]> {
    const { chain, log } = this.#deps
    if (committed.head === null || pools.length === 0) return []
    const { number } = committed.head
    const first = compareStates(number, committed, await this.#read(chain, pools, committed.head))
    if (first.length === 0) return []
    const suspected = new Set(first.map(({ pool }) => pool))
    const again = await this.#read(elsewhere(chain), only(pools, suspected), committed.head)
    const ofSuspected = { ...committed, states: committed.states.filter(({ pool }) => suspected.has(pool)) }
    const second = compareStates(number, ofSuspected, again)
    const believed = new Set(second.map(({ pool }) => pool))
    const unsettled = [...suspected].filter((pool) => !believed.has(pool))
    if (unsettled.length > 0) log.warn({ block: number, pools: unsettled }, 'nodes contradict each other about pools')
    return second
  }

  /** Reads pools together, else one by one. Leaves out pools that do not return what their kind should. */
  async #read(
    chain: StateCalls,
    pools: readonly Pool[],
    head: NonNullable<CommittedStates['head']>,
  ): Promise<PoolSnapshots> {
    try {
      return await snapshotPools(chain, pools, head)
    } catch (error) {
      if (error instanceof ChainError) throw error
      this.#deps.log.debug({ err: error, pools: pools.length }, 'pools could not be read together')
      if (pools.length === 1) return { states: [], ticks: [] }
      const parts: PoolSnapshots[] = []
      for (const pool of pools) parts.push(await this.#read(chain, [pool], head))
      return { states: parts.flatMap(({ states }) => states), ticks: parts.flatMap(({ ticks }) => ticks) }
    }
  }
}

/** Reads from a second endpoint, or from the only one again, and by single calls. */
function elsewhere(chain: StateCheckerDependencies['chain']): StateCalls {
  return {
    callMany: async (...args) => (await chain.callElsewhere(...args)) ?? chain.callMany(...args),
    runInitCode: async () => null,
  }
}

function only(pools: readonly Pool[], addresses: ReadonlySet<PoolAddress>): Pool[] {
  return pools.filter(({ address }) => addresses.has(address))
}

/** Splits pools into parts of at least one pool, each with a limited number of words. */
function* partsOf(pools: readonly Pool[]): Generator<Pool[], void> {
  let part: Pool[] = []
  let words = 0
  for (const pool of pools) {
    const own = Math.max(1, wordsOf(pool))
    if (part.length > 0 && words + own > MAX_WORDS) {
      yield part
      part = []
      words = 0
    }
    part.push(pool)
    words += own
  }
  if (part.length > 0) yield part
}
