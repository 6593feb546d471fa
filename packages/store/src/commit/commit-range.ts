import type { ClientBase, Pool } from 'pg'
import { codeOf } from '../as-store-error.ts'
import { RangeAlreadyCovered } from '../store-error.ts'
import { insertTokenMoves } from '../tables/token-move.ts'
import { inTransaction } from '../transaction.ts'
import { addTickDeltas } from './add-tick-deltas.ts'
import { checkLinks } from './check-links.ts'
import { coverRange, isCovered } from './covered-ranges.ts'
import { type DayCounts, NO_COUNTS } from './day-counts.ts'
import { type Fenced, fence } from './fence.ts'
import { insertAwaitedValues } from './insert-awaited-values.ts'
import { insertBlocks } from './insert-blocks.ts'
import { insertPoolStates } from './insert-pool-states.ts'
import { insertPools } from './insert-pools.ts'
import { insertSwaps } from './insert-swaps.ts'
import { insertTokens } from './insert-tokens.ts'
import { withKeptTrades } from './kept-trades.ts'
import { moveCounters } from './move-counters.ts'
import { moveHead } from './move-head.ts'
import type { NetworkKey } from './network-key.ts'
import { notify } from './notify.ts'
import { pruneBlocksAndStates, prunePoolTicks } from './prune-final.ts'
import type { LiveCommit, RangeCommit } from './range-commit.ts'
import { takeBackAbove } from './take-back.ts'
import { type LockMode, lockRows } from './transaction-locks.ts'

const UNIQUE_VIOLATION = '23505'

/**
 * Commits a range as a whole: rows, counters, pool state and progress in one transaction.
 *
 * What several commits may wait for is taken in one order, so that no two wait for each other: the network's row (the
 * follower only), the network's rows, swaps, pools, tokens, the days' counters, covered ranges. A range that fills
 * history never takes the network's row, so the follower does not wait for its bulk.
 */
export async function commitRange(pool: Pool, network: NetworkKey, commit: RangeCommit): Promise<void> {
  checkShape(commit)
  try {
    await withKeptTrades(pool, commit.trades, (trades, added) =>
      inTransaction(pool, (tx) => write(tx, network, { ...commit, trades }, added)),
    )
  } catch (error) {
    // The same range committed by another at the same time: its rows were there before its covered range was seen.
    const duplicate = error instanceof Error && codeOf(error.cause) === UNIQUE_VIOLATION
    if (duplicate && (await isCovered(pool, network.chainId, commit))) {
      throw new RangeAlreadyCovered(network.name, commit.from, commit.to)
    }
    throw error
  }
}

async function write(tx: ClientBase, network: NetworkKey, commit: RangeCommit, added: DayCounts): Promise<void> {
  const { live, from, to, trades, pools, tokens } = commit
  const { chainId } = network
  const ancestor = live?.rollbackTo ?? null
  const mode: LockMode = ancestor === null ? 'adding' : 'taking back'

  const fenced = live && (await fence(tx, network, live.epoch))
  await lockRows(tx, chainId, mode)
  const gone = fenced && ancestor !== null ? await takeBackAbove(tx, network, ancestor, fenced) : NO_COUNTS
  if (to >= from && (await isCovered(tx, chainId, commit))) throw new RangeAlreadyCovered(network.name, from, to)

  await insertSwaps(tx, chainId, trades)
  await insertAwaitedValues(tx, chainId, trades)
  await insertTokenMoves(tx, chainId, trades)
  await insertPools(tx, chainId, pools)
  await insertTokens(tx, chainId, tokens)
  if (live && fenced) await writeLive(tx, network, live, fenced)
  await moveCounters(tx, chainId, mode, gone, added)
  if (to >= from) for (const span of commit.covered ?? [commit]) await coverRange(tx, network, span)
  await notify(tx, network.name)
}

/** Headers, pool state and the head, which only the follower writes. */
async function writeLive(tx: ClientBase, network: NetworkKey, live: LiveCommit, fenced: Fenced): Promise<void> {
  const { chainId } = network
  const { blocks, poolStates, tickDeltas, finalNumber, rollbackTo } = live
  const changed = rollbackTo !== null || poolStates.length > 0 || tickDeltas.length > 0
  const revision = fenced.revision + (changed ? 1 : 0)
  const final = Math.max(finalNumber, fenced.finalNumber ?? 0)

  await checkLinks(tx, network, blocks, fenced)
  await insertBlocks(tx, chainId, blocks)
  await insertPoolStates(tx, chainId, revision, poolStates)
  await addTickDeltas(tx, chainId, revision, tickDeltas)
  await pruneBlocksAndStates(
    tx,
    chainId,
    final,
    poolStates.map(({ pool }) => pool),
  )
  await prunePoolTicks(tx, chainId, final, tickDeltas)
  await moveHead(tx, chainId, live, revision)
}

/** A commit that contradicts itself is a mistake of the caller. */
function checkShape({ from, to, live, trades, covered }: RangeCommit): void {
  if (from < 0 || to < from - 1) throw new RangeError(`${from} to ${to} is no range of blocks`)
  if (live && live.head.number !== to)
    throw new RangeError(`the head ${live.head.number} does not end the range at ${to}`)
  if (covered?.some((span) => span.from < from || span.to > to || span.from > span.to)) {
    throw new RangeError(`what is covered is not within ${from} to ${to}`)
  }
  const spans = covered ?? [{ from, to }]
  const outside = trades.find(
    ({ blockNumber }) => !spans.some((span) => span.from <= blockNumber && blockNumber <= span.to),
  )
  if (outside) throw new RangeError(`a trade of block ${outside.blockNumber} is outside of ${from} to ${to}`)
}
