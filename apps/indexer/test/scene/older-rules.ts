import { dayOf, type NetworkName } from '@dexfeed/dex'
import { connectTo } from '@dexfeed/test-setup'
import { openStore } from './open-store.ts'

/** Leaves what an older version could have left: other values and flags, missing rows, and extra rows. */
const STATEMENTS = [
  'UPDATE swap SET volume_usd = volume_usd * 3, hop_log_index = NULL, parts = 0 WHERE block_number % 3 = 0',
  'UPDATE swap_hop SET volume_usd = volume_usd * 3 WHERE block_number % 3 = 0',
  'DELETE FROM swap WHERE block_number % 7 = 1',
  'DELETE FROM swap_hop WHERE block_number % 7 = 1',
  `INSERT INTO swap SELECT chain_id, block_number, transaction_index, position + 50, block_time, tx_hash,
     '\\x00000000000000000000000000000000000000aa', sell_token, sell_native, sell_amount, buy_token, buy_native, buy_amount,
     volume_usd, usd_source, flags FROM swap WHERE block_number % 11 = 2`,
  'UPDATE covered_range SET rules = 0',
]

/** Changes a database's rows, and the counters of rows, as if an older version had made them by other rules. */
export async function byOlderRules(databaseUrl: string, network: NetworkName): Promise<void> {
  const client = await connectTo(databaseUrl)
  for (const statement of STATEMENTS) await client.query(statement)
  const { rows } = await client.query<{ time: number }>(
    "SELECT DISTINCT extract(epoch FROM date_trunc('day', block_time AT TIME ZONE 'UTC'))::int AS time FROM swap",
  )
  const { store } = await openStore(databaseUrl, network)
  for (const { time } of rows) await store.recountDay(dayOf(time))
}
