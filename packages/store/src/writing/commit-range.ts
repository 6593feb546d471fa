import type {
  BlockHeader,
  BlockPoint,
  CoveredRange,
  Hex,
  Pool,
  PoolCreation,
  PoolStateAt,
  PricedMove,
  PricedTrade,
  TickLiquidityAt,
  Token,
} from '@dexfeed/dex'
import type { ConnectionPool, Database } from '../database/database.ts'
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
import { insertLiquidity } from '../tables/liquidity-event.ts'
import { anchorsOf, type Fenced, fence, moveHead, type NetworkKey } from '../tables/network.ts'
import { writtenRollback } from '../tables/network-rollback.ts'
import { deletePools, insertPools } from '../tables/pool.ts'
import { deleteCreations, insertCreations } from '../tables/pool-creation.ts'
import { writtenPoolStates } from '../tables/pool-state.ts'
import { addedTickDeltas } from '../tables/pool-tick.ts'
import { cellOf, touchCells } from '../tables/swap/list-cell.ts'
import { insertSwaps } from '../tables/swap/swap.ts'
import { insertHops } from '../tables/swap/swap-hop.ts'
import { insertTokens } from '../tables/token.ts'
import { insertTokenMoves } from '../tables/token-move.ts'
import { insertFoundPools } from '../tables/unread-pool.ts'
import { checkLeftOut, type KeptTrades, moveCounters, withKeptTrades } from './day-counters.ts'
import { type JudgeAlerts, judgeAlerts } from './judge-alerts.ts'
import { rollBack } from './roll-back.ts'
import { copyTrades, mergeCandles } from './roll-up-hops.ts'

interface RangeRows {
  from: number
  to: number
  fromTime: number
  toTime: number
  denied?: readonly UnconfirmedDenial[]
  trades: readonly PricedTrade[]
  /** Their pools are among `pools`. */
  creations?: readonly PoolCreation[]
  moves?: readonly PricedMove[]
  pools: readonly Pool[]
  tokens: readonly Token[]
}

export interface HistoryCommit extends RangeRows {
  covered?: readonly CoveredRange[]
  awaiting?: readonly AwaitingBlock[]
}

/** Blocks that follow the head. With `to` = `from` - 1 and nothing else, the commit only rolls back. */
export interface HeadCommit extends HistoryCommit {
  live: LiveCommit
  judge?: JudgeAlerts | null
}

/** Rows of one block that the follower committed without rows, and that may still be orphaned. */
export interface SkippedCommit extends RangeRows {
  skipped: {
    epoch: number
    hash: Hex
    isProven: boolean
  }
  judge?: JudgeAlerts | null
}

export type RangeCommit = HeadCommit | HistoryCommit | SkippedCommit

export interface LiveCommit {
  epoch: number
  /** Last common block, above which everything is rolled back first; null without a rollback. */
  rollbackTo: number | null
  /** Headers for finding a common ancestor, ascending. Final headers are pruned, except the last one. */
  blocks: readonly BlockHeader[]
  head: BlockHeader
  /** A value below the stored final block is ignored. */
  finalNumber: number
  chainHead: BlockPoint
  isProven: boolean
  /** At most one state per pool and block. */
  poolStates: readonly PoolStateAt[]
  tickDeltas: readonly TickLiquidityAt[]
}

type Counted<Commit extends RangeRows> = Commit & Omit<KeptTrades, 'trades'>

const UNIQUE_VIOLATION = /^(23505|P2002)$/

/*
 * All commits lock in this order, so that no two wait for each other: the network's row (only the follower), the
 * network's rows, swaps, pools and their creations, tokens, alerts, cells of lists, the counters of traders, hours and
 * days, covered ranges; and last, for rows of complete days, the lake. What all commits of a network need comes last, so
 * that the head waits as briefly as possible for history. No commit waits for candles (docs/internals/candles.md).
 */

/** Throws LeaseLost, RangeAlreadyCovered, ReorgTooDeep or BlocksNotLinked without writing anything. */
export async function commitHead(database: Database, network: NetworkKey, commit: HeadCommit): Promise<void> {
  const { live, to, covered = [commit], awaiting = [] } = commit
  checkRange(commit, covered, awaiting)
  if (live.head.number !== to) throw new RangeError(`the head ${live.head.number} does not end the range at ${to}`)
  await inOneTransaction(database, network, commit, (tx, kept) => writeHead(tx, network, kept))
}

