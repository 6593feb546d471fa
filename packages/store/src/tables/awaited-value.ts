import { type Address, type BlockRange, type PricedTrade, startOfDay, USD_SOURCES, usdText } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type AwaitedValue, Prisma } from '../generated/client.ts'
import { byteaText, hexOf, json, type Stored, timeOf } from '../stored.ts'
import { CELL_BLOCKS } from './swap/list-cell.ts'
import { GIVE_KNOWN_VALUES, samePlace } from './swap/swap.ts'

export async function insertAwaitedValues(tx: Db, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  const rows = trades.flatMap((trade): Stored<AwaitedValue>[] => {
    const { usdE8 = null, source = null, flags = 0 } = trade.awaited ?? {}
    if (usdE8 === null || source === null) return []
    const { blockNumber, transactionIndex, position, timestamp, sell, buy } = trade
    return [
      {
        chain_id: chainId,
        block_number: blockNumber,
        transaction_index: transactionIndex,
        position,
        block_time: timeOf(timestamp).toISOString(),
        volume_usd: usdText(usdE8),
        usd_source: USD_SOURCES.indexOf(source),
        flags,
        sell_token: byteaText(sell.token),
        buy_token: byteaText(buy.token),
      },
    ]
  })
  if (rows.length === 0) return
  await tx.$executeRaw`
    INSERT INTO awaited_value SELECT * FROM json_populate_recordset(NULL::awaited_value, ${json(rows)})
    ON CONFLICT (chain_id, block_number, transaction_index, position) DO UPDATE SET block_time = excluded.block_time,
      volume_usd = excluded.volume_usd, usd_source = excluded.usd_source, flags = excluded.flags,
      sell_token = excluded.sell_token, buy_token = excluded.buy_token`
}

export async function deleteAwaitedValues(tx: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await tx.awaitedValue.deleteMany({ where: { chainId, blockNumber: { gte: from, lte: to } } })
}

export async function deleteAwaitedValuesBefore(db: Db, day: number): Promise<void> {
  await db.awaitedValue.deleteMany({ where: { blockTime: { lt: timeOf(startOfDay(day)) } } })
}

function missingTokens(chainId: number): Prisma.Sql {
  return Prisma.sql`missing AS MATERIALIZED (
      SELECT address FROM (
        SELECT sell_token AS address FROM awaited_value WHERE chain_id = ${chainId}
        UNION SELECT buy_token FROM awaited_value WHERE chain_id = ${chainId}
      ) AS named
      WHERE NOT EXISTS (SELECT FROM token WHERE token.chain_id = ${chainId} AND token.address = named.address))`
}

const IS_KNOWN = Prisma.sql`sell_token NOT IN (SELECT address FROM missing) AND buy_token NOT IN (SELECT address FROM missing)`

export async function countAwaitedValues(db: Db, chainId: number): Promise<{ waiting: number; known: number }> {
  const [row] = await db.$queryRaw<{ waiting: number; known: number }[]>`
    WITH ${missingTokens(chainId)}
    SELECT count(*)::int AS waiting, (count(*) FILTER (WHERE ${IS_KNOWN}))::int AS known
    FROM awaited_value WHERE chain_id = ${chainId}`
  return row ?? { waiting: 0, known: 0 }
}

export async function readAwaitedTokens(db: Db, chainId: number): Promise<Address[]> {
  const rows = await db.$queryRaw<{ token: string }[]>`
    WITH ${missingTokens(chainId)} SELECT address::text AS token FROM missing`
  return rows.map(({ token }) => hexOf(token))
}

export interface SettledHour {
  hour: number
  swaps: number
  flagged: number
  /** In USD, exact. */
  volume: string
  cells: number[]
}

const MAX_VALUES = 1_000

export function knownValues(chainId: number): Prisma.Sql {
  // OFFSET 0 makes the planner look up each trade by its key, however many values wait.
  return Prisma.sql`
      WITH ${missingTokens(chainId)}, known AS (
        SELECT * FROM awaited_value WHERE chain_id = ${chainId} AND ${IS_KNOWN} LIMIT ${Prisma.raw(String(MAX_VALUES))}
      )
      SELECT v.*, s.flags AS flags_before, s.chain_id IS NOT NULL AND sell.decimals IS NOT NULL AND buy.decimals IS NOT NULL AS stateable
      FROM known AS v
      LEFT JOIN LATERAL (SELECT * FROM swap WHERE ${samePlace('swap', 'v')} OFFSET 0) s ON true
      LEFT JOIN token sell ON sell.chain_id = v.chain_id AND sell.address = v.sell_token
      LEFT JOIN token buy ON buy.chain_id = v.chain_id AND buy.address = v.buy_token`
}

/**
 * Moves values whose tokens are known into their trades. Drops a value if a token has no usable decimals or the trade
 * is gone. Returns what this adds to each hour, ascending.
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
