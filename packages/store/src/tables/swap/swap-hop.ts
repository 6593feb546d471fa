import type { BlockRange, PricedTrade } from '@dexfeed/dex'
import { usdText } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type SwapHop } from '../../generated/client.ts'
import { byteaText, json, type Stored, timeTexts } from '../../stored.ts'
import { copiedBytea, copyRows, NULL } from './copy-rows.ts'
import { poolKey } from './pool-key.ts'

// What went through the pools, a row a hop of a trade: volume and prices of pools, and which trades a pool had. In a
// partition per UTC day, with the trades' own (day-partition.ts).

/** The rows of the trades' hops. */
function* hopRows(chainId: number, trades: readonly PricedTrade[]): Generator<Stored<SwapHop>, undefined> {
  const textOf = timeTexts()
  for (const { blockNumber, transactionIndex, position, timestamp, hops, hopsUsdE8 } of trades) {
    const time = textOf(timestamp)
    for (const [index, { pool, logIndex, tokenIn, amountIn, tokenOut, amountOut }] of hops.entries()) {
      const usdE8 = hopsUsdE8[index] ?? null
      yield {
        chain_id: chainId,
        block_number: blockNumber,
        transaction_index: transactionIndex,
        log_index: logIndex,
        position,
        block_time: time,
        pool_key: poolKey(pool.address),
        token_in: byteaText(tokenIn),
        amount_in: String(amountIn),
        token_out: byteaText(tokenOut),
        amount_out: String(amountOut),
        volume_usd: usdE8 === null ? null : usdText(usdE8),
      }
    }
  }
}

/** Writes the hops of a network's trades. */
export async function insertHops(tx: Db, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  const rows = [...hopRows(chainId, trades)]
  if (rows.length === 0) return
  const columns = Prisma.raw(Object.keys(rows[0] ?? {}).join())
  await tx.$executeRaw`
    INSERT INTO swap_hop (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::swap_hop, ${json(rows)})`
}

/** The columns in the order of `line`. */
const COLUMNS = [
  ...(['chain_id', 'block_number', 'transaction_index', 'log_index', 'position', 'block_time', 'pool_key'] as const),
  ...(['token_in', 'amount_in', 'token_out', 'amount_out', 'volume_usd'] as const),
] satisfies (keyof Stored<SwapHop>)[]

/** Does not compile while a column of the table is missing above. */
type Missing = Exclude<keyof Stored<SwapHop>, (typeof COLUMNS)[number]>
const COPY = `COPY swap_hop (${COLUMNS.join()}) FROM STDIN` satisfies [Missing] extends [never] ? string : never

/** The same by COPY, over the connection of the transaction. */
export async function copyHops(connection: ClientBase, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  if (trades.length > 0) await copyRows(connection, COPY, hopRows(chainId, trades), line)
}

function line(row: Stored<SwapHop>): string {
  return (
    `${row.chain_id}\t${row.block_number}\t${row.transaction_index}\t${row.log_index}\t${row.position}\t` +
    `${row.block_time}\t${row.pool_key}\t${copiedBytea(row.token_in)}\t${row.amount_in}\t` +
    `${copiedBytea(row.token_out)}\t${row.amount_out}\t${row.volume_usd ?? NULL}\n`
  )
}

/** Deletes the hops of a network's trades of a range of blocks (swap_hop_pkey of each partition). */
export async function deleteHops(tx: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await tx.swapHop.deleteMany({ where: { chainId, blockNumber: { gte: from, lte: to } } })
}
