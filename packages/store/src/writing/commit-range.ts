import type {
  BlockHeader,
  BlockPoint,
  CoveredRange,
  Hex,
  Pool,
  PoolStateAt,
  PricedTrade,
  TickLiquidityAt,
  Token,
} from '@dexfeed/dex'
import type { ConnectionPool } from '../database/connection-pool.ts'
import type { Database } from '../database/database.ts'
import { lockCoverage, lockRows } from '../database/locks.ts'
import { notify } from '../database/notifications.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { BlockNotStored, BlocksNotLinked, codeOf, RangeAlreadyCovered } from '../store-error.ts'
import { insertAwaitedValues } from '../tables/awaited-value.ts'
import { movedBlocks, readBlock } from '../tables/block.ts'
import { coverRange, isCovered } from '../tables/covered-range.ts'
import { type DayCounts, NO_COUNTS } from '../tables/day-counts.ts'
import { type AwaitingBlock, deleteAwaitedKeys, insertAwaitedKeys } from '../tables/keys/awaited-key.ts'
import { insertUnconfirmedDenials, type UnconfirmedDenial } from '../tables/keys/unconfirmed-denial.ts'
import { anchorsOf, type Fenced, fence, moveHead, type NetworkKey } from '../tables/network.ts'
import { writtenRollback } from '../tables/network-rollback.ts'
import { insertPools } from '../tables/pool.ts'
import { writtenPoolStates } from '../tables/pool-state.ts'
import { addedTickDeltas } from '../tables/pool-tick.ts'
import { cellOf, touchCells } from '../tables/swap/list-cell.ts'
import { insertSwaps } from '../tables/swap/swap.ts'
import { insertHops } from '../tables/swap/swap-hop.ts'
import { insertTokens } from '../tables/token.ts'
import { insertTokenMoves } from '../tables/token-move.ts'
import { insertFoundPools } from '../tables/unread-pool.ts'
import { moveCounters, withKeptTrades } from './day-counters.ts'
import { rollBack } from './roll-back.ts'
import { copyTrades, mergeCandles } from './roll-up-hops.ts'

/** Everything that a range of blocks changes; it is committed as a whole or not at all. */
export interface RangeCommit {
  /** First and last block; `to` = `from` - 1 with nothing else adds nothing (a bare rollback). */
  from: number
  to: number
  /** Times of those two blocks. */
  fromTime: number
  toTime: number
  /**
   * The parts of the range that this commit covers, ascending; default: all of it. The commit holds no trades of the
   * rest, which is left to another commit.
   */
  covered?: readonly CoveredRange[]
  /** Blocks of the rest that wait for keys of pools. */
  awaiting?: readonly AwaitingBlock[]
  /** Emitters that were left out of the range's rows because only one endpoint denied that they are pools. */
  denied?: readonly UnconfirmedDenial[]
  trades: readonly PricedTrade[]
  /** May include pools and tokens that are already stored. */
  pools: readonly Pool[]
  tokens: readonly Token[]
  /** What only the follower writes. Null for a range that fills history, or for a skipped block. */
  live: LiveCommit | null
  /** Set if the range is a block that the follower committed without rows, and that may still be orphaned. */
  skipped?: SkippedCommit
}

interface SkippedCommit {
  epoch: number
  /** The hash that the block must still be stored with. */
  hash: Hex
  /** Whether all logs of the block were proven. */
  isProven: boolean
}

export interface LiveCommit {
  epoch: number
  /** Last common block: everything above it is rolled back first. Null without a rollback. */
  rollbackTo: number | null
  /** Headers to keep for finding a common ancestor, ascending. Final ones are pruned except the last. */
  blocks: readonly BlockHeader[]
  head: BlockHeader
  /** The stored final block never goes back, whatever is passed. */
  finalNumber: number
  chainHead: BlockPoint
  /** Whether all logs of the range were proven. */
  isProven: boolean
  /** At most one per pool and block. */
  poolStates: readonly PoolStateAt[]
  /** Gross and net are what the block changes, not the resulting values. */
  tickDeltas: readonly TickLiquidityAt[]
}

const UNIQUE_VIOLATION = /^(23505|P2002)$/

