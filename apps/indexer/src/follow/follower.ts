import type { Chain } from '@dexfeed/chain'
import {
  type Address,
  type Block,
  type BlockHeader,
  type Deployment,
  finalBelow,
  type Pool,
  type ReferenceBook,
  stateReadingOf,
} from '@dexfeed/dex'
import { type IndexerStore, type LiveCommit, type RangeCommit, ReorgTooDeep } from '@dexfeed/store'
import { commonAncestor, DeepReorgClaims } from '../blocks/common-ancestor.ts'
import { type BlockProcessor, poolsOf } from '../blocks/process-blocks.ts'
import type { IndexerLog } from '../loops/indexer-log.ts'
import type { KnownPools } from '../pools/known-pools.ts'
import { EventLedger } from './event-ledger.ts'
import { HeadReferences } from './head-references.ts'
import { PendingSnapshots } from './pending-snapshots.ts'
import { PoolStateTracker } from './pool-state-tracker.ts'
import { spansWithout } from './spans-without.ts'

/** Blocks of a new branch in one commit at most; it comes whole while the finality window is below this. */
const MAX_BRANCH_BLOCKS = 512
/** Blocks of one commit on the way to a head that is near. */
const MAX_LIVE_BLOCKS = 64
/** Final blocks of one read while catching up after a pause; the node may serve fewer. */
const CATCH_UP_BLOCKS = 2_000

export interface FollowerDependencies {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  known: KnownPools
  processor: BlockProcessor
  /** The reference pools' states after a block, read from the chain. */
  bookAfter(head: BlockHeader, finalNumber: number): Promise<ReferenceBook>
  /** The block to begin after when nothing is stored: a final one. */
  anchor: BlockHeader
  epoch: number
  log: IndexerLog
  onCommit(commit: RangeCommit): void
  /** How long the chain must claim that a final block is orphaned; default: minutes. */
  deepReorgMs?: number | undefined
}

/**
 * Follows a network's head: moves rows and pool state from the last committed block towards the chain's, one
 * transaction a step, and rolls back what is orphaned.
 */
export class Follower {
  /** What moved the pool states. */
  readonly ledger = new EventLedger()
  readonly #with: FollowerDependencies
  readonly #tracker: PoolStateTracker
  readonly #pending: PendingSnapshots
  readonly #references: HeadReferences
  /** The last committed block, or the anchor; thrown away after any failure and read anew from the database. */
  #head: BlockHeader | null = null
  #finalNumber = 0
  /** By the last look at the head; 0 where it was not believed. */
  #claimedFinal = 0
  readonly #deepReorgClaims: DeepReorgClaims
  /** Gives the pools that became known since it was called last. */
  #newPools: () => Pool[] = () => []
  /** Pools whose state may lack an event: to be read from the chain. */
  readonly #invalid = new Set<Address>()
  #areReferencesInvalid = false

