import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import type { Tally } from './world/tally.ts'

const EMPTY = createHash('sha256').digest('hex')

/** A digest of each block's rows, like the one of the chain's tally. */
const ROWS = `
  SELECT block_number::int AS block, count(*)::int AS trades, encode(sha256(convert_to(string_agg(concat_ws(' ',
      transaction_index, extract(epoch FROM block_time)::bigint, encode(tx_hash, 'hex'), encode(trader, 'hex'),
      encode(sell_token, 'hex'), sell_native::text, sell_amount, encode(buy_token, 'hex'), buy_native::text, buy_amount,
      pool_key), E'\\n' ORDER BY transaction_index, position), 'UTF8')), 'hex') AS digest
  FROM swap WHERE chain_id = $1 GROUP BY block_number ORDER BY block_number`

/** Distinct traders, summed over the days. */
const TRADER_DAYS = 'SELECT coalesce(sum(addresses), 0)::int AS count FROM day_address_count'

/** Volumes and counts of the days, and the sums of the rows. */
const DAYS = `
  SELECT coalesce((SELECT sum(volume_usd) FROM day_total WHERE chain_id = $1), 0)::text AS total,
    coalesce((SELECT sum(volume_usd) FROM swap WHERE chain_id = $1), 0)::text AS rows,
    coalesce((SELECT sum(swaps) FROM day_total WHERE chain_id = $1), 0)::int AS swaps,
    (SELECT count(*)::int FROM swap WHERE chain_id = $1 AND volume_usd IS NOT NULL) AS priced`

/**
 * Compares every indexed row with the made chain.
 *
 * @param traderDaysBefore what the days counted of other chains' traders
 * @returns how many trades have a value
 * @throws if anything differs
 */
export async function verifyRows(
  client: Client,
  chainId: number,
  tally: Tally,
  traderDaysBefore: number,
): Promise<number> {
  const { rows } = await client.query<{ block: number; trades: number; digest: string }>(ROWS, [chainId])
  const found = new Map(rows.map(({ block, digest }) => [block, digest]))
  tally.rows.forEach((digest, block) => {
    // A block without trades has no rows.
    if ((found.get(block) ?? EMPTY) !== digest) throw new Error(`wrong rows of block ${block}`)
  })
  const trades = rows.reduce((sum, one) => sum + one.trades, 0)
  if (trades !== tally.trades) throw new Error(`${trades} rows, should be ${tally.trades}`)
  const traderDays = (await client.query<{ count: number }>(TRADER_DAYS)).rows[0]?.count
  if (traderDays !== tally.traderDays + traderDaysBefore) {
    throw new Error(`${traderDays} traders of days, should be ${tally.traderDays + traderDaysBefore}`)
  }
  const days = (await client.query<{ total: string; rows: string; swaps: number; priced: number }>(DAYS, [chainId]))
    .rows[0]
  if (days === undefined || days.total !== days.rows || days.swaps !== tally.trades) {
    throw new Error(`the days' totals do not equal the rows: ${JSON.stringify(days)}`)
  }
  // A tenth of the pools has no anchor.
  if (days.priced < tally.trades / 2) throw new Error(`only ${days.priced} of ${tally.trades} trades have a value`)
  return days.priced
}