/**
 * Commits a range as a whole: rows, counters, pool state and progress in one transaction.
 *
 * What several commits may wait for is taken in one order, so that no two wait for each other. The order: the network's
 * row (the follower only), the network's rows, swaps, pools, tokens, cells of lists, the counters of traders, hours and
 * days, covered ranges. What all commits of a network need comes last, so that the head waits as briefly as possible
 * for history. No commit waits for candles (docs/internals/candles.md). A range that fills history never takes the
 * network's row, so the follower does not wait for its bulk.
 *
 * @throws LeaseLost, RangeAlreadyCovered, ReorgTooDeep, BlocksNotLinked, BlockNotStored; nothing is written then, except
 * new pools and tokens of final blocks
 */
export async function commitRange(
  database: Pick<Database, 'pool' | 'prisma'>,
  network: NetworkKey,
  commit: RangeCommit,
): Promise<void> {
  checkShape(commit)
  if (!commit.live && !commit.skipped) await addFound(database, network, commit)
  try {
    await withKeptTrades(database, commit.trades, (trades, added) =>
      inTransaction(database, (tx) => write(tx, database.pool, network, { ...commit, trades }, added)),
    )
  } catch (error) {
    // Another process committed the same range at the same time: its rows were visible before its covered range.
    const duplicate = error instanceof Error && UNIQUE_VIOLATION.test(codeOf(error.cause) ?? '')
    if (duplicate && (await isCovered(database.prisma, network.chainId, commit))) {
      throw new RangeAlreadyCovered(network.name, commit.from, commit.to)
    }
    throw error
  }
}

/**
 * Stores pools and tokens of final blocks before their trades. Other commits with the same new pools then do not wait
 * for these trades; at the beginning of history, all commits have such pools. Quoted ones are unread from then on. The
 * transaction of the trades stores them again, because a rollback below the final block may delete them in between.
 */
async function addFound(
  database: Pick<Database, 'prisma'>,
  { chainId }: NetworkKey,
  { pools, tokens }: Pick<RangeCommit, 'pools' | 'tokens'>,
): Promise<void> {
  if (pools.length === 0 && tokens.length === 0) return
  await inTransaction(database, async (tx) => {
    await lockRows(tx, chainId, 'shared')
    await insertFoundPools(tx, chainId, pools)
    await insertTokens(tx, chainId, tokens)
  })
}

async function write(
  tx: Db,
  pool: ConnectionPool,
  network: NetworkKey,
  commit: RangeCommit,
  added: DayCounts,
): Promise<void> {
  const { live, skipped, from, to, trades, pools, tokens } = commit
  const { chainId } = network
  const ancestor = live?.rollbackTo ?? null
  const mode = ancestor === null ? 'shared' : 'exclusive'

  const fenced = live && (await fence(tx, network, live.epoch, mode))
  if (skipped) await fenceSkipped(tx, network, from, skipped)
  else if (!live) await lockRows(tx, chainId, mode)
  const gone = fenced && ancestor !== null ? await rollBack(tx, network, ancestor, fenced.finalNumber) : NO_COUNTS
  if (live && fenced) {
    await insertSwaps(tx, chainId, trades)
    await insertHops(tx, chainId, trades)
    await mergeCandles(tx, chainId, trades, anchorsOf(fenced))
  } else await copyUncovered(tx, pool, network, commit)
  await insertAwaitedValues(tx, chainId, trades)
  await insertTokenMoves(tx, chainId, trades)
  if (live && fenced) await writeLive(tx, network, live, fenced)
  if (live) await insertPools(tx, chainId, pools)
  else await insertFoundPools(tx, chainId, pools)
  await insertTokens(tx, chainId, tokens)
  const covered = to < from ? [] : (commit.covered ?? [commit])
  // No block of the head has waited before: the rollback deleted those of an orphaned branch.
  if (!live) for (const span of covered) await deleteAwaitedKeys(tx, chainId, span)
  await insertAwaitedKeys(tx, chainId, commit.awaiting ?? [])
  await insertUnconfirmedDenials(tx, chainId, commit.denied ?? [])
  if (!live) {
    const cells = trades.map(({ blockNumber }) => cellOf(blockNumber))
    await touchCells(tx, chainId, cells, commit.toTime)
    await notify(tx, network.name)
  }
  await moveCounters(tx, network, mode, gone, added)
  if (covered.length > 0) await lockCoverage(tx, chainId)
  for (const span of covered) await coverRange(tx, network, span)
}

