import { type Block, type BlockHeader, type Deployment, finalBelow, type Pool, type ReferenceBook } from '@dexfeed/dex'
import {
  type HeadCommit,
  type IndexerStore,
  type InvalidatedPool,
  type RangeCommit,
  ReorgTooDeep,
  StoreError,
} from '@dexfeed/store'
import type { NetworkAlerts } from '../alerts/alerts.ts'
import type { Rollback } from '../alerts/judge-commit.ts'
import { spansWithout } from '../blocks/block-ranges.ts'
import { commonAncestor, DeepReorgClaims, type HashSource } from '../blocks/common-ancestor.ts'
import { type BlockEvents, type BlockProcessor, type Processed, poolsOf } from '../blocks/process-blocks.ts'
import type { RangeSource } from '../blocks/read-ahead.ts'
import type { IndexerLog } from '../loops/loop.ts'
import type { PoolCache } from '../pools/pool-cache.ts'
import { MAX_STATE_DEPTH } from '../pools/pool-snapshot.ts'
import { HeadReferences } from './head-references.ts'
import { FollowedPools, type StateSource } from './pool-states/followed-pools.ts'
import { impossiblePools, type StateChanges } from './pool-states/pool-state-tracker.ts'
import type { PoolRanks } from './pool-states/read-order.ts'
import { type PoolProof, SkippedBlocks } from './skipped-blocks.ts'

/** Maximum blocks of a new branch per commit. The whole branch fits if the finality window is smaller. */
const MAX_BRANCH_BLOCKS = 512
/** If more final blocks are missing, they are read in ranges. */
const MAX_LIVE_BLOCKS = 64
/** More blocks in one commit would take too much memory. */
const COMMIT_BLOCKS = 16
const CATCH_UP_BLOCKS = 2_000

interface FollowedChain extends HashSource, RangeSource, StateSource {
  head(): Promise<BlockHeader>
  finalized(): Promise<number | null>
  readBlocks(from: number, to: number): Promise<Block[]>
  knowFinal(block: BlockHeader): void
}

interface FollowerDependencies {
  chain: FollowedChain
  store: IndexerStore
  deployment: Deployment
  known: PoolCache
  registry: PoolProof
  processor: BlockProcessor
  bookAfter(head: BlockHeader, finalNumber: number): Promise<ReferenceBook>
  references: { readonly version: number }
  ranks: PoolRanks
  anchor: BlockHeader
  epoch: number
  log: IndexerLog
  onCommit(commit: RangeCommit, events: readonly BlockEvents[]): void
  onInvalidate?: ((pools: number) => void) | undefined
  alerts?: NetworkAlerts | undefined
  /** How long (ms) a deep reorg must be claimed; minutes by default. */
  deepReorgMs?: number | undefined
}

/** Moves rows and pool state towards the head, one transaction per step, and rolls back orphaned blocks. */
export class Follower {
  readonly pools: FollowedPools
  readonly #deps: FollowerDependencies
  readonly #references: HeadReferences
  readonly #skipped: SkippedBlocks
  /** The last committed block, or the anchor. Null after a failure, so that it is read from the database. */
  #head: BlockHeader | null = null
  #isCommitted = false
  readonly #finality: Finality
  /** Set while the chain claims that a final block is orphaned. */
  #deepReorg: DeepReorgClaims | null = null
  #areReferencesInvalid = false

  constructor(dependencies: FollowerDependencies) {
    this.#deps = dependencies
    this.pools = new FollowedPools(dependencies)
    this.#skipped = new SkippedBlocks(dependencies)
    this.#finality = new Finality(dependencies.deployment.finalityDepth)
    this.#references = new HeadReferences(dependencies.bookAfter, () => dependencies.references.version)
  }

