import {
  type BlockRange,
  type CoveredRange,
  type Pool,
  type PoolAddress,
  type PoolCreation,
  type PricedMove,
  type PricedTrade,
  sharedRanges,
  type Token,
} from '@dexfeed/dex'
import type { ConnectionPool, Database } from '../database/database.ts'
import { lockCoverage, lockReplacement, lockRows } from '../database/locks.ts'
import { notify } from '../database/notifications.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { RangeNotSettled } from '../store-error.ts'
import { insertAwaitedValues } from '../tables/awaited-value.ts'
import { isCoveredWhole, readOldRanges, renewCoverage, setEndTime } from '../tables/covered-range.ts'
import { writeInvalidated } from '../tables/invalidated-pool.ts'
import { insertUnconfirmedDenials, type UnconfirmedDenial } from '../tables/keys/unconfirmed-denial.ts'
import { markLakeBlocks } from '../tables/lake-day.ts'
import { insertLiquidity } from '../tables/liquidity-event.ts'
import { type NetworkKey, readNetwork } from '../tables/network.ts'
import { deleteCreations, insertCreations } from '../tables/pool-creation.ts'
import { touchBlocks } from '../tables/swap/list-cell.ts'
import { insertTokens } from '../tables/token.ts'
import { insertTokenMoves } from '../tables/token-move.ts'
import { insertFoundPools } from '../tables/unread-pool.ts'
import type { HistoryCommit } from './commit-range.ts'
import { checkLeftOut, deleteTrades, type KeptTrades, moveCounters, withKeptTrades } from './day-counters.ts'
import { copyTrades } from './roll-up-hops.ts'

export interface RangeReplacement extends BlockRange {
  trades: readonly PricedTrade[]
  /** Their pools are among `pools`. */
  creations?: readonly PoolCreation[]
  moves?: readonly PricedMove[]
  pools: readonly Pool[]
  tokens: readonly Token[]
  /** Times (seconds) of blocks at which a covered range begins or ends. */
  times: ReadonlyMap<number, number>
  invalidated?: readonly PoolAddress[]
  denied?: readonly UnconfirmedDenial[]
  /** The whole range with its times. If set, the range is replaced only if older rules made rows in it. */
  renewed?: CoveredRange
}

/**
 * Takes the locks of a rollback, but first the lock on replacements, so that the head waits for at most one
 * replacement. Repeating it changes nothing. Throws RangeNotSettled without writing anything.
 */
export async function replaceRange(
  database: Database,
  network: NetworkKey,
  replacement: RangeReplacement,
): Promise<void> {
  const { from, to } = replacement
  const { trades, moves = [] } = replacement
  const outside = [...trades, ...moves].find(({ blockNumber }) => blockNumber < from || blockNumber > to)
  if (outside) throw new RangeError(`a row of block ${outside.blockNumber} is outside of ${from} to ${to}`)
  await withKeptTrades(database, trades, (kept) =>
    inTransaction(database, (tx) => write(tx, database.pool, network, { ...replacement, ...kept })),
  )
}

/** Replaces the covered parts one by one, and skips those that another process has renewed meanwhile. */
export async function renewRange(
  database: Database,
  network: NetworkKey,
  {
    from,
    to,
    fromTime,
    toTime,
    covered = [{ from, to, fromTime, toTime }],
    trades,
    creations = [],
    moves = [],
    ...found
  }: HistoryCommit,
): Promise<void> {
  for (const renewed of covered) {
    const isWithin = ({ blockNumber }: { blockNumber: number }) =>
      renewed.from <= blockNumber && blockNumber <= renewed.to
    const { pools, tokens, denied = [] } = found
    await replaceRange(database, network, {
      from: renewed.from,
      to: renewed.to,
      renewed,
      pools,
      tokens,
      denied,
      times: new Map(),
      trades: trades.filter(isWithin),
      moves: moves.filter(isWithin),
      creations: creations.filter(isWithin),
    })
  }
}

async function write(
  tx: Db,
  pool: ConnectionPool,
  network: NetworkKey,
  replacement: RangeReplacement & KeptTrades,
): Promise<void> {
  const { trades, moves = [], creations = [], added, leftOut, pools, tokens, times, renewed, ...rest } = replacement
  const { invalidated = [], denied = [], ...range } = rest
  const { chainId, name } = network
  await lockReplacement(tx, chainId)
  await lockRows(tx, chainId, 'exclusive')
  await checkLeftOut(tx, leftOut)
  if (!(await isSettled(tx, chainId, range))) throw new RangeNotSettled(name, range.from, range.to)
  if (renewed && sharedRanges(await readOldRanges(tx, chainId), renewed).length === 0) return
  const gone = await deleteTrades(tx, chainId, range)
  await copyTrades(tx, await pool.connectionOf(tx), chainId, trades)
  await insertAwaitedValues(tx, chainId, trades)
  await insertTokenMoves(tx, chainId, trades)
  await insertLiquidity(tx, chainId, moves)
  await deleteCreations(tx, chainId, range)
  await insertFoundPools(tx, chainId, pools)
  await insertCreations(tx, chainId, creations)
  await insertTokens(tx, chainId, tokens)
  await insertUnconfirmedDenials(tx, chainId, denied)
  await moveCounters(tx, network, 'exclusive', { gone, added })
  await lockCoverage(tx, chainId)
  if (renewed) await renewCoverage(tx, chainId, renewed)
  for (const [number, time] of times) await setEndTime(tx, chainId, number, time)
  await markLakeBlocks(tx, chainId, range)
  const findings = invalidated.map((pool) => ({ pool, blockNumber: range.to }))
  await writeInvalidated(tx, chainId, findings)
  await touchBlocks(tx, chainId, range, renewed?.toTime ?? null)
  await notify(tx, name)
}

/** Final blocks stay final while the rows are locked, so the network's row needs no lock. */
async function isSettled(tx: Db, chainId: number, range: BlockRange): Promise<boolean> {
  const finalNumber = (await readNetwork(tx, chainId))?.finalNumber ?? null
  return finalNumber !== null && range.to <= finalNumber && isCoveredWhole(tx, chainId, range)
}
