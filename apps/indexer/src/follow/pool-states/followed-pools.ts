import { type Chain, ChainError, type Clock } from '@dexfeed/chain'
import { type Address, type BlockHeader, type Pool, type PoolStateAt, stateReadingOf } from '@dexfeed/dex'
import type { InvalidatedPool, UnreadPool } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import type { IndexerLog } from '../../loops/loop.ts'
import { Denials } from '../../pools/contract-answers.ts'
import type { PoolCache } from '../../pools/pool-cache.ts'
import { MAX_WORDS, MAX_WORDS_BY_CODE, type PoolSnapshots, snapshotPools } from '../../pools/pool-snapshot.ts'
import { PendingSnapshots } from './pending-snapshots.ts'
import { type PoolRanks, READ_FIRST } from './pool-ranks.ts'
import { type MovedSnapshots, moveSnapshots, PoolStateTracker, type StateChanges } from './pool-state-tracker.ts'

/** Snapshots that may wait for the follower to commit them. */
const MAX_WAITING = 3

/** A snapshot under way, or one that waits to be committed. */
interface Reading {
  /** The number of the block that they are read at. */
  at: number
  /** The pools that are read, without those that became invalid meanwhile. */
  pools: Set<Address>
  /** Of all blocks that were committed since the one it is read at. */
  since: BlockEvents[]
  /** Null: it is under way. */
  snapshots: PoolSnapshots | null
}

export interface FollowedPoolsDependencies {
  chain: Pick<Chain, 'callMany' | 'runInitCode' | 'runsInitCode'>
  known: PoolCache
  ranks: PoolRanks
  log: IndexerLog
  /** For how long pools rest that do not answer; default: the system's. */
  now?: Pick<Clock, 'now'>
}

/** What a pool did not answer as its kind should. */
interface Unanswered {
  /** The number of the last block that it was asked at. */
  at: number
  /** Said at two blocks: it counts as a pool that cannot be read, and is asked again now and then. */
  isConfirmed: boolean
}

/**
 * The states of a network's pools as of the follower's committed head. Those that no event tells are read from the
 * chain beside the follower, which commits them between two blocks: what was read at one block is moved on by the
 * events of all blocks that were committed since, and thrown away where these are not known.
 */
export class FollowedPools {
  readonly #deps: FollowedPoolsDependencies
  readonly #tracker: PoolStateTracker
  readonly #pending = new PendingSnapshots()
  /** In the order in which they were begun. */
  readonly #readings = new Set<Reading>()
  /** Where pools can be read: the committed head while it is near that of the chain. */
  #readBlock: BlockHeader | null = null
  /** Gives the pools that became known since it was called last; null: not started yet. */
  #newPools: (() => Pool[]) | null = null
  /** Pools whose state is wrong or may lack an event as of a block: to be read from the chain at a later one. */
  readonly #invalid = new Map<Address, number>()
  /** Pools that are still to be read and gave no state when they were asked last. */
  readonly #unanswered = new Map<Address, Unanswered>()
  readonly #denials: Denials

  constructor(dependencies: FollowedPoolsDependencies) {
    this.#deps = dependencies
    this.#denials = new Denials(dependencies.now)
    this.#tracker = this.#newTracker()
  }

  /** Starts anew from committed states and findings; whatever was being read is thrown away. */
  restart(states: Iterable<PoolStateAt>, invalidated: Iterable<InvalidatedPool>): void {
    this.resync(invalidated)
    this.rollBack(states)
    this.#pending.clear()
    this.#newPools = this.#deps.known.poolReader()
    // In one go: nobody is to take all pools for read.
    this.addNew()
  }

