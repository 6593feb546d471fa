import type { ReadRange } from '@dexfeed/chain'
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
import { commonAncestor, DeepReorgClaims, type HashSource } from '../blocks/common-ancestor.ts'
import type { NetworkContext } from '../blocks/network-context.ts'
import { poolsOf } from '../blocks/process-blocks.ts'
import type { IndexerLog } from '../loops/loop.ts'
import { MAX_STATE_DEPTH } from '../pools/pool-snapshot.ts'
import type { StateCalls } from '../pools/read-ticks.ts'
import { EventLedger } from './event-ledger.ts'
import { Finality } from './finality.ts'
import { HeadReferences } from './head-references.ts'
import { FollowedPools } from './pool-states/followed-pools.ts'
import { impossiblePools, type StateChanges } from './pool-states/pool-state-tracker.ts'
import type { PoolRanks } from './pool-states/read-order.ts'
import { SkippedBlocks } from './skipped-blocks.ts'

/** Maximum blocks of a new branch in one commit. The whole branch fits while the finality window is smaller. */
const MAX_BRANCH_BLOCKS = 512
/** More final blocks than this are read by ranges. */
const MAX_LIVE_BLOCKS = 64
/** Maximum blocks in one commit near the head. More rows in one commit take too much memory. */
const COMMIT_BLOCKS = 16
/** Maximum final blocks in one read while catching up. The node may serve fewer. */
const CATCH_UP_BLOCKS = 2_000

interface FollowerChain extends HashSource, StateCalls {
  head(): Promise<BlockHeader>
  finalized(): Promise<number | null>
  readRange: ReadRange
  readBlocks(from: number, to: number): Promise<Block[]>
  knowFinal(block: BlockHeader): void
  runsInitCode(): boolean
}

export interface FollowerDependencies extends Pick<NetworkContext, 'known' | 'processor' | 'bookAfter'> {
  chain: FollowerChain
  store: IndexerStore
  deployment: Deployment
  canProve(pool: PoolAddress): boolean
  /** The order in which pool states are read. The follower reports processed blocks to it. */
  ranks: PoolRanks
  references: Pick<NetworkContext['references'], 'version'>
  /** A final block: following starts after it if nothing is stored. */
  anchor: BlockHeader
  epoch: number
  log: IndexerLog
  onCommit(commit: RangeCommit): void
  onInvalidate?: ((pools: number) => void) | undefined
  /** How long the chain must claim that a final block is orphaned. Default: minutes. */
  deepReorgMs?: number | undefined
}

/** Moves rows and pool state towards the chain's head, one transaction per step. Rolls back orphaned blocks. */
export class Follower {
  /** The events that moved pool states, for the audit. */
  readonly ledger = new EventLedger()
  /** The pool states. Missing ones are read beside the steps. */
  readonly pools: FollowedPools
  readonly #deps: FollowerDependencies
  readonly #references: HeadReferences
  readonly #skipped: SkippedBlocks
  /** The last committed block, or the anchor. Null after a failure: the next step reads it from the database. */
  #head: BlockHeader | null = null
  /** Whether that block is committed. The anchor may not be. */
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

