import {
  type Address,
  feeWithShares,
  isPossibleState,
  type MovingFee,
  ownFeeOf,
  type Pool,
  type PoolAddress,
  type PoolEvent,
  type PoolState,
  type PoolStateAt,
  readTime,
  stateReadingOf,
  type TickLiquidityAt,
} from '@dexfeed/dex'
import type { SnapshotAt } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import type { PoolSnapshots } from '../../pools/pool-snapshot.ts'

/** Commit these changes before applying them. */
export interface StateChanges {
  poolStates: PoolStateAt[]
  tickDeltas: TickLiquidityAt[]
}

/**
 * Tracks pool states at the follower's block. A pool enters with a snapshot, or with an event that holds its whole
 * state: a pair's Sync, or the Initialize of a concentrated pool with a fixed fee.
 */
export class PoolStateTracker {
  readonly #readingOf: (pool: Address) => PoolReading | null
  readonly #feeOf: (pool: Address) => number | null
  #states = new Map<Address, PoolState>()
  readonly #readTimes = new Map<Address, number>()

  /** No state is kept where `readingOf` returns null. For `feeOf`, see `ownFeeOf`. */
  constructor(
    readingOf: (pool: Address) => PoolReading | null = () => ({}),
    feeOf: (pool: Address) => number | null = () => 0,
  ) {
    this.#readingOf = readingOf
    this.#feeOf = feeOf
  }

  /** Returns whether the state is known. Any event makes a formula's state unknown until it is read again. */
  has(pool: Address): boolean {
    const state = this.#states.get(pool)
    return state !== undefined && isKnown(state)
  }

