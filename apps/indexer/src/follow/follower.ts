import type { Chain } from '@dexfeed/chain'
import {
  type Block,
  type BlockHeader,
  type Deployment,
  finalBelow,
  type PoolAddress,
  type ReferenceBook,
} from '@dexfeed/dex'
import {
  type IndexerStore,
  type InvalidatedPool,
  type LiveCommit,
  type RangeCommit,
  ReorgTooDeep,
  StoreError,
} from '@dexfeed/store'
import { spansWithout } from '../blocks/block-ranges.ts'
import { commonAncestor, DeepReorgClaims } from '../blocks/common-ancestor.ts'
import type { NetworkContext } from '../blocks/network-context.ts'
import { poolsOf } from '../blocks/process-blocks.ts'
import type { IndexerLog } from '../loops/loop.ts'
import { MAX_STATE_DEPTH } from '../pools/pool-snapshot.ts'
import { EventLedger } from './event-ledger.ts'
import { Finality } from './finality.ts'
import { HeadReferences } from './head-references.ts'
import { FollowedPools } from './pool-states/followed-pools.ts'
import type { PoolRanks } from './pool-states/pool-ranks.ts'
import { impossiblePools, type StateChanges } from './pool-states/pool-state-tracker.ts'
import { SkippedBlocks } from './skipped-blocks.ts'

/** Blocks of a new branch in one commit at most; it comes whole while the finality window is below this. */
const MAX_BRANCH_BLOCKS = 512
/** More final blocks than these are read by ranges. */
const MAX_LIVE_BLOCKS = 64
/** Blocks of one commit on the way to a head that is near: rows of more at once are much memory. */
const COMMIT_BLOCKS = 16
/** Final blocks of one read while catching up after a pause; the node may serve fewer. */
const CATCH_UP_BLOCKS = 2_000

export interface FollowerDependencies extends Pick<NetworkContext, 'known' | 'processor' | 'bookAfter'> {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  /** Whether a pool whose key was not known proves itself now. */
  canProve(pool: PoolAddress): boolean
  /** Which pools are read first; it is told of what is processed. */
  ranks: PoolRanks
  references: Pick<NetworkContext['references'], 'version'>
  /** The block to begin after when nothing is stored: a final one. */
  anchor: BlockHeader
  epoch: number
  log: IndexerLog
  onCommit(commit: RangeCommit): void
  /** Is called with the number of pools whose state was found to be wrong. */
  onInvalidate?: ((pools: number) => void) | undefined
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
  /** To be read beside the steps. */
  readonly pools: FollowedPools
  readonly #deps: FollowerDependencies
  readonly #references: HeadReferences
  readonly #skipped: SkippedBlocks
  /** The last committed block, or the anchor; thrown away after any failure and read anew from the database. */
  #head: BlockHeader | null = null
  /** Whether that block is committed, which the anchor may not be. */
  #isCommitted = false
  readonly #finality: Finality
  readonly #deepReorgClaims: DeepReorgClaims
  #areReferencesInvalid = false

