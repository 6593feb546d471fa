import type { Client } from 'pg'
import type { Tally } from './world/tally.ts'

const leading = (column: string) => `('x' || encode(substring(${column} FROM 1 FOR 6), 'hex'))::bit(48)::bigint`

/** What the tables hold of the chain, in the words of the tally. */
const SUMS = `
  SELECT count(*)::int AS trades, coalesce(sum(sell_amount), 0)::text AS sold, coalesce(sum(buy_amount), 0)::text AS bought,
    coalesce(sum(${leading('tx_hash')}), 0)::text AS hashes, coalesce(sum(${leading('trader')}), 0)::text AS traders,
    coalesce(sum(${leading('sell_token')} + ${leading('buy_token')}), 0)::text AS tokens,
    (SELECT coalesce(sum(addresses), 0)::int FROM day_address_count) AS "traderDays"
  FROM swap WHERE chain_id = $1`

/** Volumes and counts of the days, beside what the rows add up to. */
const DAYS = `
  SELECT coalesce((SELECT sum(volume_usd) FROM day_total WHERE chain_id = $1), 0)::text AS total,
    coalesce((SELECT sum(volume_usd) FROM swap WHERE chain_id = $1), 0)::text AS rows,
    coalesce((SELECT sum(swaps) FROM day_total WHERE chain_id = $1), 0)::int AS swaps,
    (SELECT count(*)::int FROM swap WHERE chain_id = $1 AND volume_usd IS NOT NULL) AS priced`

/**
 * Compares the indexed rows with what the chain's maker made.
 *
 * @param traderDaysBefore what the days counted of other chains' traders
 * @returns how many trades have a value
 * @throws where anything differs
 */
export async function verifyRows(
  client: Client,
  chainId: number,
  tally: Tally,
  traderDaysBefore: number,
): Promise<number> {
  const { rows } = await client.query<Omit<Tally, 'blocks' | 'swaps'>>(SUMS, [chainId])
  const found = rows[0]
  for (const [name, value] of Object.entries(found ?? {})) {
    const own = tally[name as keyof Tally]
    const expected = name === 'traderDays' ? tally.traderDays + traderDaysBefore : own
    if (value !== expected) throw new Error(`wrong rows: ${name} is ${value}, should be ${expected}`)
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
