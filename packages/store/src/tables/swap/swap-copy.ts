import type { PricedTrade } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Swap } from '../../generated/client.ts'
import type { Stored } from '../../stored.ts'
import { copiedBytea as bytea, copyRows, NULL } from './copy-rows.ts'
import { swapRows } from './swap.ts'

/** The columns in the order of `line`. */
const COLUMNS = [
  ...(['chain_id', 'block_number', 'transaction_index', 'position', 'block_time', 'tx_hash', 'trader'] as const),
  ...(['sell_token', 'sell_native', 'sell_amount', 'buy_token', 'buy_native', 'buy_amount'] as const),
  ...(['volume_usd', 'usd_source', 'flags', 'settled_for', 'pool_key'] as const),
] satisfies (keyof Stored<Swap>)[]

/** Does not compile while a column of the table is missing above. */
type Missing = Exclude<keyof Stored<Swap>, (typeof COLUMNS)[number]>
const COPY = `COPY swap (${COLUMNS.join()}) FROM STDIN` satisfies [Missing] extends [never] ? string : never

/** Writes a network's trades by COPY. `connection` is that of the transaction. */
export async function copySwaps(
  connection: ClientBase,
  chainId: number,
  trades: readonly PricedTrade[],
): Promise<void> {
  if (trades.length > 0) await copyRows(connection, COPY, swapRows(chainId, trades), line)
}

/** One line of COPY's text format, written out: joining a list of the values takes twice the time. */
function line(row: Stored<Swap>): string {
  return (
    `${row.chain_id}\t${row.block_number}\t${row.transaction_index}\t${row.position}\t${row.block_time}\t` +
    `${bytea(row.tx_hash)}\t${bytea(row.trader)}\t${bytea(row.sell_token)}\t${row.sell_native}\t${row.sell_amount}\t` +
    `${bytea(row.buy_token)}\t${row.buy_native}\t${row.buy_amount}\t${row.volume_usd ?? NULL}\t` +
    `${row.usd_source ?? NULL}\t${row.flags}\t${bytea(row.settled_for)}\t${row.pool_key ?? NULL}\n`
  )
}
