import { ChainError } from '@dexfeed/chain'
import type { Pool, PoolAddress } from '@dexfeed/dex'
import type { CommittedStates } from '@dexfeed/store'
import type { IndexerLog } from '../../loops/loop.ts'
import type { ContractCaller } from '../../pools/contract-calls.ts'
import { MAX_WORDS, type PoolSnapshots, type StateBlock, snapshotPools, wordsOf } from '../../pools/pool-snapshot.ts'
import type { StateNode } from '../../pools/read-ticks.ts'
import { compareStates, type StateDifference } from './compare-states.ts'

export interface CheckedStates {
  compared: number
  differences: StateDifference[]
}

export interface PoolChecker {
  check(pools: readonly PoolAddress[], signal: AbortSignal): AsyncGenerator<CheckedStates, void>
}

export interface StateCheckerDependencies {
  chain: ContractCaller & StateNode
  store: { committedStates(pools: readonly PoolAddress[]): Promise<CommittedStates> }
  known: { pools: ReadonlyMap<PoolAddress, Pool> }
  log: IndexerLog
}

/**
 * Compares committed states with the chain at their block. A difference counts only if a second read, from another
 * endpoint if possible, confirms it.
 */
export class StateChecker implements PoolChecker {
  readonly #deps: StateCheckerDependencies

  constructor(dependencies: StateCheckerDependencies) {
    this.#deps = dependencies
  }

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
    const doubted = pools.filter(({ address }) => suspected.has(address))
    const again = await this.#read(elsewhere(chain), doubted, committed.head)
    const ofSuspected = { ...committed, states: committed.states.filter(({ pool }) => suspected.has(pool)) }
    const second = compareStates(number, ofSuspected, again)
    const believed = new Set(second.map(({ pool }) => pool))
    const unsettled = [...suspected].filter((pool) => !believed.has(pool))
    if (unsettled.length > 0) log.warn({ block: number, pools: unsettled }, 'nodes contradict each other about pools')
    return second
  }

  async #read(chain: StateNode, pools: readonly Pool[], head: StateBlock): Promise<PoolSnapshots> {
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

/** Reads by single calls from another endpoint or, if there is only one, from that one again. */
function elsewhere(chain: ContractCaller): StateNode {
  return {
    callMany: async (...args) => (await chain.callElsewhere(...args)) ?? chain.callMany(...args),
    runInitCode: async () => null,
  }
}

function* partsOf(pools: readonly Pool[]): Generator<Pool[], void> {
  let part: Pool[] = []
  let words = 0
  for (const pool of pools) {
    const poolWords = Math.max(1, wordsOf(pool))
    if (part.length > 0 && words + poolWords > MAX_WORDS) {
      yield part
      part = []
      words = 0
    }
    part.push(pool)
    words += poolWords
  }
  if (part.length > 0) yield part
}