/** Locks the network's row, so that the block cannot be rolled back while its rows are written. */
async function fenceSkipped(
  tx: Db,
  network: NetworkKey,
  number: number,
  { epoch, hash }: SkippedCommit,
): Promise<void> {
  await fence(tx, network, epoch, 'shared')
  const stored = await readBlock(tx, network.chainId, number)
  if (stored?.hash !== hash) throw new BlockNotStored(network.name, number, hash)
}

/** Writes the rows of history. Checks first that they are needed: `coverRange` would detect this only at the end. */
async function copyUncovered(tx: Db, pool: ConnectionPool, network: NetworkKey, commit: RangeCommit): Promise<void> {
  const { from, to, trades } = commit
  if (await isCovered(tx, network.chainId, commit)) throw new RangeAlreadyCovered(network.name, from, to)
  const connection = await pool.connectionOf(tx)
  await copyTrades(tx, connection, network.chainId, trades)
}

/** Writes headers, pool state and the head, which only the follower writes. */
async function writeLive(tx: Db, network: NetworkKey, live: LiveCommit, fenced: Fenced): Promise<void> {
  const { chainId } = network
  const { blocks, poolStates, tickDeltas, rollbackTo } = live
  const rolledBack = rollbackTo !== null
  const changed = rolledBack || poolStates.length > 0 || tickDeltas.length > 0
  const revision = fenced.revision + (changed ? 1 : 0)
  const finalNumber = Math.max(live.finalNumber, fenced.finalNumber ?? 0)

  await checkLinks(tx, network, blocks, fenced)
  const along = [movedBlocks(chainId, blocks, finalNumber)]
  if (rolledBack) along.push(writtenRollback(chainId, fenced.reorgs + 1, rollbackTo))
  if (poolStates.length > 0) along.push(writtenPoolStates(chainId, revision, poolStates))
  if (tickDeltas.length > 0) along.push(addedTickDeltas(chainId, revision, tickDeltas))
  await moveHead(tx, network, { ...live, finalNumber }, { revision, rolledBack }, along)
}

/**
 * Checks that headers continue each other and what is stored. That is the last committed head or, if the head is
 * another block, the stored header below the first one.
 *
 * @throws BlocksNotLinked
 */
async function checkLinks(
  tx: Db,
  network: NetworkKey,
  blocks: readonly BlockHeader[],
  { head }: Fenced,
): Promise<void> {
  const first = blocks[0]
  if (first === undefined) return
  const below = first.number - 1
  let previous = head?.number === below ? head : await readBlock(tx, network.chainId, below)
  for (const block of blocks) {
    if (previous?.number === block.number - 1 && previous.hash !== block.parentHash) {
      throw new BlocksNotLinked(network.name, block.number, block.parentHash, previous.hash)
    }
    previous = block
  }
}

/** Throws if a commit contradicts itself, which is a mistake of the caller. */
function checkShape({ from, to, live, skipped, trades, covered, awaiting = [] }: RangeCommit): void {
  if (from < 0 || to < from - 1) throw new RangeError(`${from} to ${to} is not a range of blocks`)
  if (live && live.head.number !== to)
    throw new RangeError(`the head ${live.head.number} does not end the range at ${to}`)
  if (skipped && (live || from !== to)) throw new RangeError(`${from} to ${to} is not one skipped block`)
  if (covered?.some((span) => span.from < from || span.to > to || span.from > span.to)) {
    throw new RangeError(`the covered parts are not within ${from} to ${to}`)
  }
  const spans = covered ?? [{ from, to }]
  const isWithin = (number: number) => spans.some((span) => span.from <= number && number <= span.to)
  const outside = trades.find(({ blockNumber }) => !isWithin(blockNumber))
  if (outside) throw new RangeError(`a trade of block ${outside.blockNumber} is outside of ${from} to ${to}`)
  const odd = awaiting.find(({ number }) => number < from || number > to || isWithin(number))
  if (odd) throw new RangeError(`block ${odd.number} waits for keys, but is covered or outside of ${from} to ${to}`)
}
