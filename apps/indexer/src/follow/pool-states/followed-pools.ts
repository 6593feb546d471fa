import { ChainError, type Clock, systemClock } from '@dexfeed/chain'
import { type Address, type BlockHeader, type Pool, type PoolStateAt, SECOND } from '@dexfeed/dex'
import type { InvalidatedPool, UnreadPool } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import type { IndexerLog } from '../../loops/loop.ts'
import { Denials } from '../../pools/contract-calls.ts'
import type { PoolCache } from '../../pools/pool-cache.ts'
import { MAX_WORDS, MAX_WORDS_BY_CODE, type PoolSnapshots, snapshotPools } from '../../pools/pool-snapshot.ts'
import type { StateCalls } from '../../pools/read-ticks.ts'
import {
  type MovedSnapshots,
  moveSnapshots,
  type PoolStateTracker,
  type StateChanges,
  trackerOf,
} from './pool-state-tracker.ts'
import { PendingSnapshots, type PoolRanks, READ_FIRST } from './read-order.ts'

/** Maximum snapshots under way or waiting for the follower's commit. */
const MAX_WAITING = 3

/** A state that changes with time alone is read again after this time, in seconds of the chain. */
const REFRESH_S = 12
/** A pool whose events made its state unknown counts as unread only if it could not be read again in this time. */
const READ_AGAIN_MS = 10 * SECOND

type Work = 'read' | 'commit'

/** A snapshot that is under way or waits to be committed. */
interface Reading {
  at: number
  /** The pools in it, without those invalidated meanwhile. */
  pools: Set<Address>
  /** The events of all blocks committed since then. */
  since: BlockEvents[]
  /** Null while the snapshot is under way. */
  snapshots: PoolSnapshots | null
}

export interface FollowedPoolsDependencies {
  chain: StateCalls & { runsInitCode(): boolean }
  known: PoolCache
  ranks: PoolRanks
  log: IndexerLog
  /** Clock for the pauses of pools that return no state; default: the system's clock. */
  now?: Pick<Clock, 'now'>
}

interface Unanswered {
  /** The block number of the last attempt. */
  at: number
  /** Seen at two blocks: the pool counts as unreadable and is retried rarely. */
  isConfirmed: boolean
}

/**
 * Holds the states of a network's pools at the follower's committed head. States that no event holds are read from the
 * chain beside the follower. The follower commits them between two blocks, moved by the events of all blocks committed
 * since the read. If these events are not known, the read state is dropped.
 */
export class FollowedPools {
  readonly #deps: FollowedPoolsDependencies
  readonly #tracker: PoolStateTracker
  readonly #pending = new PendingSnapshots()
  /** Oldest first. */
  readonly #readings = new Set<Reading>()
  /** The block at which pools can be read: the committed head while it is near the chain's head; else null. */
  #readBlock: BlockHeader | null = null
  /** Returns the pools that became known since its last call. Null before the start. */
  #newPools: (() => Pool[]) | null = null
  /** Pools whose state is wrong, or may lack an event, since a block. They are read from the chain at a later block. */
  readonly #invalid = new Map<Address, number>()
  /** Unread pools that returned no state at the last attempt. */
  readonly #unanswered = new Map<Address, Unanswered>()
  /** Pools that are read again although their state is known, because it changes with time alone. */
  readonly #refreshed = new Set<Address>()
  /** Pools that an event made unknown, and since when. */
  readonly #touched = new Map<Address, number>()
  readonly #listeners = new Set<(work: Work) => void>()
  readonly #denials: Denials
  readonly #clock: Pick<Clock, 'now'>

  constructor(dependencies: FollowedPoolsDependencies) {
    this.#deps = dependencies
    this.#clock = dependencies.now ?? systemClock
    this.#denials = new Denials(this.#clock)
    this.#tracker = trackerOf(this.#deps.known.pools)
  }

  /** Restarts from committed states and findings. Snapshots under way are dropped. */
  restart(states: Iterable<PoolStateAt>, invalidated: Iterable<InvalidatedPool>): void {
    this.resync(invalidated)
    this.rollBack(states)
    this.#pending.clear()
    this.#refreshed.clear()
    this.#touched.clear()
    this.#newPools = this.#deps.known.poolReader()
    // In the same call, so that no reader sees an empty list of unread pools.
    this.addNew()
  }