  /** The states as of the block that the next changes follow. */
  rollBack(states: Iterable<PoolStateAt>): void {
    this.#readings.clear()
    this.#readBlock = null
    this.#tracker.reset(states)
    for (const pool of this.#invalid.keys()) this.#tracker.forget(pool)
  }

  /** What these blocks change, without changing anything yet. */
  changes(blocks: readonly BlockEvents[]): StateChanges {
    return this.#tracker.changes(blocks)
  }

  /** Takes over the changes of blocks that were committed. */
  committed(blocks: readonly BlockEvents[], { poolStates }: StateChanges): void {
    this.#tracker.apply(poolStates)
    for (const { since } of this.#readings) since.push(...blocks)
    this.#deps.ranks.note(blocks)
  }

  /** From now on pools are read at this block, which is the committed head; null: they cannot be. */
  setReadBlock(head: BlockHeader | null): void {
    this.#readBlock = head
  }

  /** Where pools can be read now; null: they cannot. */
  get readBlock(): BlockHeader | null {
    return this.#readBlock
  }

  /** Has pools read from the chain again, at a later block than each finding: one that is being read before it, too. */
  resync(pools: Iterable<InvalidatedPool>): void {
    for (const { pool, blockNumber } of pools) {
      this.#invalid.set(pool, Math.max(blockNumber, this.#invalid.get(pool) ?? 0))
      this.#unanswered.delete(pool)
      for (const { at, pools: read } of this.#readings) if (at <= blockNumber) read.delete(pool)
    }
  }

  /**
   * Takes up the pools that became known, but for those whose state came with an event, and the invalid ones. Not to be
   * called while blocks are processed: a pool that becomes known meanwhile may lack its events of these.
   */
  addNew(): void {
    for (const pool of this.#newPools?.() ?? []) this.#pending.add(pool)
    for (const address of this.#invalid.keys()) {
      const pool = this.#deps.known.pools.get(address)
      this.#tracker.forget(address)
      if (pool !== undefined) this.#pending.add(pool)
    }
    for (const address of this.#pending.addresses()) {
      if (!this.#tracker.has(address)) continue
      this.#pending.delete(address)
      this.#unanswered.delete(address)
    }
  }

  /**
   * The pools that are still to be read and that a commit has stored, but for those that cannot be read; null: that is
   * not known before it has started from what is committed.
   */
  unread(): UnreadPool[] | null {
    if (this.#newPools === null) return null
    const { known, ranks } = this.#deps
    const isUnread = (pool: Address) => known.isSaved(pool) && this.#unanswered.get(pool)?.isConfirmed !== true
    const saved = this.#pending.addresses().filter(isUnread)
    return saved.map((pool) => ({ pool, place: ranks.places.get(pool) ?? null }))
  }

  /** Whether the reading of some of the most traded pools is still to begin, and can. */
  hasTopUnread(): boolean {
    const isReady = this.#readyAt(this.#readBlock)
    for (const [pool, place] of this.#deps.ranks.places) {
      if (place > READ_FIRST) break
      if (this.#pending.has(pool) && isReady(pool)) return true
    }
    return false
  }

  /**
   * Reads the states of some pools, the most traded first, for the follower to commit.
   *
   * @returns false: there was nothing to read, or it could not be read now
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
      reading.snapshots = await snapshotPools(chain, pools, at.number, at.hash)
      this.#pending.noteOutcome(true)
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

  /** Whether pools were read that are not committed yet. */
  hasUncommitted(): boolean {
    return [...this.#readings].some(({ snapshots }) => snapshots !== null)
  }

  /**
   * Commits what was read, moved on to the committed head.
   *
   * @param commit stores the states of pools, all their ticks included, and gives those that it left out, or throws
   */
  async commitSnapshots(head: BlockHeader, commit: (snapshots: MovedSnapshots) => Promise<Address[]>): Promise<void> {
    const done = [...this.#readings].filter(({ snapshots }) => snapshots !== null)
    if (done.length === 0) return
    const whole: MovedSnapshots = { states: [], ticks: [] }
    for (const { pools, since, snapshots } of done) {
      const { states, ticks } = onlyOf(pools, snapshots ?? { states: [], ticks: [] })
      const moved = moveSnapshots({ states, ticks }, since, head.number, this.#newTracker())
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

  /** Tells of a pool whether its reading may begin at a block: not before a commit has stored it, nor up to a finding. */
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

  /** It is read. */
  #markRead(pool: Address): void {
    this.#pending.delete(pool)
    this.#invalid.delete(pool)
    this.#unanswered.delete(pool)
    this.#denials.forget(pool)
  }

  /** Once is nothing: see Denials. */
  #noteUnanswered(pool: Address, at: number): void {
    this.#denials.note(pool, String(at), false)
    this.#unanswered.set(pool, { at, isConfirmed: this.#denials.isConfirmed(pool) })
  }

  #newTracker(): PoolStateTracker {
    const { pools } = this.#deps.known
    return new PoolStateTracker(
      (address) => {
        const pool = pools.get(address)
        return pool === undefined ? null : stateReadingOf(pool)
      },
      (address) => pools.get(address)?.fee ?? 0,
    )
  }
}

function onlyOf(pools: ReadonlySet<Address>, { states, ticks }: PoolSnapshots): PoolSnapshots {
  return { states: states.filter(({ pool }) => pools.has(pool)), ticks: ticks.filter(({ pool }) => pools.has(pool)) }
}