/** Commits final blocks. Throws RangeAlreadyCovered without writing anything except new pools and tokens. */
export async function commitHistory(database: Database, network: NetworkKey, commit: HistoryCommit): Promise<void> {
  checkRange(commit, commit.covered ?? [commit], commit.awaiting ?? [])
  await addFound(database, network, commit)
  await inOneTransaction(database, network, commit, async (tx, kept) => {
    await lockRows(tx, network.chainId, 'shared')
    await writeLate(tx, database.pool, network, kept)
  })
}

/** Throws LeaseLost, RangeAlreadyCovered or BlockNotStored without writing anything. */
export async function commitSkipped(database: Database, network: NetworkKey, commit: SkippedCommit): Promise<void> {
  const { from, to, skipped } = commit
  if (from !== to) throw new RangeError(`${from} to ${to} is not one skipped block`)
  checkRange(commit, [commit], [])
  await inOneTransaction(database, network, commit, async (tx, kept) => {
    await fenceSkipped(tx, network, from, skipped)
    await writeLate(tx, database.pool, network, kept)
    if (kept.judge) await judgeAlerts(tx, network, kept.judge)
  })
}

async function inOneTransaction<Commit extends RangeRows>(
  database: Database,
  network: NetworkKey,
  commit: Commit,
  write: (tx: Db, kept: Counted<Commit>) => Promise<void>,
): Promise<void> {
  const { from, to } = commit
  try {
    await withKeptTrades(database, commit.trades, (kept) =>
      inTransaction(database, (tx) => write(tx, { ...commit, ...kept })),
    )
  } catch (error) {
    // Another process committed the same range, and its rows became visible before its covered range.
    const duplicate = error instanceof Error && UNIQUE_VIOLATION.test(codeOf(error.cause) ?? '')
    if (duplicate && (await isCovered(database.prisma, network.chainId, { from, to }))) {
      throw new RangeAlreadyCovered(network.name, from, to)
    }
    throw error
  }
}

/**
 * Stores pools and tokens before their trades, so that commits with the same new pools, which are common at the
 * beginning of history, do not wait for these trades. The transaction of the trades stores them again, because a
 * rollback below the final block may delete them in between.
 */
async function addFound(
  database: Database,
  { chainId }: NetworkKey,
  { pools, tokens }: Pick<RangeRows, 'pools' | 'tokens'>,
): Promise<void> {
  if (pools.length === 0 && tokens.length === 0) return
  await inTransaction(database, async (tx) => {
    await lockRows(tx, chainId, 'shared')
    await insertFoundPools(tx, chainId, pools)
    await insertTokens(tx, chainId, tokens)
  })
}

async function writeHead(tx: Db, network: NetworkKey, commit: Counted<HeadCommit>): Promise<void> {
  const { live, trades, moves = [], added, creations = [], pools, tokens, awaiting = [], denied = [] } = commit
  const { chainId } = network
  const mode = live.rollbackTo === null ? 'shared' : 'exclusive'
  const fenced = await fence(tx, network, live.epoch, mode)
  await checkLeftOut(tx, commit.leftOut)
  const gone = live.rollbackTo === null ? NO_COUNTS : await rollBackHead(tx, network, live.rollbackTo, fenced)
  await insertSwaps(tx, chainId, trades)
  await insertHops(tx, chainId, trades)
  await mergeCandles(tx, chainId, trades, anchorsOf(fenced))
  await insertAwaitedValues(tx, chainId, trades)
  await insertTokenMoves(tx, chainId, trades)
  await insertLiquidity(tx, chainId, moves)
  await writeLive(tx, network, live, fenced)
  await insertPools(tx, chainId, pools)
  await insertCreations(tx, chainId, creations)
  await insertTokens(tx, chainId, tokens)
  // The rollback has deleted the awaited keys of an orphaned branch.
  await insertAwaitedKeys(tx, chainId, awaiting)
  await insertUnconfirmedDenials(tx, chainId, denied)
  if (commit.judge) await judgeAlerts(tx, network, commit.judge)
  await moveCounters(tx, network, mode, { gone, added })
  await cover(tx, network, commit)
}

/** Also deletes the pools that the orphaned blocks created. The follower has forgotten them, or never knew them. */
async function rollBackHead(
  tx: Db,
  network: NetworkKey,
  ancestor: number,
  { finalNumber }: Fenced,
): Promise<DayCounts> {
  const created = await deleteCreations(tx, network.chainId, { from: ancestor + 1 })
  const gone = await rollBack(tx, network, ancestor, finalNumber)
  // After the trades, because pools show which protocol loses them.
  if (created.length > 0) await deletePools(tx, network.chainId, created)
  return gone
}