  /** Sets the states to those at the block before the next changes. */
  rollBack(states: Iterable<PoolStateAt>): void {
    this.#readings.clear()
    this.#readBlock = null
    this.#tracker.reset(states)
    for (const pool of this.#invalid.keys()) this.#tracker.forget(pool)
  }

  /** Computes what these blocks change, without changing anything. */
  changes(blocks: readonly BlockEvents[]): StateChanges {
    return this.#tracker.changes(blocks)
  }

  committed(blocks: readonly BlockEvents[], { poolStates }: StateChanges): void {
    this.#tracker.apply(poolStates)
    for (const { pool: address } of poolStates) {
      const pool = this.#tracker.has(address) ? undefined : this.#deps.known.pools.get(address)
      if (pool === undefined) continue
      this.#pending.add(pool)
      this.#touched.set(address, this.#clock.now())
    }
    for (const { since } of this.#readings) since.push(...blocks)
    this.#deps.ranks.note(blocks)
  }

  /** Sets the block at which pools are read: the committed head; null: they cannot be read now. */
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

  /** Calls a listener when states can be read, and when read ones can be committed; returns how to end that. */
  onWork(listener: (work: Work) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get readBlock(): BlockHeader | null {
    return this.#readBlock
  }

  /** Has pools read from the chain again, at a block later than each finding. Drops reads at earlier blocks. */
  resync(pools: Iterable<InvalidatedPool>): void {
    for (const { pool, blockNumber } of pools) {
      this.#invalid.set(pool, Math.max(blockNumber, this.#invalid.get(pool) ?? blockNumber))
      this.#unanswered.delete(pool)
      for (const { at, pools: read } of this.#readings) if (at <= blockNumber) read.delete(pool)
    }
  }

  /**
   * Adds pools that became known, and invalid ones. Pools whose state came with an event are not read. Do not call it
   * while blocks are processed: a pool that becomes known meanwhile may lack its events of these blocks.
   */
  addNew(): void {
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

  /** Returns the pools whose state is still to be read, except unreadable ones. Null before the start. */
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

  /** Returns whether a pool need not be read: its state is known, it returns none, or it is not quoted. */
  isSettled(pool: Address): boolean {
    const { known } = this.#deps
    const isQuoted = known.pools.has(pool) && known.keepsState(pool)
    return !isQuoted || this.#tracker.has(pool) || this.#unanswered.get(pool)?.isConfirmed === true
  }

  /** Returns whether some of the most traded pools wait to be read and can be read now. */
  hasTopUnread(): boolean {
    const isReady = this.#readyAt(this.#readBlock)
    for (const [pool, place] of this.#deps.ranks.places) {
      if (place > READ_FIRST) break
      if (this.#pending.has(pool) && isReady(pool)) return true
    }
    return false
  }

  /**
   * Reads the states of some pools, the most traded first, to be committed. False: nothing to read, or not possible.
   */
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

  hasUncommitted(): boolean {
    return [...this.#readings].some(({ snapshots }) => snapshots !== null)
  }

  /**
   * Commits the states that were read, moved to the committed head. `commit` stores the states with all their ticks,
   * and returns the pools that it left out; or throws.
   */
  async commitSnapshots(head: BlockHeader, commit: (snapshots: MovedSnapshots) => Promise<Address[]>): Promise<void> {
    const done = [...this.#readings].filter(({ snapshots }) => snapshots !== null)
    if (done.length === 0) return
    const whole: MovedSnapshots = { states: [], ticks: [] }
    for (const { pools, since, snapshots } of done) {
      const { states, ticks } = onlyOf(pools, snapshots ?? { states: [], ticks: [] })
      const moved = moveSnapshots({ states, ticks }, since, head.number, trackerOf(this.#deps.known.pools))
      whole.states.push(...moved.states)
      whole.ticks.push(...moved.ticks)
      const isMoved = new Set(moved.states.map(({ pool }) => pool))
      // These are read again.
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

  /** Returns whether a pool may be read at a block: only once it is stored, and above the block of any finding. */
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

  /** One missing response proves nothing: see Denials. */
  #noteUnanswered(pool: Address, at: number): void {
    this.#denials.note(pool, String(at), false)
    this.#unanswered.set(pool, { at, isConfirmed: this.#denials.isConfirmed(pool) })
  }
}

function onlyOf(pools: ReadonlySet<Address>, { states, ticks }: PoolSnapshots): PoolSnapshots {
  return { states: states.filter(({ pool }) => pools.has(pool)), ticks: ticks.filter(({ pool }) => pools.has(pool)) }
}
