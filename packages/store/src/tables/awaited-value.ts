import { type Address, type BlockRange, type PricedTrade, USD_SOURCES, usdText } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type AwaitedValue, Prisma } from '../generated/client.ts'
import { hexOf, json, type Stored, timeOf } from '../stored.ts'
import { CELL_BLOCKS } from './swap/list-cell.ts'
import { GIVE_KNOWN_VALUES, samePlace } from './swap/swap.ts'

// Every statement here uses awaited_value_pkey.

/** Writes the values of trades whose tokens are not known yet; there are rarely any. */
export async function insertAwaitedValues(tx: Db, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  const rows = trades.flatMap((trade): Stored<AwaitedValue>[] => {
    const { usdE8 = null, source = null, flags = 0 } = trade.awaited ?? {}
    if (usdE8 === null || source === null) return []
    const { blockNumber, transactionIndex, position, timestamp } = trade
    return [
      {
        ...{ chain_id: chainId, block_number: blockNumber, transaction_index: transactionIndex, position },
        ...{ block_time: timeOf(timestamp).toISOString(), volume_usd: usdText(usdE8) },
        ...{ usd_source: USD_SOURCES.indexOf(source), flags },
      },
    ]
  })
  if (rows.length === 0) return
  await tx.$executeRaw`
    INSERT INTO awaited_value SELECT * FROM json_populate_recordset(NULL::awaited_value, ${json(rows)})
    ON CONFLICT (chain_id, block_number, transaction_index, position) DO UPDATE SET block_time = excluded.block_time,
      volume_usd = excluded.volume_usd, usd_source = excluded.usd_source, flags = excluded.flags`
}

/** Deletes the values that wait for trades of these blocks. */
export async function deleteAwaitedValues(tx: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await tx.awaitedValue.deleteMany({ where: { chainId, blockNumber: { gte: from, lte: to } } })
}

export async function countAwaitedValues(db: Db, chainId: number): Promise<number> {
  return db.awaitedValue.count({ where: { chainId } })
}

/** Returns the tokens not stored yet, of trades whose values wait (swap_pkey, token_pkey). */
export async function readAwaitedTokens(db: Db, chainId: number): Promise<Address[]> {
  const rows = await db.$queryRaw<{ token: string }[]>`
    SELECT DISTINCT named::text AS token
    FROM awaited_value v JOIN LATERAL (SELECT * FROM swap WHERE ${samePlace('swap', 'v')} OFFSET 0) s ON true,
      unnest(ARRAY[s.sell_token, s.buy_token]) AS named
    WHERE v.chain_id = ${chainId}
      AND NOT EXISTS (SELECT FROM token WHERE token.chain_id = v.chain_id AND token.address = named)`
  return rows.map(({ token }) => hexOf(token))
}

/** What the trades of an hour that received a value add to the totals. */
export interface SettledHour {
  /** First second of the hour. */
  hour: number
  swaps: number
  /** Trades that the value flags, minus those that were flagged before they had one. */
  flagged: number
  /** USD, exact. */
  volume: string
  /** Cells of the lists of swaps that contain the trades. */
  cells: number[]
}

/** Values settled per call: for many more, Postgres prefers to scan all trades over looking each one up. */
const AT_ONCE = 1_000

/**
 * Selects awaited values that can be settled, a limited number per call: their trades' tokens are stored by now, or the
 * trade is gone (awaited_value_pkey, swap_pkey and token_pkey for each).
 */
export function knownValues(chainId: number): Prisma.Sql {
  // OFFSET 0 makes the planner look up each value by the key, however many wait.
  return Prisma.sql`
      SELECT v.*, s.flags AS flags_before, s.chain_id IS NOT NULL AND sell.decimals IS NOT NULL AND buy.decimals IS NOT NULL AS stateable
      FROM awaited_value v
      LEFT JOIN LATERAL (SELECT * FROM swap WHERE ${samePlace('swap', 'v')} OFFSET 0) s ON true
      LEFT JOIN token sell ON sell.chain_id = s.chain_id AND sell.address = s.sell_token
      LEFT JOIN token buy ON buy.chain_id = s.chain_id AND buy.address = s.buy_token
      WHERE v.chain_id = ${chainId} AND (s.chain_id IS NULL OR sell.chain_id IS NOT NULL AND buy.chain_id IS NOT NULL)
      LIMIT ${Prisma.raw(String(AT_ONCE))}`
}

/**
 * Moves the awaited values of trades whose tokens are stored by now into the trades (swap_pkey, token_pkey). A value is
 * dropped if its token has no usable decimals, or if its trade is gone.
 *
 * @returns what this adds to the hours, ascending
 */
export async function moveKnownValues(tx: Db, chainId: number): Promise<SettledHour[]> {
  return tx.$queryRaw<SettledHour[]>`
    WITH known AS (${knownValues(chainId)}
    ), gone AS (
      DELETE FROM awaited_value v USING known WHERE ${samePlace('v', 'known')}
    ), valued AS (
      ${GIVE_KNOWN_VALUES}
    )
    SELECT extract(epoch FROM date_trunc('hour', block_time))::float8 AS hour, count(*)::int AS swaps,
      (count(*) FILTER (WHERE flags <> 0) - count(*) FILTER (WHERE flags_before <> 0))::int AS flagged,
      sum(volume_usd)::text AS volume,
      array_agg(DISTINCT (block_number / ${CELL_BLOCKS}::bigint)::float8) AS cells
    FROM valued GROUP BY 1 ORDER BY 1`
}