async function writeLate(
  tx: Db,
  pool: ConnectionPool,
  network: NetworkKey,
  commit: Counted<HistoryCommit>,
): Promise<void> {
  const { from, to, toTime, trades, moves = [], added, creations = [], pools, tokens } = commit
  const { awaiting = [], denied = [], covered = [commit] } = commit
  const { chainId, name } = network
  await checkLeftOut(tx, commit.leftOut)
  // `coverRange` would detect this only at the end.
  if (await isCovered(tx, chainId, commit)) throw new RangeAlreadyCovered(name, from, to)
  await copyTrades(tx, await pool.connectionOf(tx), chainId, trades)
  await insertAwaitedValues(tx, chainId, trades)
  await insertTokenMoves(tx, chainId, trades)
  await insertLiquidity(tx, chainId, moves)
  await insertFoundPools(tx, chainId, pools)
  await insertCreations(tx, chainId, creations)
  await insertTokens(tx, chainId, tokens)
  for (const span of covered) await deleteAwaitedKeys(tx, chainId, span)
  await insertAwaitedKeys(tx, chainId, awaiting)
  await insertUnconfirmedDenials(tx, chainId, denied)
  const cells = [...trades, ...moves, ...creations].map(({ blockNumber }) => cellOf(blockNumber))
  await touchCells(tx, chainId, cells, toTime)
  await notify(tx, name)
  await moveCounters(tx, network, 'shared', { added })
  await cover(tx, network, commit)
}

async function cover(tx: Db, network: NetworkKey, commit: HistoryCommit): Promise<void> {
  const covered = commit.to < commit.from ? [] : (commit.covered ?? [commit])
  if (covered.length === 0) return
  await lockCoverage(tx, network.chainId)
  for (const span of covered) await coverRange(tx, network, span)
}

/** Keeps the block from being rolled back while its rows are written. */
async function fenceSkipped(
  tx: Db,
  network: NetworkKey,
  number: number,
  { epoch, hash }: SkippedCommit['skipped'],
): Promise<void> {
  await fence(tx, network, epoch, 'shared')
  const stored = await readBlock(tx, network.chainId, number)
  if (stored?.hash !== hash) throw new BlockNotStored(network.name, number, hash)
}

async function writeLive(tx: Db, network: NetworkKey, live: LiveCommit, fenced: Fenced): Promise<void> {
  const { chainId } = network
  const { blocks, poolStates, tickDeltas, rollbackTo } = live
  const rolledBack = rollbackTo !== null
  const changed = rolledBack || poolStates.length > 0 || tickDeltas.length > 0
  const revision = fenced.revision + (changed ? 1 : 0)
  const finalNumber = Math.max(live.finalNumber, fenced.finalNumber ?? live.finalNumber)

  await checkLinks(tx, network, blocks, fenced)
  const along = [movedBlocks(chainId, blocks, finalNumber)]
  if (rolledBack) along.push(writtenRollback(chainId, fenced.reorgs + 1, rollbackTo))
  if (poolStates.length > 0) along.push(writtenPoolStates(chainId, revision, poolStates))
  if (tickDeltas.length > 0) along.push(addedTickDeltas(chainId, revision, tickDeltas))
  await moveHead(tx, network, { ...live, finalNumber, revision, rolledBack }, along)
}

/**
 * Checks that the headers continue each other, and either the committed head or, if that is another block, the stored
 * header below the first one. Throws BlocksNotLinked.
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

function checkRange(
  { from, to, trades, moves = [] }: RangeRows,
  covered: readonly { from: number; to: number }[],
  awaiting: readonly AwaitingBlock[],
): void {
  if (from < 0 || to < from - 1) throw new RangeError(`${from} to ${to} is not a range of blocks`)
  const isEmpty = to < from
  if (!isEmpty && covered.some((span) => span.from < from || span.to > to || span.from > span.to)) {
    throw new RangeError(`the covered parts are not within ${from} to ${to}`)
  }
  const isWithin = (number: number) => covered.some((span) => span.from <= number && number <= span.to)
  const outside = [...trades, ...moves].find(({ blockNumber }) => !isWithin(blockNumber))
  if (outside) throw new RangeError(`a row of block ${outside.blockNumber} is outside of ${from} to ${to}`)
  const odd = awaiting.find(({ number }) => number < from || number > to || isWithin(number))
  if (odd) throw new RangeError(`block ${odd.number} waits for keys, but is covered or outside of ${from} to ${to}`)
}