  /** Yields pools whose state changes with time alone and was read at `time` (unix seconds) or before. */
  *agedAt(time: number): Generator<Address> {
    for (const [pool, readAt] of this.#readTimes) if (readAt <= time) yield pool
  }

  reset(states: Iterable<KnownState>): void {
    this.#states = new Map()
    this.#readTimes.clear()
    this.apply(states)
  }

  forget(pool: Address): void {
    this.#states.delete(pool)
    this.#readTimes.delete(pool)
  }

  apply(states: Iterable<KnownState>): void {
    for (const { pool, state } of states) {
      this.#states.set(pool, state)
      const readAt = readTime(state)
      if (readAt === null) this.#readTimes.delete(pool)
      else this.#readTimes.set(pool, readAt)
    }
  }

  /** Computes what blocks change, without applying it. */
  changes(blocks: readonly BlockEvents[]): StateChanges {
    const changed = new Map<Address, PoolState>()
    const poolStates: PoolStateAt[] = []
    const ticks = new Map<string, TickLiquidityAt>()
    for (const { blockNumber, events } of blocks) {
      const touched = new Set<Address>()
      for (const event of events) {
        const reading = this.#readingOf(event.pool)
        const before = changed.get(event.pool) ?? this.#states.get(event.pool)
        if (reading === null || (reading.beginsRead && before === undefined)) continue
        const after = reading.isReadAgain ? unknownAgain(before) : nextState(event, before, this.#feeOf)
        if (after === null) continue
        changed.set(event.pool, after)
        touched.add(event.pool)
        if (event.type === 'liquidity') addTickDeltas(ticks, event, blockNumber)
      }
      for (const pool of touched) {
        const state = changed.get(pool)
        if (state !== undefined) poolStates.push({ pool, blockNumber, state })
      }
    }
    return { poolStates, tickDeltas: [...ticks.values()] }
  }
}

export function trackerOf(pools: { get(pool: PoolAddress): Pool | undefined }): PoolStateTracker {
  return new PoolStateTracker(
    (address) => {
      const pool = pools.get(address)
      return pool === undefined ? null : stateReadingOf(pool)
    },
    (address) => {
      const pool = pools.get(address)
      return pool === undefined ? 0 : ownFeeOf(pool)
    },
  )
}

export function impossiblePools({ poolStates }: StateChanges): Address[] {
  return poolStates.filter(({ state }) => isKnown(state) && !isPossibleState(state)).map(({ pool }) => pool)
}

interface KnownState {
  pool: PoolAddress
  state: PoolState
}

interface PoolReading {
  beginsRead?: boolean
  isReadAgain?: boolean
}

function isKnown(state: PoolState): boolean {
  return state.kind !== 'formula' || state.values !== null
}

function unknownAgain(before: PoolState | undefined): PoolState | null {
  return before?.kind === 'formula' && before.values !== null ? { ...before, values: null } : null
}

function nextState(
  event: PoolEvent,
  before: PoolState | undefined,
  feeOfPool: (pool: Address) => number | null,
): PoolState | null {
  switch (event.type) {
    case 'reserves':
      return { kind: 'pair', reserve0: event.reserve0, reserve1: event.reserve1, ...feeOf(before) }
    case 'initialize': {
      const { sqrtPriceX96, tick } = event
      return { kind: 'concentrated', sqrtPriceX96, tick, liquidity: 0n, ...feeOf(before) }
    }
    case 'swap':
      return before === undefined || event.state === null ? null : { ...event.state, ...feeOf(before) }
    case 'fee':
      return before?.kind === 'concentrated' && before.fee
        ? { ...before, fee: { ...before.fee, ...event.change } }
        : null
    case 'protocol-fee': {
      if (before?.kind !== 'concentrated') return null
      const { fee: feeBefore, ...state } = before
      const ownFee = feeOfPool(event.pool)
      // The fee is known only with the protocol's share in it, so read the pool again.
      if (ownFee === null) return { ...state, fee: { zeroForOne: 0, oneForZero: 0, ...feeBefore, exact: false } }
      return { ...state, ...feeWithShares(ownFee, event.protocolFee) }
    }
    case 'exchange':
    case 'created':
    case 'provided':
    case 'touch':
    case 'dependency':
      return null
    case 'liquidity': {
      if (before?.kind !== 'concentrated' || event.delta === 0n) return null
      const inRange = event.tickLower <= before.tick && before.tick < event.tickUpper
      return inRange ? { ...before, liquidity: before.liquidity + event.delta } : before
    }
  }
}

function feeOf(state: PoolState | undefined): { fee?: MovingFee } {
  return state?.fee ? { fee: state.fee } : {}
}

function addTickDeltas(
  ticks: Map<string, TickLiquidityAt>,
  { pool, tickLower, tickUpper, delta }: Extract<PoolEvent, { type: 'liquidity' }>,
  blockNumber: number,
): void {
  for (const [tick, net] of [
    [tickLower, delta],
    [tickUpper, -delta],
  ] as const) {
    const key = `${pool}:${tick}:${blockNumber}`
    const known = ticks.get(key) ?? { pool, tick, blockNumber, gross: 0n, net: 0n }
    ticks.set(key, { ...known, gross: known.gross + delta, net: known.net + net })
  }
}

export interface MovedSnapshots {
  states: SnapshotAt[]
  ticks: TickLiquidityAt[]
}

/**
 * Moves snapshots to a later block by applying the events since (ascending). Leaves out pools with an impossible state,
 * which were misread. `tracker` must be empty.
 */
export function moveSnapshots(
  { states, ticks }: PoolSnapshots,
  since: readonly BlockEvents[],
  blockNumber: number,
  tracker: PoolStateTracker,
): MovedSnapshots {
  tracker.apply(states)
  const readAt = new Map(states.map((at) => [at.pool, at.blockNumber]))
  const newest = new Map(states.map(({ pool, state }) => [pool, state]))
  const own = since.map(({ events, ...block }) => ({ ...block, events: events.filter(({ pool }) => newest.has(pool)) }))
  const { poolStates, tickDeltas } = tracker.changes(own)
  for (const { pool, state } of poolStates) newest.set(pool, state)
  const totals = new Map<string, TickLiquidityAt>()
  for (const change of [...ticks, ...tickDeltas]) {
    const key = `${change.pool}:${change.tick}`
    const { gross = 0n, net = 0n } = totals.get(key) ?? {}
    totals.set(key, { ...change, blockNumber, gross: gross + change.gross, net: net + change.net })
  }
  const impossible = new Set<PoolAddress>()
  for (const { pool, gross } of totals.values()) if (gross < 0n) impossible.add(pool)
  for (const [pool, state] of newest) if (!isPossibleState(state)) impossible.add(pool)
  return {
    states: [...newest].flatMap(([pool, state]) =>
      impossible.has(pool) ? [] : [{ pool, blockNumber, state, readAt: readAt.get(pool) ?? blockNumber }],
    ),
    ticks: [...totals.values()].filter(({ pool, gross }) => gross > 0n && !impossible.has(pool)),
  }
}
