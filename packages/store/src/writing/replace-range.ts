import type { BlockRange, Pool, PoolAddress, PricedTrade, Token } from '@dexfeed/dex'
import type { ConnectionPool } from '../database/connection-pool.ts'
import type { Database } from '../database/database.ts'
import { lockCoverage, lockRows } from '../database/locks.ts'
import { notify } from '../database/notifications.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { RangeNotSettled } from '../store-error.ts'
import { insertAwaitedValues } from '../tables/awaited-value.ts'
import { isCoveredWhole, setEndTime } from '../tables/covered-range.ts'
import type { DayCounts } from '../tables/day-counts.ts'
import { writeInvalidated } from '../tables/invalidated-pool.ts'
import { type NetworkKey, readNetwork } from '../tables/network.ts'
import { touchBlocks } from '../tables/swap/list-cell.ts'
import { insertTokens } from '../tables/token.ts'
import { insertTokenMoves } from '../tables/token-move.ts'
import { insertFoundPools } from '../tables/unread-pool.ts'
import { deleteTrades, moveCounters, withKeptTrades } from './day-counters.ts'
import { copyTrades } from './roll-up-hops.ts'

/** The correct content of a range of final, covered blocks. */
export interface RangeReplacement extends BlockRange {
  trades: readonly PricedTrade[]
  /** May include pools and tokens that are already stored. */
  pools: readonly Pool[]
  tokens: readonly Token[]
  /** Times (seconds) of the blocks of the range at which a covered range begins or ends. */
  times: ReadonlyMap<number, number>
  /** Pools whose states the wrong rows changed: invalidated as of the last block. */
  invalidated?: readonly PoolAddress[]
}

/**
 * Replaces the rows of a range by the correct ones, with all counters of their days, in one transaction. Takes its
 * locks as a rollback does. Repeating it changes nothing.
 *
 * @throws RangeNotSettled; nothing is written then
 */
export async function replaceRange(
  database: Pick<Database, 'pool' | 'prisma'>,
  network: NetworkKey,
  replacement: RangeReplacement,
): Promise<void> {
  const { from, to } = replacement
  const outside = replacement.trades.find(({ blockNumber }) => blockNumber < from || blockNumber > to)
  if (outside) throw new RangeError(`a trade of block ${outside.blockNumber} is outside of ${from} to ${to}`)
  await withKeptTrades(database, replacement.trades, (trades, added) =>
    inTransaction(database, (tx) => write(tx, database.pool, network, { ...replacement, trades }, added)),
  )
}

async function write(
  tx: Db,
  pool: ConnectionPool,
  network: NetworkKey,
  { trades, pools, tokens, times, invalidated = [], ...range }: RangeReplacement,
  added: DayCounts,
): Promise<void> {
  const { chainId, name } = network
  await lockRows(tx, chainId, 'exclusive')
  if (!(await isSettled(tx, chainId, range))) throw new RangeNotSettled(name, range.from, range.to)
  const gone = await deleteTrades(tx, chainId, range)
  const connection = await pool.connectionOf(tx)
  await copyTrades(connection, chainId, trades)
  await insertAwaitedValues(tx, chainId, trades)
  await insertTokenMoves(tx, chainId, trades)
  await insertFoundPools(tx, chainId, pools)
  await insertTokens(tx, chainId, tokens)
  await moveCounters(tx, network, 'exclusive', gone, added)
  await lockCoverage(tx, chainId)
  for (const [number, time] of times) await setEndTime(tx, chainId, number, time)
  const blockNumber = range.to
  await writeInvalidated(
    tx,
    chainId,
    invalidated.map((pool) => ({ pool, blockNumber })),
  )
  await touchBlocks(tx, chainId, range)
  await notify(tx, name)
}

/** Does not lock the network's row: what is final stays final while the rows are locked. */
async function isSettled(tx: Db, chainId: number, range: BlockRange): Promise<boolean> {
  const finalNumber = (await readNetwork(tx, chainId))?.finalNumber ?? null
  return finalNumber !== null && range.to <= finalNumber && isCoveredWhole(tx, chainId, range)
}