  constructor(dependencies: FollowerDependencies) {
    this.#with = dependencies
    this.#pending = new PendingSnapshots(dependencies.chain, dependencies.log)
    this.#deepReorgClaims = new DeepReorgClaims(dependencies.chain, { believedAfterMs: dependencies.deepReorgMs })
    this.#references = new HeadReferences(dependencies.bookAfter)
    const { pools } = dependencies.known
    this.#tracker = new PoolStateTracker(
      (address) => {
        const pool = pools.get(address)
        return pool === undefined ? null : stateReadingOf(pool)
      },
      (address) => pools.get(address)?.fee ?? 0,
    )
  }

  /**
   * One step towards the chain's head.
   *
   * @returns whether there may be more to do at once
   */
  async step(): Promise<boolean> {
    try {
      if (this.#areReferencesInvalid) this.#references.forget()
      this.#areReferencesInvalid = false
      this.#head ??= await this.#resume()
      return await this.#advance(this.#head)
    } catch (error) {
      this.#head = null
      throw error
    }
  }

  /** Has pools read from the chain again, and the reference prices too: not all events of these were indexed. */
  invalidate(pools: Iterable<Address>): void {
    for (const pool of pools) this.#invalid.add(pool)
    this.#areReferencesInvalid = true
  }

  /** Whether the state of a pool is to be read, and can be: a commit has stored the pool. Not to be asked within a step. */
  hasPoolsToRead(): boolean {
    this.#pendNew()
    return this.#pending.addresses().some((address) => this.#with.known.isSaved(address))
  }

  async #advance(head: BlockHeader): Promise<boolean> {
    const chainHead = await this.#lookAtHead(head)
    if (chainHead.number > head.number) {
      const blocks = await this.#blocksAfter(head, chainHead)
      if (blocks === null) return this.#rollBack(chainHead)
      const book = await this.#references.after(head, this.#finalAt(head.number))
      await this.#commit(blocks, book, chainHead, null)
      return true
    }
    // A head that went backwards on our own branch is an endpoint that lags; any other is a new branch.
    const ours = chainHead.number === head.number ? head.hash : await this.#storedHash(chainHead.number)
    return chainHead.hash === ours || ours === null ? this.#snapshotPending(head) : this.#rollBack(chainHead)
  }

  /** What the node says is final counts ahead of the committed head only where the node has that block. */
  async #lookAtHead(head: BlockHeader): Promise<BlockHeader> {
    const { chain, deployment } = this.#with
    const [chainHead, tagged] = await Promise.all([chain.head(), chain.finalized()])
    const claimed = finalBelow(chainHead.number, tagged, deployment.finalityDepth)
    const isThere = claimed <= head.number || (await this.#hashAt(claimed)) !== null
    this.#claimedFinal = isThere ? claimed : 0
    return chainHead
  }

  /**
   * The last final block once this one is committed: a head that a node makes up lifts it by no more than blocks that
   * were read and linked. What is final stays so, whatever the node says next.
   */
  #finalAt(number: number): number {
    const deep = number <= this.#claimedFinal ? number : number - this.#with.deployment.finalityDepth
    return Math.max(this.#finalNumber, Math.min(this.#claimedFinal, deep))
  }

  /** The blocks after the committed one, or null when that is orphaned. */
  async #blocksAfter(head: BlockHeader, chainHead: BlockHeader): Promise<Block[] | null> {
    const { chain } = this.#with
    const from = head.number + 1
    const final = Math.max(this.#finalNumber, this.#claimedFinal)
    // What is final but near is read as the head is: while it was read by ranges, as much would become final behind it.
    if (from <= final && chainHead.number - head.number > MAX_LIVE_BLOCKS) {
      if ((await this.#hashAt(head.number)) !== head.hash) return null
      const { blocks } = await chain.readRange(from, Math.min(from + CATCH_UP_BLOCKS - 1, final))
      return blocks
    }
    const blocks = await chain.readBlocks(from, Math.min(from + MAX_LIVE_BLOCKS - 1, chainHead.number))
    return blocks[0]?.parentHash === head.hash ? blocks : null
  }

  /** Rolls back to the last block that the chain still holds and takes the new branch, in one transaction. */
  async #rollBack(chainHead: BlockHeader): Promise<boolean> {
    const { chain, store, log, anchor } = this.#with
    const stored = await store.reorgableBlocks()
    const ancestor = await commonAncestor(stored, (number) => this.#hashAt(number))
    if (ancestor === null) return this.#claimDeepReorg(stored[0] ?? anchor)
    this.#deepReorgClaims.clear()
    const depth = (stored.at(-1)?.number ?? ancestor.number) - ancestor.number
    // There is nothing to roll back, or nothing to put in its place yet: the next head is waited for.
    if (depth === 0 || chainHead.number <= ancestor.number) return false
    log.warn({ ancestor: ancestor.number, depth }, 'rolling back orphaned blocks')
    const last = Math.min(ancestor.number + MAX_BRANCH_BLOCKS, chainHead.number)
    const blocks = await chain.readBlocks(ancestor.number + 1, last)
    if (blocks[0]?.parentHash !== ancestor.hash) return true
    this.#tracker.reset(await store.loadPoolStates(ancestor.number))
    const final = this.#finalAt(ancestor.number)
    const book = await this.#references.afterRollback(stored.at(-1) ?? anchor, ancestor, final)
    await this.#commit(blocks, book, chainHead, ancestor.number)
    // Pools whose snapshot was rolled back need another: the head is read anew.
    this.#head = null
    return true
  }

  /**
   * All stored blocks are orphaned. That stops the network for good, so the chain is asked again first: an endpoint
   * that lags, or that serves another chain for a while, says the same.
   */
  async #claimDeepReorg(lowest: BlockHeader): Promise<false> {
    const claim = await this.#deepReorgClaims.check(lowest)
    if (claim === null) return false
    const tooDeep = new ReorgTooDeep(this.#with.deployment.network, lowest.number - 1, lowest.number)
    throw claim.isBelieved ? tooDeep : new Error(`${tooDeep.message}; asking again`)
  }

  async #commit(
    blocks: readonly Block[],
    before: ReferenceBook,
    chainHead: BlockHeader,
    rollbackTo: number | null,
  ): Promise<void> {
    const { chain, store, known, processor, anchor, epoch, onCommit, log } = this.#with
    const [first, last] = [blocks[0], blocks.at(-1)]
    if (first === undefined || last === undefined) return
    const book = before.copy()
    const { trades, events, skipped } = await processor.process(blocks, book, last.hash, { leaveOpen: true })
    if (skipped.length > 0) log.info({ blocks: skipped }, 'blocks skipped for now: keys of pools are looked for')
    const { poolStates, tickDeltas } = this.#tracker.changes(events)
    const finalNumber = this.#finalAt(last.number)
    const kept = blocks.filter(({ number }) => number >= finalNumber || number === last.number)
    const range = { from: first.number, to: last.number, fromTime: first.timestamp, toTime: last.timestamp }
    const live: LiveCommit = {
      epoch,
      rollbackTo,
      // The block that following began after is kept too, while it is the parent of what comes: a reorg may end there.
      blocks: (first.parentHash === anchor.hash ? [anchor, ...kept] : kept).map(headerOf),
      head: headerOf(last),
      finalNumber: Math.min(finalNumber, last.number),
      chainHead,
      isProven: blocks.every((block) => block.isProven === true),
      poolStates,
      tickDeltas,
    }
    this.#references.attempt(headerOf(last), book, finalNumber)
    const covered = skipped.length === 0 ? [range] : spansWithout(blocks, skipped)
    const rows = { ...range, covered, trades, live }
    const commit = await known.saveWith(poolsOf(events), rows, (whole) => store.commit(whole))
    this.#finalNumber = finalNumber
    const final = blocks.findLast(({ number }) => number <= finalNumber)
    if (final !== undefined) chain.knowFinal(final)
    this.#deepReorgClaims.clear()
    this.#tracker.apply(poolStates)
    this.ledger.note(range, events)
    this.#head = headerOf(last)
    onCommit(commit)
  }

  /** Takes up where the database stands, or behind the anchor. */
  async #resume(): Promise<BlockHeader> {
    const { store, known, anchor } = this.#with
    const head = (await store.reorgableBlocks()).at(-1) ?? anchor
    this.#tracker.reset(await store.loadPoolStates())
    this.#pending.clear()
    this.#newPools = known.poolReader()
    return head
  }

  /** Reads the state of some pools that have none, as of the committed head. */
  async #snapshotPending(head: BlockHeader): Promise<boolean> {
    const { store, known, epoch, log } = this.#with
    this.#pendNew()
    const snapshots = await this.#pending.read(head, ({ address }) => known.isSaved(address))
    if (snapshots === null) return false
    await store.commitPoolStates({ epoch, headHash: head.hash, ...snapshots })
    this.#tracker.apply(snapshots.states)
    const pending = new Set(this.#pending.addresses())
    for (const pool of this.#invalid) if (!pending.has(pool)) this.#invalid.delete(pool)
    log.debug({ pools: snapshots.states.length, pending: this.#pending.size }, 'read pool states')
    return true
  }

  /** Takes up the pools that became known, but for those whose state came with an event, and the invalid ones. */
  #pendNew(): void {
    for (const pool of this.#newPools()) this.#pending.add(pool)
    for (const address of this.#invalid) {
      const pool = this.#with.known.pools.get(address)
      this.#tracker.forget(address)
      if (pool !== undefined) this.#pending.add(pool)
    }
    for (const address of this.#pending.addresses()) {
      if (this.#tracker.has(address)) this.#pending.delete(address)
    }
  }

  async #hashAt(number: number) {
    return (await this.#with.chain.header(number))?.hash ?? null
  }

  /** Our hash at a height, null where the block is no longer kept. */
  async #storedHash(number: number) {
    const stored = await this.#with.store.reorgableBlocks()
    return stored.find((block) => block.number === number)?.hash ?? null
  }
}

function headerOf({ number, hash, parentHash, timestamp }: BlockHeader): BlockHeader {
  return { number, hash, parentHash, timestamp }
}
