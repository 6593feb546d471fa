import { ChainError, systemClock } from '@dexfeed/chain'
import { type Address, type BlockHeader, type Pool, type PoolEvent, type PoolStateAt, SECOND } from '@dexfeed/dex'
import type { InvalidatedPool, UnreadPool } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import type { IndexerLog, TimeClock } from '../../loops/loop.ts'
import { Denials } from '../../pools/contract-calls.ts'
import type { PoolCache } from '../../pools/pool-cache.ts'
import {
  MAX_WORDS,
  MAX_WORDS_BY_CODE,
  type PoolSnapshots,
  type StateNode,
  snapshotPools,
} from '../../pools/pool-snapshot.ts'
import {
  type MovedSnapshots,
  moveSnapshots,
  type PoolStateTracker,
  type StateChanges,
  trackerOf,
} from './pool-state-tracker.ts'
import { PendingSnapshots, type PoolRanks, READ_FIRST } from './read-order.ts'

const MAX_WAITING = 3

/** Seconds of chain time after which states that change with time alone are read again. */
const REFRESH_S = 12
/** A pool whose state an event made unknown counts as unread only after this time. */
const READ_AGAIN_MS = 10 * SECOND

type Work = 'read' | 'commit'

interface Reading {
  at: number
  pools: Set<Address>
  since: BlockEvents[]
  snapshots: PoolSnapshots | null
}

export interface StateSource extends StateNode {
  runsInitCode(): boolean
}

export interface FollowedPoolsDependencies {
  chain: StateSource
  known: PoolCache
  ranks: PoolRanks
  log: IndexerLog
  now?: TimeClock
}

interface Unanswered {
  at: number
  /** True after two blocks without a response. The pool is then rarely retried. */
  isConfirmed: boolean
}

/**
 * Keeps the pools' states at the committed head. States that events do not contain are read while the follower works.
 * It commits them between two blocks, after applying the events since the read.
 */
export class FollowedPools {
  readonly #deps: FollowedPoolsDependencies
  readonly #tracker: PoolStateTracker
  readonly #pending = new PendingSnapshots()
  /** Oldest first. */
  readonly #readings = new Set<Reading>()
  /** Null while the committed head is too far below the chain's head. */
  #readBlock: BlockHeader | null = null
  #newPools: (() => Pool[]) | null = null
  /**
   * Pools whose state is wrong or lacks an event, with the block where that was found. They are read again at a later
   * block.
   */
  readonly #invalid = new Map<Address, number>()
  readonly #unanswered = new Map<Address, Unanswered>()
  /** Known pools to read again, because their state changes with time alone. */
  readonly #refreshed = new Set<Address>()
  readonly #touched = new Map<Address, number>()
  readonly #listeners = new Set<(work: Work) => void>()
  readonly #denials: Denials
  readonly #clock: TimeClock

  constructor(dependencies: FollowedPoolsDependencies) {
    this.#deps = dependencies
    this.#clock = dependencies.now ?? systemClock
    this.#denials = new Denials(this.#clock)
    this.#tracker = trackerOf(this.#deps.known.pools)
  }

  /** Restarts from committed states, without the snapshots under way. */
  restart(states: Iterable<PoolStateAt>, invalidated: Iterable<InvalidatedPool>): void {
    this.resync(invalidated)
    this.rollBack(states)
    this.#pending.clear()
    this.#refreshed.clear()
    this.#touched.clear()
    this.#newPools = this.#deps.known.poolReader()
    // Add new pools now, so that no reader sees an empty list of unread pools.
    this.#addNew()
  }

