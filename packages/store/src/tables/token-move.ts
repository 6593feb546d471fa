import { type BlockRange, dateOfDay, type PricedTrade, type TokenMoveAt } from '@dexfeed/dex'
import type { ClientBase, PoolClient } from 'pg'
import { digitsOf } from '../hex.ts'
import { type TextRow, textRows } from '../read/read-session.ts'

const PAGE_ROWS = 20_000
/** How far block times may run against block numbers, in seconds. */
const MARGIN_S = 600

/** Writes which tokens the trades' transactions carried from pool to pool (token_move_pkey). */
export async function insertTokenMoves(tx: ClientBase, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  const rows = trades.flatMap((trade) => (trade.moves ?? []).map((move) => ({ ...trade, ...move })))
  if (rows.length === 0) return
  await tx.query(
    `INSERT INTO token_move (chain_id, block_number, transaction_index, token, block_time, trader, whole)
     SELECT $1, block, transaction, decode(token, 'hex'), to_timestamp(time), decode(trader, 'hex'), whole
     FROM unnest($2::bigint[], $3::int[], $4::text[], $5::float8[], $6::text[], $7::bool[])
       AS new (block, transaction, token, time, trader, whole)`,
    [
      chainId,
      rows.map(({ blockNumber }) => blockNumber),
      rows.map(({ transactionIndex }) => transactionIndex),
      rows.map(({ token }) => digitsOf(token)),
      rows.map(({ timestamp }) => timestamp),
      rows.map(({ trader }) => trader && digitsOf(trader)),
      rows.map(({ isWhole }) => isWhole),
    ],
  )
}

/** They go with the trades of the blocks above one, up to and with another where it is given (token_move_pkey). */
export async function deleteTokenMovesAbove(
  tx: ClientBase,
  chainId: number,
  block: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await tx.query('DELETE FROM token_move WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3', [
    chainId,
    block,
    upTo,
  ])
}

/** They go with the trades of the days (since 1970, UTC) before one. */
export async function deleteTokenMovesBefore(client: ClientBase, day: number): Promise<void> {
  await client.query(`DELETE FROM token_move WHERE block_time < $1::timestamp AT TIME ZONE 'UTC'`, [dateOfDay(day)])
}

/**
 * The moves of blocks of these ranges that are younger than a time (seconds), page by page (token_move_pkey, to begin
 * with from where token_move_time_idx finds the first of that time).
 */
export async function readTokenMoves(
  client: PoolClient,
  chainId: number,
  ranges: readonly BlockRange[],
  since: number,
  pageRows = PAGE_ROWS,
): Promise<TokenMoveAt[]> {
  const moves: TokenMoveAt[] = []
  const first = ranges.length === 0 ? null : await firstBlockSince(client, chainId, since - MARGIN_S)
  if (first === null) return moves
  for (const { from, to } of ranges) {
    let place: readonly [block: number, transaction: number, token: string] = [Math.max(from, first), -1, '\\x']
    for (let rows = pageRows; rows === pageRows && place[0] <= to; ) {
      const page = await textRows(
        client,
        `SELECT block_number, transaction_index, token, extract(epoch FROM block_time)::float8, trader, whole
         FROM token_move WHERE chain_id = $1 AND (block_number, transaction_index, token) > ($2, $3, $4::text::bytea)
           AND block_number <= $5 AND block_time > to_timestamp($6)
         ORDER BY block_number, transaction_index, token LIMIT ${pageRows}`,
        [chainId, ...place, to, since],
      )
      const last = page.at(-1)
      if (last) place = [Number(last[0]), Number(last[1]), last[2] ?? '']
      rows = page.length
      moves.push(...page.map(toMove))
    }
  }
  return moves
}

async function firstBlockSince(client: PoolClient, chainId: number, since: number): Promise<number | null> {
  const { rows } = await client.query<{ block: number }>(
    `SELECT block_number::float8 AS block FROM token_move WHERE chain_id = $1 AND block_time > to_timestamp($2)
     ORDER BY block_time, block_number LIMIT 1`,
    [chainId, since],
  )
  return rows[0]?.block ?? null
}

function toMove([block, transaction, token, time, trader, whole]: TextRow): TokenMoveAt {
  return {
    blockNumber: Number(block),
    transactionIndex: Number(transaction),
    token: `0x${token?.slice(2) ?? ''}`,
    timestamp: Number(time),
    trader: trader ? `0x${trader.slice(2)}` : null,
    isWhole: whole === 't',
  }
}