  /** Takes one step towards the chain's head. Returns whether the next step may have work immediately. */
  async step(): Promise<boolean> {
    const { store, epoch } = this.#deps
    try {
      if (this.#areReferencesInvalid) this.#references.forget()
      this.#areReferencesInvalid = false
      this.#head ??= await this.#resume()
      const head = this.#head
      this.pools.addNew()
      await this.pools.commitSnapshots(head, (snapshots) =>
        store.commitPoolStates({ epoch, headHash: head.hash, ...snapshots }),
      )
      await this.#skipped.cover((number) => this.#references.before(number, head, this.#finality.at(head.number)))
      return await this.#advance(head)
    } catch (error) {
      this.#head = null
      throw error
    }
  }

  /**
   * Marks pool states as wrong since a block, in the database, so that a restart keeps the mark. The pools are then
   * read from the chain again. So are the reference prices, because some of their events were not indexed.
   */
  async invalidate(found: readonly InvalidatedPool[]): Promise<void> {
    const pools = found.filter(({ pool }) => this.#deps.known.keepsState(pool))
    if (pools.length === 0) return
    await this.#deps.store.invalidate(pools)
    this.pools.resync(pools)
    this.#areReferencesInvalid = true
    this.#deps.onInvalidate?.(pools.length)
  }

  /** Whether pool states were read, or keys found, that a step would commit. Do not call it during a step. */
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
    // A lower head on our own branch means that an endpoint lags. Any other hash is a new branch.
    const ours = chainHead.number === head.number ? head.hash : await this.#storedHash(chainHead.number)
    if (chainHead.hash !== ours && ours !== null) return this.#rollBack(chainHead)
    this.pools.setReadBlock(this.#isCommitted ? head : null)
    return false
  }

  /** A claimed final block above the committed head counts only if the node has that block. */
  async #readHead(head: BlockHeader): Promise<BlockHeader> {
    const { chain, deployment } = this.#deps
    const [chainHead, tagged] = await Promise.all([chain.head(), chain.finalized()])
    const claimed = finalBelow(chainHead.number, tagged, deployment.finalityDepth)
    const isThere = claimed <= head.number || (await this.#hashAt(claimed)) !== null
    this.#finality.claim(isThere ? claimed : 0)
    return chainHead
  }

  /** Returns the blocks after the committed one; null if that one is orphaned. */
  async #blocksAfter(head: BlockHeader, chainHead: BlockHeader): Promise<Block[] | null> {
    const { chain } = this.#deps
    const from = head.number + 1
    // Few final blocks are read like the head. Reading them by ranges takes as long as new ones need to become final.
    const final = this.#finality.highest
    const isFar = final - head.number > MAX_LIVE_BLOCKS
    if (isFar && (await this.#hashAt(head.number)) !== head.hash) return null
    const blocks = isFar
      ? (await chain.readRange(from, Math.min(from + CATCH_UP_BLOCKS - 1, final))).blocks
      : await chain.readBlocks(from, Math.min(from + COMMIT_BLOCKS - 1, chainHead.number))
    // One URL may lead to many nodes. The node that returned the blocks may not be the one that reported the head.
    return blocks[0]?.parentHash === head.hash ? blocks : null
  }

  /** Rolls back to the newest stored block that the chain still has, and commits the new branch with it. */
  async #rollBack(chainHead: BlockHeader): Promise<boolean> {
    const { chain, store, log, anchor } = this.#deps
    const stored = await store.reorgableBlocks()
    const ancestor = await commonAncestor(stored, (number) => this.#hashAt(number))
    if (ancestor === null) return this.#claimDeepReorg(stored[0] ?? anchor)
    this.#deepReorgClaims.clear()
    const depth = (stored.at(-1)?.number ?? ancestor.number) - ancestor.number
    // Nothing to roll back, or no new block above the ancestor yet: wait for the next head.
    if (depth === 0 || chainHead.number <= ancestor.number) return false
    log.warn({ ancestor: ancestor.number, depth }, 'rolling back orphaned blocks')
    const last = Math.min(ancestor.number + MAX_BRANCH_BLOCKS, chainHead.number)
    const blocks = await chain.readBlocks(ancestor.number + 1, last)
    if (blocks[0]?.parentHash !== ancestor.hash) return true
    this.pools.rollBack(await store.loadPoolStates(ancestor.number))
    const final = this.#finality.at(ancestor.number)
    const book = await this.#references.afterRollback(stored.at(-1) ?? anchor, ancestor, final)
    await this.#commit(blocks, book, chainHead, ancestor.number)
    // Pools whose snapshot was rolled back need a new one, so the next step resumes from the database.
    this.#head = null
    return true
  }

  /**
   * Handles the case that all stored blocks are orphaned, which stops the network permanently. So the claim must hold
   * for minutes: an endpoint that lags, or that serves another chain for a while, reports the same.
   */
  async #claimDeepReorg(lowest: BlockHeader): Promise<false> {
    const claim = await this.#deepReorgClaims.check(lowest)
    if (claim === null) return false
    const tooDeep = new ReorgTooDeep(this.#deps.deployment.network, lowest.number - 1, lowest.number)
    throw claim.isConfirmed ? tooDeep : new Error(`${tooDeep.message}; checking again`)
  }

  async #commit(
    blocks: readonly Block[],
    before: ReferenceBook,
    chainHead: BlockHeader,
    rollbackTo: number | null,
  ): Promise<void> {
    const { chain, store, known, processor, anchor, epoch, onCommit, log } = this.#deps
    const first = blocks[0]
    const last = blocks.at(-1)
    if (first === undefined || last === undefined) return
    const book = before.copy()
    // Far below the head, nodes have pruned the state, contracts included.
    const isNear = chainHead.number - last.number <= MAX_STATE_DEPTH
    const at = isNear ? last.hash : chainHead.hash
    const { trades, events, skipped, denied } = await processor.process(blocks, book, at, { deferKeys: true })
    const left = skipped.map(({ number }) => number)
    if (left.length > 0) log.info({ blocks: left }, 'blocks skipped for now: searching for the keys of their pools')
    const changes = this.pools.changes(events)
    const finalNumber = this.#finality.at(last.number)
    const kept = blocks.filter(({ number }) => number >= finalNumber || number === last.number)
    const range = { from: first.number, to: last.number, fromTime: first.timestamp, toTime: last.timestamp }
    const live: LiveCommit = {
      epoch,
      rollbackTo,
      // Keep the anchor while it is the parent of stored blocks: a reorg may end there.
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
      .saveWith(poolsOf(events), rows, (whole) => store.commitHead(whole))
      .catch((error: unknown) => this.#onRefused(error, rollbackTo ?? first.number - 1, changes))
    this.#finality.committed(finalNumber)
    this.#skipped.note(blocks, skipped, finalNumber)
    const final = blocks.findLast(({ number }) => number <= finalNumber)
    if (final !== undefined) chain.knowFinal(final)
    this.#deepReorgClaims.clear()
    // Proven blocks are not audited, so nothing is noted for them.
    this.ledger.note(range, live.isProven ? null : events)
    this.#head = headerOf(last)
    this.#isCommitted = true
    this.pools.committed(events, changes)
    this.pools.setReadBlock(isNear ? this.#head : null)
    onCommit(commit)
  }

  /**
   * Handles a commit that was refused because events remove more liquidity than is stored. Either an earlier event was
   * left out, or a state was read wrong. The pools are read from the chain again, and the next attempt continues
   * without them.
   */
  async #onRefused(error: unknown, atBlock: number, changes: StateChanges): Promise<never> {
    const { store, log } = this.#deps
    if (error instanceof StoreError && !error.retryable && changes.poolStates.length > 0) {
      const pools = [...impossiblePools(changes), ...(await store.overdrawnPools(atBlock, changes.tickDeltas))]
      if (pools.length > 0)
        log.warn({ block: atBlock, pools }, 'pool states lack liquidity: reading them from the chain again')
      await this.invalidate(pools.map((pool) => ({ pool, blockNumber: atBlock })))
    }
    throw error
  }

  /** Resumes from the database, or after the anchor if nothing is stored. */
  async #resume(): Promise<BlockHeader> {
    const { store, anchor } = this.#deps
    const blocks = await store.reorgableBlocks()
    this.#isCommitted = blocks.length > 0
    this.#skipped.restart(blocks, await store.coveredRanges(), await store.networkRow())
    this.pools.restart(await store.loadPoolStates(), await store.invalidatedPools())
    return blocks.at(-1) ?? anchor
  }

  async #hashAt(number: number) {
    return (await this.#deps.chain.header(number))?.hash ?? null
  }

  /** Returns the stored hash at a height; null if that block is no longer kept. */
  async #storedHash(number: number) {
    return (await this.#deps.store.reorgableBlocks()).find((block) => block.number === number)?.hash ?? null
  }
}

function headerOf({ number, hash, parentHash, timestamp }: BlockHeader): BlockHeader {
  return { number, hash, parentHash, timestamp }
}