  rollBack(states: Iterable<PoolStateAt>): void {
    this.#readings.clear()
    this.#readBlock = null
    this.#tracker.reset(states)
    for (const pool of this.#invalid.keys()) this.#tracker.forget(pool)
  }

  changes(blocks: readonly BlockEvents[]): StateChanges {
    return this.#tracker.changes(blocks)
  }

  committed(blocks: readonly BlockEvents[], { poolStates }: { poolStates: readonly PoolStateAt[] }): void {
    this.#tracker.apply(poolStates)
    for (const { pool: address } of poolStates) {
      const pool = this.#tracker.has(address) ? undefined : this.#deps.known.pools.get(address)
      if (pool === undefined) continue
      this.#pending.add(pool)
      this.#touched.set(address, this.#clock.now())
    }
    for (const { since } of this.#readings) since.push(...blocks)
    for (const { events } of blocks) for (const event of events) this.#askAgain(event)
    this.#deps.ranks.note(blocks)
  }

  /** A pool may not respond because it is empty. It is asked again once it may no longer be. */
  #askAgain({ type, pool }: PoolEvent): void {
    if (type !== 'swap' && type !== 'exchange' && this.#unanswered.has(pool)) this.#denials.forget(pool)
  }

  setReadBlock(head: BlockHeader | null): void {
    this.#readBlock = head
    if (head === null) return
    for (const address of this.#tracker.agedAt(head.timestamp - REFRESH_S)) {
      const pool = this.#deps.known.pools.get(address)
      if (pool === undefined || this.#invalid.has(address)) continue
      this.#refreshed.add(address)
      this.#pending.add(pool)
    }
    if (this.#pending.size > 0) for (const listener of this.#listeners) listener('read')
  }

  /** Listens for states that can be read or committed. Returns a function that stops listening. */
  onWork(listener: (work: Work) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get readBlock(): BlockHeader | null {
    return this.#readBlock
  }

  resync(pools: Iterable<InvalidatedPool>): void {
    for (const { pool, blockNumber } of pools) {
      this.#invalid.set(pool, Math.max(blockNumber, this.#invalid.get(pool) ?? blockNumber))
      this.#unanswered.delete(pool)
      for (const { at, pools: read } of this.#readings) if (at <= blockNumber) read.delete(pool)
    }
  }

  /** Do not call this while blocks are processed, because a new pool would miss events in them. */
  #addNew(): void {
    for (const pool of this.#newPools?.() ?? []) this.#pending.add(pool)
    for (const address of this.#invalid.keys()) {
      const pool = this.#deps.known.pools.get(address)
      this.#tracker.forget(address)
      if (pool !== undefined) this.#pending.add(pool)
    }
    for (const address of this.#pending.addresses()) {
      if (!this.#tracker.has(address) || this.#refreshed.has(address)) continue
      this.#pending.delete(address)
      this.#unanswered.delete(address)
    }
  }

  /** Returns the pools to read, without unreadable ones, or null before the first `restart`. */
  unread(): UnreadPool[] | null {
    if (this.#newPools === null) return null
    const [{ known, ranks }, now] = [this.#deps, this.#clock.now()]
    const isUnread = (pool: Address) =>
      known.isSaved(pool) &&
      this.#unanswered.get(pool)?.isConfirmed !== true &&
      !this.#refreshed.has(pool) &&
      now - (this.#touched.get(pool) ?? Number.NEGATIVE_INFINITY) >= READ_AGAIN_MS
    const saved = this.#pending.addresses().filter(isUnread)
    return saved.map((pool) => ({ pool, place: ranks.places.get(pool) ?? null }))
  }

  /** Returns whether a pool's state is known, cannot be read, or is not needed for quotes. */
  isSettled(pool: Address): boolean {
    const { known } = this.#deps
    const isQuoted = known.pools.has(pool) && known.keepsState(pool)
    return !isQuoted || this.#tracker.has(pool) || this.#unanswered.get(pool)?.isConfirmed === true
  }

  hasTopUnread(): boolean {
    const isReady = this.#readyAt(this.#readBlock)
    for (const [pool, place] of this.#deps.ranks.places) {
      if (place > READ_FIRST) break
      if (this.#pending.has(pool) && isReady(pool)) return true
    }
    return false
  }

  /** Reads the most traded pools first. Returns false if none could be read. */
  async read(): Promise<boolean> {
    const { chain, log, ranks } = this.#deps
    const at = this.#readBlock
    if (at === null || this.#readings.size >= MAX_WAITING || this.#pending.size === 0) return false
    const isReady = this.#readyAt(at)
    const mostWords = chain.runsInitCode() ? MAX_WORDS_BY_CODE : MAX_WORDS
    const pools = this.#pending.select(({ address }) => isReady(address), ranks.places, mostWords)
    if (pools.length === 0) return false
    const read = new Set(pools.map(({ address }) => address))
    const reading: Reading = { at: at.number, pools: read, since: [], snapshots: null }
    this.#readings.add(reading)
    try {
      reading.snapshots = await snapshotPools(chain, pools, at)
      this.#pending.noteOutcome(true)
      for (const listener of this.#listeners) listener('commit')
      return true
    } catch (error) {
      this.#readings.delete(reading)
      this.#pending.noteOutcome(false)
      log.warn({ err: error, pools: pools.map(({ address }) => address) }, 'could not read pool states')
      const [only] = pools
      if (pools.length === 1 && only !== undefined && !(error instanceof ChainError))
        this.#noteUnanswered(only.address, at.number)
      return false
    }
  }

  /** Do not call this while blocks are processed. */
  hasWork(): boolean {
    this.#addNew()
    return [...this.#readings].some(({ snapshots }) => snapshots !== null)
  }

  /** Moves snapshots to the head and commits them. `commit` returns the pools that it left out. */
  async commitSnapshots(head: BlockHeader, commit: (snapshots: MovedSnapshots) => Promise<Address[]>): Promise<void> {
    this.#addNew()
    const done = [...this.#readings].filter(({ snapshots }) => snapshots !== null)
    if (done.length === 0) return
    const whole: MovedSnapshots = { states: [], ticks: [] }
    for (const { pools, since, snapshots } of done) {
      const { states, ticks } = onlyOf(pools, snapshots ?? { states: [], ticks: [] })
      const moved = moveSnapshots({ states, ticks }, since, head.number, trackerOf(this.#deps.known.pools))
      whole.states.push(...moved.states)
      whole.ticks.push(...moved.ticks)
      const isMoved = new Set(moved.states.map(({ pool }) => pool))
      for (const { pool } of states) if (!isMoved.has(pool)) pools.delete(pool)
    }
    const leftOut = new Set(whole.states.length > 0 ? await commit(whole) : [])
    this.#tracker.apply(whole.states.filter(({ pool }) => !leftOut.has(pool)))
    for (const reading of done) {
      this.#readings.delete(reading)
      const reported = new Set(reading.snapshots?.states.map(({ pool }) => pool))
      for (const pool of reading.pools) {
        if (!reported.has(pool)) this.#noteUnanswered(pool, reading.at)
        else if (!leftOut.has(pool)) this.#markRead(pool)
      }
    }
    this.#deps.log.debug({ pools: whole.states.length, pending: this.#pending.size }, 'read pool states')
  }

  /** A pool can be read once it is stored, after the block where it was found wrong or did not respond. */
  #readyAt(at: BlockHeader | null): (pool: Address) => boolean {
    const beingRead = new Set([...this.#readings].flatMap(({ pools }) => [...pools]))
    const number = at?.number ?? -1
    return (pool) =>
      this.#deps.known.isSaved(pool) &&
      !beingRead.has(pool) &&
      number > (this.#invalid.get(pool) ?? -1) &&
      number > (this.#unanswered.get(pool)?.at ?? -1) &&
      !this.#denials.isActive(pool)
  }

  #markRead(pool: Address): void {
    this.#pending.delete(pool)
    this.#invalid.delete(pool)
    this.#unanswered.delete(pool)
    this.#denials.forget(pool)
    this.#refreshed.delete(pool)
    this.#touched.delete(pool)
  }

  #noteUnanswered(pool: Address, at: number): void {
    this.#denials.note(pool, String(at), false)
    const isConfirmed = this.#unanswered.get(pool)?.isConfirmed === true || this.#denials.isConfirmed(pool)
    this.#unanswered.set(pool, { at, isConfirmed })
  }
}

function onlyOf(pools: ReadonlySet<Address>, { states, ticks }: PoolSnapshots): PoolSnapshots {
  return { states: states.filter(({ pool }) => pools.has(pool)), ticks: ticks.filter(({ pool }) => pools.has(pool)) }
}
