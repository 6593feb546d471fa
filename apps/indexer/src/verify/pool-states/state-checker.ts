import { ChainError } from '@dexfeed/chain'
import type { Pool, PoolAddress, PoolState, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import type { CommittedStates } from '@dexfeed/store'
import type { IndexerLog } from '../../loops/loop.ts'
import type { ContractCaller } from '../../pools/contract-calls.ts'
import {
  MAX_WORDS,
  type PoolSnapshots,
  type StateBlock,
  type StateNode,
  snapshotPools,
  wordsOf,
} from '../../pools/pool-snapshot.ts'

export interface StateDifference {
  pool: PoolAddress
  blockNumber: number
  columns: { name: string; stored: string; chain: string }[]
}

interface States {
  states: readonly PoolStateAt[]
  ticks: readonly TickLiquidityAt[]
}

const NOTHING = 'nothing'

/**
 * Compares states at the same block, with gross and net liquidity of every initialised tick. Skips a formula's state
 * that is unknown or changes with time alone, because it is read again anyway. A quoted pool without a state on the
 * chain counts as different.
 */
export function compareStates(blockNumber: number, stored: States, read: States): StateDifference[] {
  const chainStates = new Map(read.states.map(({ pool, state }) => [pool, state]))
  const storedTicks = ticksByPool(stored)
  const chainTicks = ticksByPool(read)
  return stored.states.flatMap(({ pool, state }) => {
    if (state.kind === 'formula' && (state.values === null || state.freshUntil !== null)) return []
    const chain = chainStates.get(pool)
    if (chain === undefined) {
      const columns = [{ name: 'state', stored: state.kind, chain: NOTHING }]
      return isQuoted(state) ? [{ pool, blockNumber, columns }] : []
    }
    const columns = [
      ...differing(partsOf(state), partsOf(chain)),
      ...differing(storedTicks.get(pool) ?? new Map(), chainTicks.get(pool) ?? new Map()),
    ]
    return columns.length === 0 ? [] : [{ pool, blockNumber, columns }]
  })
}

function isQuoted(state: PoolState): boolean {
  return state.fee?.exact !== false
}

function differing(
  stored: ReadonlyMap<string, string>,
  chain: ReadonlyMap<string, string>,
): StateDifference['columns'] {
  const names = new Set([...stored.keys(), ...chain.keys()])
  return [...names].flatMap((name) => {
    const values = { stored: stored.get(name) ?? NOTHING, chain: chain.get(name) ?? NOTHING }
    return values.stored === values.chain ? [] : [{ name, ...values }]
  })
}

function partsOf(state: PoolState): Map<string, string> {
  const { fee } = state
  if (state.kind === 'formula') return textsOf({ formula: state.formula, values: (state.values ?? []).join(' ') })
  return textsOf({
    ...(state.kind === 'pair'
      ? { reserve0: state.reserve0, reserve1: state.reserve1 }
      : { sqrt_price_x96: state.sqrtPriceX96, tick: state.tick, liquidity: state.liquidity }),
    ...(fee && { fee_zero_for_one: fee.zeroForOne, fee_one_for_zero: fee.oneForZero, fee_exact: fee.exact }),
  })
}

function textsOf(values: Record<string, bigint | number | boolean | string>): Map<string, string> {
  return new Map(Object.entries(values).map(([name, value]) => [name, String(value)]))
}

function ticksByPool({ ticks }: States): Map<PoolAddress, Map<string, string>> {
  const byPool = new Map<PoolAddress, Map<string, string>>()
  for (const { pool, tick, gross, net } of ticks) {
    const ofPool = byPool.get(pool) ?? new Map<string, string>()
    byPool.set(pool, ofPool.set(`tick ${tick}`, `${gross} gross ${net} net`))
  }
  return byPool
}

export interface CheckedStates {
  compared: number
  differences: StateDifference[]
}

export interface PoolChecker {
  check(pools: readonly PoolAddress[], signal: AbortSignal): AsyncGenerator<CheckedStates, void>
}

interface StateCheckerDependencies {
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
    for (const part of batchesOf(known)) {
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

function* batchesOf(pools: readonly Pool[]): Generator<Pool[], void> {
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
