import { type BlockRange, type PricedTrade, startOfDay, type TokenMoveAt } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { Prisma, type TokenMove } from '../generated/client.ts'
import { byteaText, hexOf, json, readRows, type Stored, secondsOf, timeOf } from '../stored.ts'

const MARGIN_S = 600

export async function insertTokenMoves(tx: Db, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  const rows: Stored<TokenMove>[] = []
  for (const { blockNumber, transactionIndex, timestamp, trader, moves } of trades) {
    if (moves === undefined) continue
    const time = timeOf(timestamp).toISOString()
    const by = trader && byteaText(trader)
    // Written out, because spreading an object takes microseconds.
    for (const { token, isWhole } of moves) {
      rows.push({
        chain_id: chainId,
        block_number: blockNumber,
        transaction_index: transactionIndex,
        token: byteaText(token),
        block_time: time,
        trader: by,
        whole: isWhole,
      })
    }
  }
  if (rows.length === 0) return
  await tx.$executeRaw`INSERT INTO token_move SELECT * FROM json_populate_recordset(NULL::token_move, ${json(rows)})`
}

export async function deleteTokenMoves(tx: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await tx.tokenMove.deleteMany({ where: { chainId, blockNumber: { gte: from, lte: to } } })
}

export async function deleteTokenMovesBefore(db: Db, day: number): Promise<void> {
  await db.tokenMove.deleteMany({ where: { blockTime: { lt: timeOf(startOfDay(day)) } } })
}

export async function readTokenMoves(
  db: Db,
  chainId: number,
  { ranges, since, pageRows }: { ranges: readonly BlockRange[]; since: number; pageRows: number },
  take: (page: readonly TokenMoveAt[]) => void,
): Promise<void> {
  const first = ranges.length === 0 ? null : await firstBlockSince(db, chainId, since - MARGIN_S)
  if (first === null) return
  for (const { from, to } of ranges) {
    let place = Prisma.sql`${Math.max(from, first)}::bigint, -1, ''::bytea`
    for (let rows = pageRows; rows === pageRows; ) {
      const page = await readRows<Stored<TokenMove>>(
        db,
        Prisma.sql`SELECT * FROM token_move
          WHERE chain_id = ${chainId} AND (block_number, transaction_index, token) > (${place})
            AND block_number <= ${to} AND block_time > to_timestamp(${since})
          ORDER BY block_number, transaction_index, token LIMIT ${pageRows}`,
      )
      const last = page.at(-1)
      if (last) place = Prisma.sql`${last.block_number}::bigint, ${last.transaction_index}::int, ${last.token}::bytea`
      rows = page.length
      if (rows > 0) take(page.map(toMove))
    }
  }
}

async function firstBlockSince(db: Db, chainId: number, since: number): Promise<number | null> {
  const first = await db.tokenMove.findFirst({
    where: { chainId, blockTime: { gt: timeOf(since) } },
    orderBy: [{ blockTime: 'asc' }, { blockNumber: 'asc' }],
    select: { blockNumber: true },
  })
  return first === null ? null : Number(first.blockNumber)
}

function toMove(row: Stored<TokenMove>): TokenMoveAt {
  return {
    blockNumber: Number(row.block_number),
    transactionIndex: row.transaction_index,
    token: hexOf(row.token),
    timestamp: secondsOf(row.block_time),
    trader: row.trader === null ? null : hexOf(row.trader),
    isWhole: row.whole,
  }
}
