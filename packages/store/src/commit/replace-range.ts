import type { Pool as DexPool, PricedTrade, Token } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import { RangeNotSettled } from '../store-error.ts'
import { deleteTokenMovesAbove, insertTokenMoves } from '../tables/token-move.ts'
import { inTransaction } from '../transaction.ts'
import type { DayCounts } from './day-counts.ts'
import { deleteSwapsAbove } from './delete-swaps-above.ts'
import { insertAwaitedValues } from './insert-awaited-values.ts'
import { insertPools } from './insert-pools.ts'
import { insertSwaps } from './insert-swaps.ts'
import { insertTokens } from './insert-tokens.ts'
import { withKeptTrades } from './kept-trades.ts'
import { moveCounters } from './move-counters.ts'
import type { NetworkKey } from './network-key.ts'
import { notify } from './notify.ts'
import { lockCoverage, lockRows } from './transaction-locks.ts'

/** What a range of final, covered blocks should have been. */
export interface RangeReplacement {
  from: number
  to: number
  trades: readonly PricedTrade[]
  /** Those known already may be among them. */
  pools: readonly DexPool[]
  tokens: readonly Token[]
  /** Times (seconds) of those of these blocks at which a covered range begins or ends. */
  times: ReadonlyMap<number, number>
}

/**
 * Puts the right rows in the place of those of a range, with all that the days count, in one transaction. Takes its
 * locks as a commit does that takes rows back; doing it again changes nothing.
 *
 * @throws RangeNotSettled; nothing is written then
 */
export async function replaceRange(pool: Pool, network: NetworkKey, replacement: RangeReplacement): Promise<void> {
  const { from, to } = replacement
  const outside = replacement.trades.find(({ blockNumber }) => blockNumber < from || blockNumber > to)
  if (outside) throw new RangeError(`a trade of block ${outside.blockNumber} is outside of ${from} to ${to}`)
  await withKeptTrades(pool, replacement.trades, (trades, added) =>
    inTransaction(pool, (tx) => write(tx, network, { ...replacement, trades }, added)),
  )
}

async function write(
  tx: ClientBase,
  network: NetworkKey,
  { from, to, trades, pools, tokens, times }: RangeReplacement,
  added: DayCounts,
): Promise<void> {
  const { chainId } = network
  await lockRows(tx, chainId, 'taking back')
  if (!(await isSettled(tx, chainId, from, to))) throw new RangeNotSettled(network.name, from, to)
  const gone = await deleteSwapsAbove(tx, chainId, from - 1, to)
  await deleteTokenMovesAbove(tx, chainId, from - 1, to)
  await insertSwaps(tx, chainId, trades)
  await insertAwaitedValues(tx, chainId, trades)
  await insertTokenMoves(tx, chainId, trades)
  await insertPools(tx, chainId, pools)
  await insertTokens(tx, chainId, tokens)
  await moveCounters(tx, chainId, 'taking back', gone, added)
  await lockCoverage(tx, chainId)
  for (const [number, time] of times) await setEndTimes(tx, chainId, number, time)
  await notify(tx, network.name)
}

/** Without the network's row being locked: what is final stays so while rows are locked. */
async function isSettled(tx: ClientBase, chainId: number, from: number, to: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT FROM covered_range JOIN network USING (chain_id)
     WHERE chain_id = $1 AND from_block <= $2 AND to_block >= $3 AND final_number >= $3`,
    [chainId, from, to],
  )
  return rowCount === 1
}

async function setEndTimes(tx: ClientBase, chainId: number, number: number, time: number): Promise<void> {
  await tx.query(
    `UPDATE covered_range SET
       from_time = CASE WHEN from_block = $2 THEN to_timestamp($3) ELSE from_time END,
       to_time = CASE WHEN to_block = $2 THEN to_timestamp($3) ELSE to_time END
     WHERE chain_id = $1 AND (from_block = $2 OR to_block = $2)`,
    [chainId, number, time],
  )
}
