import type { Token } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import { insertTokens } from '../commit/insert-tokens.ts'
import { lockDays, lockRows } from '../commit/transaction-locks.ts'
import { inTransaction } from '../transaction.ts'

/** By day since 1970, what the trades that got a value add to the day's total. */
interface Settled {
  day: number
  swaps: string
  flagged: string
  volume: string
}

/**
 * Stores tokens, and gives the trades that waited for their tokens the values that they wait for, days included, in one
 * transaction. A value whose token has no usable decimals is dropped: its trade is as if that had been known at first.
 *
 * @returns how many values still wait
 */
export async function settleAwaitedValues(pool: Pool, chainId: number, tokens: readonly Token[]): Promise<number> {
  if (tokens.length === 0 && (await countAwaited(pool, chainId)) === 0) return 0
  return inTransaction(pool, async (tx) => {
    await lockRows(tx, chainId, 'adding')
    await insertTokens(tx, chainId, tokens)
    if ((await countAwaited(tx, chainId)) === 0) return 0
    const settled = await settle(tx, chainId)
    await lockDays(
      tx,
      settled.map(({ day }) => day),
      'adding',
    )
    for (const total of settled) await addToDay(tx, chainId, total)
    return countAwaited(tx, chainId)
  })
}

async function countAwaited(tx: ClientBase | Pool, chainId: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM awaited_value WHERE chain_id = $1',
    [chainId],
  )
  return rows[0]?.count ?? 0
}

/** Ascending by day. By swap_pkey and token_pkey; a value whose trade is gone (its range was replaced) goes too. */
async function settle(tx: ClientBase, chainId: number): Promise<Settled[]> {
  const place = (a: string, b: string) =>
    `${a}.chain_id = ${b}.chain_id AND ${a}.block_number = ${b}.block_number AND ${a}.position = ${b}.position
       AND ${a}.transaction_index = ${b}.transaction_index AND ${a}.block_time = ${b}.block_time`
  const { rows } = await tx.query<Settled>(
    `WITH known AS (
       SELECT v.*, s.chain_id IS NOT NULL AND sell.decimals IS NOT NULL AND buy.decimals IS NOT NULL AS stateable
       FROM awaited_value v
       LEFT JOIN swap s ON ${place('s', 'v')}
       LEFT JOIN token sell ON sell.chain_id = s.chain_id AND sell.address = s.sell_token
       LEFT JOIN token buy ON buy.chain_id = s.chain_id AND buy.address = s.buy_token
       WHERE v.chain_id = $1 AND (s.chain_id IS NULL OR sell.chain_id IS NOT NULL AND buy.chain_id IS NOT NULL)
     ), gone AS (
       DELETE FROM awaited_value v USING known WHERE ${place('v', 'known')}
     ), valued AS (
       UPDATE swap s SET volume_usd = known.volume_usd, usd_source = known.usd_source, flags = known.flags
       FROM known WHERE known.stateable AND s.volume_usd IS NULL AND ${place('s', 'known')}
       RETURNING s.block_time, s.volume_usd, s.flags
     )
     SELECT floor(extract(epoch FROM block_time) / 86400)::int AS day, count(*) AS swaps,
       count(*) FILTER (WHERE flags <> 0) AS flagged, sum(volume_usd)::text AS volume
     FROM valued GROUP BY 1 ORDER BY 1`,
    [chainId],
  )
  return rows
}

async function addToDay(tx: ClientBase, chainId: number, { day, swaps, flagged, volume }: Settled): Promise<void> {
  await tx.query(
    `UPDATE day_total SET unpriced = unpriced - $3, flagged = flagged + $4, volume_usd = volume_usd + $5
     WHERE chain_id = $1 AND day = '1970-01-01'::date + $2::int`,
    [chainId, day, swaps, flagged, volume],
  )
}
