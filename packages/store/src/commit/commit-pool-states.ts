import type { Hex, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import { digitsOf } from '../hex.ts'
import { HeadMoved } from '../store-error.ts'
import { inTransaction } from '../transaction.ts'
import { fence } from './fence.ts'
import { insertPoolStates } from './insert-pool-states.ts'
import type { NetworkKey } from './network-key.ts'
import { notify } from './notify.ts'
import { tickColumns } from './tick-columns.ts'

/** Whole states of pools, all ticks included, as read from the chain at one block. */
export interface PoolSnapshots {
  /** Of the writer's lease. */
  epoch: number
  /** The block they were read at: the committed head. */
  headHash: Hex
  states: readonly PoolStateAt[]
  ticks: readonly TickLiquidityAt[]
}

/**
 * Commits snapshots of pools at the committed head. Ticks of these pools that the snapshot does not hold are no
 * longer initialised.
 *
 * @throws LeaseLost, HeadMoved
 */
export async function commitPoolStates(pool: Pool, network: NetworkKey, snapshots: PoolSnapshots): Promise<void> {
  const { epoch, headHash, states, ticks } = snapshots
  await inTransaction(pool, async (tx) => {
    const fenced = await fence(tx, network, epoch)
    if (fenced.headHash !== headHash) throw new HeadMoved(network.name, headHash, fenced.headHash)
    const revision = fenced.revision + 1
    await insertPoolStates(tx, network.chainId, revision, states)
    await clearTicks(tx, network.chainId, revision, states)
    await putTicks(tx, network.chainId, revision, ticks)
    await tx.query('UPDATE network SET revision = $2 WHERE chain_id = $1', [network.chainId, revision])
    await notify(tx, network.name)
  })
}

/** Writes "no longer initialised" for every tick of these pools that is. */
async function clearTicks(
  tx: ClientBase,
  chainId: number,
  revision: number,
  states: readonly PoolStateAt[],
): Promise<void> {
  await tx.query(
    `INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
     SELECT $1, $2, pool, newest.tick, snapshot.block_number, 0, 0
     FROM (SELECT decode(digits, 'hex') AS pool, block_number FROM unnest($3::text[], $4::bigint[]) AS t (digits, block_number))
       AS snapshot
     CROSS JOIN LATERAL (
       SELECT DISTINCT ON (tick) tick, gross FROM pool_tick
       WHERE chain_id = $1 AND pool = snapshot.pool ORDER BY tick, block_number DESC
     ) AS newest
     WHERE newest.gross > 0
     ON CONFLICT (chain_id, pool, tick, block_number)
       DO UPDATE SET revision = excluded.revision, gross = excluded.gross, net = excluded.net`,
    [chainId, revision, states.map((state) => digitsOf(state.pool)), states.map(({ blockNumber }) => blockNumber)],
  )
}

async function putTicks(
  tx: ClientBase,
  chainId: number,
  revision: number,
  ticks: readonly TickLiquidityAt[],
): Promise<void> {
  if (ticks.length === 0) return
  await tx.query(
    `INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
     SELECT $1, $2, decode(pool, 'hex'), tick, block_number, gross, net
     FROM unnest($3::text[], $4::int[], $5::bigint[], $6::numeric[], $7::numeric[])
       AS new (pool, tick, block_number, gross, net)
     ON CONFLICT (chain_id, pool, tick, block_number)
       DO UPDATE SET revision = excluded.revision, gross = excluded.gross, net = excluded.net`,
    [chainId, revision, ...tickColumns(ticks)],
  )
}