  /** Returns whether there may be more work immediately. */
  async step(): Promise<boolean> {
    const { store, epoch } = this.#deps
    try {
      if (this.#areReferencesInvalid) this.#references.forget()
      this.#areReferencesInvalid = false
      this.#head ??= await this.#resume()
      const head = this.#head
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
   * Marks pool states as wrong, also in the database. Events were missed, so these pools and the reference prices are
   * read again.
   */
  async invalidate(found: readonly InvalidatedPool[]): Promise<void> {
    const pools = found.filter(({ pool }) => this.#deps.known.keepsState(pool))
    if (pools.length === 0) return
    await this.#deps.store.invalidate(pools)
    this.pools.resync(pools)
    this.#areReferencesInvalid = true
    this.#deps.onInvalidate?.(pools.length)
  }

  /** Call this only between steps: a step may be changing what it reads. */
  hasWork(): boolean {
    return this.pools.hasWork() || this.#skipped.isDue()
  }

  async #advance(head: BlockHeader): Promise<boolean> {
    const chainHead = await this.#readHead(head)
    if (chainHead.number > head.number) {
      const blocks = await this.#blocksAfter(head, chainHead)
      if (blocks === null) return this.#rollBack(chainHead)
      await this.#index(blocks, await this.#references.after(head, this.#finality.at(head.number)), chainHead, null)
      return true
    }
    // A lower head on our branch means that an endpoint lags. Any other hash is a new branch.
    const ours = chainHead.number === head.number ? head.hash : await this.#storedHash(chainHead.number)
    if (chainHead.hash !== ours && ours !== null) return this.#rollBack(chainHead)
    this.pools.setReadBlock(this.#isCommitted ? head : null)
    return false
  }

  /** A claim above the committed head counts only if the node has that block. */
  async #readHead(head: BlockHeader): Promise<BlockHeader> {
    const { chain, deployment } = this.#deps
    const [chainHead, tagged] = await Promise.all([chain.head(), chain.finalized()])
    const claimed = finalBelow(chainHead.number, tagged, deployment.finalityDepth)
    const isThere = claimed <= head.number || (await this.#hashAt(claimed)) !== null
    this.#finality.claim(isThere ? claimed : 0)
    return chainHead
  }

  async #blocksAfter(head: BlockHeader, chainHead: BlockHeader): Promise<Block[] | null> {
    const { chain } = this.#deps
    const from = head.number + 1
    // Read a few blocks like the head: reading a range takes so long that as many more become final.
    const final = this.#finality.highest
    const isFar = final - head.number > MAX_LIVE_BLOCKS
    if (isFar && (await this.#hashAt(head.number)) !== head.hash) return null
    const blocks = isFar
      ? (await chain.readRange(from, Math.min(from + CATCH_UP_BLOCKS - 1, final))).blocks
      : await chain.readBlocks(from, Math.min(from + COMMIT_BLOCKS - 1, chainHead.number))
    // One URL may lead to several nodes, on different branches.
    return blocks[0]?.parentHash === head.hash ? blocks : null
  }

  /**
   * Rolls back to the newest stored block that the chain still has, and commits the new branch in the same transaction.
   */
  async #rollBack(chainHead: BlockHeader): Promise<boolean> {
    const { chain, store, log, anchor, known, alerts } = this.#deps
    const stored = await store.reorgableBlocks()
    const ancestor = await commonAncestor(stored, (number) => this.#hashAt(number))
    if (ancestor === null) return this.#claimDeepReorg(stored[0] ?? anchor)
    this.#deepReorg = null
    const depth = (stored.at(-1)?.number ?? ancestor.number) - ancestor.number
    // Nothing to roll back, or no new block above the ancestor yet.
    if (depth === 0 || chainHead.number <= ancestor.number) return false
    log.warn({ ancestor: ancestor.number, depth }, 'rolling back orphaned blocks')
    const last = Math.min(ancestor.number + MAX_BRANCH_BLOCKS, chainHead.number)
    const blocks = await chain.readBlocks(ancestor.number + 1, last)
    if (blocks[0]?.parentHash !== ancestor.hash) return true
    this.pools.rollBack(await store.loadPoolStates(ancestor.number))
    const removed = alerts === undefined ? [] : await this.#poolsAbove(ancestor.number)
    known.forget(await store.poolsCreatedAbove(ancestor.number))
    const final = this.#finality.at(ancestor.number)
    const book = await this.#references.afterRollback(stored.at(-1) ?? anchor, ancestor, final)
    await this.#index(blocks, book, chainHead, { to: ancestor.number, removed })
    // Pools whose snapshot was rolled back need a new one, so resume from the database.
    this.#head = null
    return true
  }

  /**
   * Checks the claim that all stored blocks are orphaned, which stops the network. An endpoint that lags or serves
   * another chain makes the same claim, so it must hold for minutes.
   * @throws ReorgTooDeep, or an Error while the claim is unconfirmed
   */
  async #claimDeepReorg(lowest: BlockHeader): Promise<false> {
    const { chain, deployment, deepReorgMs } = this.#deps
    this.#deepReorg ??= new DeepReorgClaims(chain, { confirmedAfterMs: deepReorgMs })
    const claim = await this.#deepReorg.check(lowest)
    if (claim === null) return false
    const tooDeep = new ReorgTooDeep(deployment.network, lowest.number - 1, lowest.number)
    throw claim.isConfirmed ? tooDeep : new Error(`${tooDeep.message}; checking again`)
  }

  async #index(
    blocks: readonly Block[],
    before: ReferenceBook,
    chainHead: BlockHeader,
    rollback: Rollback | null,
  ): Promise<void> {
    const { store, known, processor, anchor, epoch, log, alerts } = this.#deps
    const first = blocks[0]
    const last = blocks.at(-1)
    if (first === undefined || last === undefined) return
    const book = before.copy()
    // Nodes have pruned the state of deeper blocks, so call contracts at the head.
    const isNear = chainHead.number - last.number <= MAX_STATE_DEPTH
    const processed = await processor.process(blocks, book, (isNear ? last : chainHead).hash, { deferKeys: true })
    const left = processed.skipped.map(({ number }) => number)
    if (left.length > 0) log.info({ blocks: left }, 'blocks skipped for now: searching for the keys of their pools')
    const changes = this.pools.changes(processed.events)
    const finalNumber = this.#finality.at(last.number)
    this.#references.noteAttempt(headerOf(last), book, finalNumber)
    const { trades, moves } = processed
    const judged = { blocks, trades, moves, states: changes.poolStates }
    const rows = {
      from: first.number,
      to: last.number,
      fromTime: first.timestamp,
      toTime: last.timestamp,
      covered: spansWithout(blocks, left),
      awaiting: processed.skipped,
      denied: processed.denied,
      trades: processed.trades,
      creations: processed.creations,
      moves: processed.moves,
      live: {
        epoch,
        rollbackTo: rollback?.to ?? null,
        chainHead,
        head: headerOf(last),
        finalNumber: Math.min(finalNumber, last.number),
        blocks: reorgableHeaders(blocks, finalNumber, anchor),
        isProven: blocks.every((block) => block.isProven === true),
        ...changes,
      },
      judge: alerts?.judge({ ...judged, head: last, rollback }) ?? null,
    }
    const commit = await known
      .saveWith(poolsOf(processed.events), rows, (whole) => store.commitHead(whole))
      .catch((error: unknown) => this.#onRefused(error, rollback?.to ?? first.number - 1, changes))
    this.#onCommitted(blocks, processed, commit, finalNumber)
    this.pools.setReadBlock(isNear ? this.#head : null)
  }

  #onCommitted(
    blocks: readonly Block[],
    { events, skipped }: Processed,
    commit: HeadCommit,
    finalNumber: number,
  ): void {
    const { chain, onCommit } = this.#deps
    this.#finality.committed(finalNumber)
    this.#skipped.note(blocks, skipped, finalNumber)
    const final = blocks.findLast(({ number }) => number <= finalNumber)
    if (final !== undefined) chain.knowFinal(final)
    this.#deepReorg = null
    this.#head = commit.live.head
    this.#isCommitted = true
    this.pools.committed(events, commit.live)
    onCommit(commit, events)
  }

  /**
   * If events remove more liquidity than is stored, an event was missed or a state is wrong. The next attempt drops the
   * states of these pools.
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

  async #resume(): Promise<BlockHeader> {
    const { store, anchor } = this.#deps
    const blocks = await store.reorgableBlocks()
    this.#isCommitted = blocks.length > 0
    this.#skipped.restart(blocks, await store.coveredRanges(), await store.networkRow())
    this.pools.restart(await store.loadPoolStates(), await store.invalidatedPools())
    return blocks.at(-1) ?? anchor
  }

  /** Returns the pools that traded in stored blocks above this one. */
  async #poolsAbove(block: number): Promise<Pool[]> {
    const { store, known } = this.#deps
    const pools = await store.poolsOfTrades({ from: block + 1, to: Number.MAX_SAFE_INTEGER })
    return pools.flatMap((pool) => known.pools.get(pool) ?? [])
  }

  async #hashAt(number: number) {
    return (await this.#deps.chain.header(number))?.hash ?? null
  }

  async #storedHash(number: number) {
    return (await this.#deps.store.reorgableBlocks()).find((block) => block.number === number)?.hash ?? null
  }
}

/** Keeps the anchor while it is the parent of stored blocks, because a reorg may go back to it. */
function reorgableHeaders(blocks: readonly Block[], finalNumber: number, anchor: BlockHeader): BlockHeader[] {
  const kept = blocks.filter((block) => block.number >= finalNumber || block === blocks.at(-1))
  return (blocks[0]?.parentHash === anchor.hash ? [anchor, ...kept] : kept).map(headerOf)
}

function headerOf({ number, hash, parentHash, timestamp }: BlockHeader): BlockHeader {
  return { number, hash, parentHash, timestamp }
}

/** Tracks the last final block: the nodes' claim, but never above a block that was read and linked. */
export class Finality {
  readonly #depth: number
  #number = 0
  /** 0 if the latest claim was not trusted. */
  #claimed = 0

  constructor(depth: number) {
    this.#depth = depth
  }

  get highest(): number {
    return Math.max(this.#number, this.#claimed)
  }

  claim(number: number): void {
    this.#claimed = number
  }

  /** Returns the last final block once this linked block is committed. It never decreases. */
  at(number: number): number {
    const deep = number <= this.#claimed ? number : number - this.#depth
    return Math.max(this.#number, Math.min(this.#claimed, deep))
  }

  committed(number: number): void {
    this.#number = number
  }
}