  constructor(dependencies: FollowerDependencies) {
    this.#deps = dependencies
    this.pools = new FollowedPools(dependencies)
    this.#skipped = new SkippedBlocks(dependencies)
    this.#finality = new Finality(dependencies.deployment.finalityDepth)
    this.#deepReorgClaims = new DeepReorgClaims(dependencies.chain, { confirmedAfterMs: dependencies.deepReorgMs })
    this.#references = new HeadReferences(dependencies.bookAfter, () => dependencies.references.version)
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
      const head = this.#head
      this.pools.addNew()
      await this.#commitSnapshots(head)
      await this.#skipped.cover((number) => this.#references.before(number, head, this.#finality.at(head.number)))
      return await this.#advance(head)
    } catch (error) {
      this.#head = null
      throw error
    }
  }

  /**
   * Notes in the database that states are wrong as of a block, which outlives this process, and has the pools read from
   * the chain again, and the reference prices too: not all events of these were indexed.
   */
  async invalidate(found: readonly InvalidatedPool[]): Promise<void> {
    const pools = found.filter(({ pool }) => this.#deps.known.keepsState(pool))
    if (pools.length === 0) return
    await this.#deps.store.invalidate(pools)
    this.pools.resync(pools)
    this.#areReferencesInvalid = true
    this.#deps.onInvalidate?.(pools.length)
  }

  /** Whether states of pools were read, or keys found, that a step would commit. Not to be asked within a step. */
  hasWork(): boolean {
    this.pools.addNew()
    return this.pools.hasUncommitted() || this.#skipped.isDue()
  }

  async #advance(head: BlockHeader): Promise<boolean> {
    const chainHead = await this.#readHead(head)
    if (chainHead.number > head.number) {
      const blocks = await this.#blocksAfter(head, chainHead)
      if (blocks === null) return this.#rollBack(chainHead)
      const book = await this.#references.after(head, this.#finality.at(head.number))
      await this.#commit(blocks, book, chainHead, null)
      return true
    }
    // A head that went backwards on our own branch is an endpoint that lags; any other is a new branch.
    const ours = chainHead.number === head.number ? head.hash : await this.#storedHash(chainHead.number)
    if (chainHead.hash !== ours && ours !== null) return this.#rollBack(chainHead)
    this.pools.setReadBlock(this.#isCommitted ? head : null)
    return false
  }

  /** What the node says is final counts ahead of the committed head only where the node has that block. */
  async #readHead(head: BlockHeader): Promise<BlockHeader> {
    const { chain, deployment } = this.#deps
    const [chainHead, tagged] = await Promise.all([chain.head(), chain.finalized()])
    const claimed = finalBelow(chainHead.number, tagged, deployment.finalityDepth)
    const isThere = claimed <= head.number || (await this.#hashAt(claimed)) !== null
    this.#finality.claim(isThere ? claimed : 0)
    return chainHead
  }

  /** The blocks after the committed one, or null when that is orphaned. */
  async #blocksAfter(head: BlockHeader, chainHead: BlockHeader): Promise<Block[] | null> {
    const { chain } = this.#deps
    const from = head.number + 1
    // A few final blocks are read as the head is: while they were read by ranges, as many would become final behind them.
    const final = this.#finality.highest
    const isFar = final - head.number > MAX_LIVE_BLOCKS
    if (isFar && (await this.#hashAt(head.number)) !== head.hash) return null
    const blocks = isFar
      ? (await chain.readRange(from, Math.min(from + CATCH_UP_BLOCKS - 1, final))).blocks
      : await chain.readBlocks(from, Math.min(from + COMMIT_BLOCKS - 1, chainHead.number))
    // Behind one URL there may be many nodes: who gives the blocks need not be who knew the head.
    return blocks[0]?.parentHash === head.hash ? blocks : null
  }

  /** Rolls back to the last block that the chain still holds and takes the new branch, in one transaction. */
  async #rollBack(chainHead: BlockHeader): Promise<boolean> {
    const { chain, store, log, anchor } = this.#deps
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
    this.pools.rollBack(await store.loadPoolStates(ancestor.number))
    const final = this.#finality.at(ancestor.number)
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
    const tooDeep = new ReorgTooDeep(this.#deps.deployment.network, lowest.number - 1, lowest.number)
    throw claim.isConfirmed ? tooDeep : new Error(`${tooDeep.message}; asking again`)
  }

  async #commit(
    blocks: readonly Block[],
    before: ReferenceBook,
    chainHead: BlockHeader,
    rollbackTo: number | null,
  ): Promise<void> {
    const { chain, store, known, processor, anchor, epoch, onCommit, log } = this.#deps
    const [first, last] = [blocks[0], blocks.at(-1)]
    if (first === undefined || last === undefined) return
    const book = before.copy()
    // The state of blocks far below the head is pruned, of its contracts too.
    const isNear = chainHead.number - last.number <= MAX_STATE_DEPTH
    const at = isNear ? last.hash : chainHead.hash
    const { trades, events, skipped, denied } = await processor.process(blocks, book, at, { deferKeys: true })
    const left = skipped.map(({ number }) => number)
    if (left.length > 0) log.info({ blocks: left }, 'blocks skipped for now: keys of pools are looked for')
    const changes = this.pools.changes(events)
    const finalNumber = this.#finality.at(last.number)
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
      ...changes,
    }
    this.#references.noteAttempt(headerOf(last), book, finalNumber)
    const covered = left.length === 0 ? [range] : spansWithout(blocks, left)
    const rows = { ...range, covered, awaiting: skipped, denied, trades, live }
    const commit = await known
      .saveWith(poolsOf(events), rows, (whole) => store.commit(whole))
      .catch((error: unknown) => this.#onRefused(error, rollbackTo ?? first.number - 1, changes))
    this.#finality.committed(finalNumber)
    this.#skipped.note(blocks, skipped, finalNumber)
    const final = blocks.findLast(({ number }) => number <= finalNumber)
    if (final !== undefined) chain.knowFinal(final)
    this.#deepReorgClaims.clear()
    // The audit compares none of what is proven.
    this.ledger.note(range, live.isProven ? null : events)
    this.#head = headerOf(last)
    this.#isCommitted = true
    this.pools.committed(events, changes)
    this.pools.setReadBlock(isNear ? this.#head : null)
    onCommit(commit)
  }

  /**
   * Events that take more liquidity than is known to be there are refused with their commit. One that put it there was
   * left out, or a state was read wrong: the pools are read from the chain again, and the next attempt goes without them.
   */
  async #onRefused(error: unknown, atBlock: number, changes: StateChanges): Promise<never> {
    const { store, log } = this.#deps
    if (error instanceof StoreError && !error.retryable && changes.poolStates.length > 0) {
      const pools = [...impossiblePools(changes), ...(await store.overdrawnPools(atBlock, changes.tickDeltas))]
      if (pools.length > 0) log.warn({ block: atBlock, pools }, 'states of pools lack liquidity: reading them anew')
      await this.invalidate(pools.map((pool) => ({ pool, blockNumber: atBlock })))
    }
    throw error
  }

  /** Takes up where the database stands, or behind the anchor. */
  async #resume(): Promise<BlockHeader> {
    const { store, anchor } = this.#deps
    const blocks = await store.reorgableBlocks()
    this.#isCommitted = blocks.length > 0
    this.#skipped.restart(blocks, await store.coveredRanges(), await store.networkRow())
    this.pools.restart(await store.loadPoolStates(), await store.invalidatedPools())
    return blocks.at(-1) ?? anchor
  }

  /** Commits the states of pools that were read beside the steps. */
  async #commitSnapshots(head: BlockHeader): Promise<void> {
    const { store, epoch } = this.#deps
    await this.pools.commitSnapshots(head, (snapshots) =>
      store.commitPoolStates({ epoch, headHash: head.hash, ...snapshots }),
    )
  }

  async #hashAt(number: number) {
    return (await this.#deps.chain.header(number))?.hash ?? null
  }

  /** Our hash at a height, null where the block is no longer kept. */
  async #storedHash(number: number) {
    return (await this.#deps.store.reorgableBlocks()).find((block) => block.number === number)?.hash ?? null
  }
}

function headerOf({ number, hash, parentHash, timestamp }: BlockHeader): BlockHeader {
  return { number, hash, parentHash, timestamp }
}
