import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from './bench-database.ts'

const DAYS = 7
const DAY_S = 86_400
/** Another network than the one that is indexed: BNB Chain. */
const CHAIN_ID = 56
const TRADES_PER_TRADER = 20
const BLOCK_TRADES = 200

/**
 * Fills the tables with a week of another network's trades and traders. The server makes them day by day, each in its
 * partition before that is attached.
 */
export async function preloadRows(
  databaseUrl: string,
  { rows, lastDay }: { rows: number; lastDay: number },
  shutdown: Pick<Shutdown, 'signal'>,
): Promise<void> {
  const perDay = Math.ceil(rows / DAYS)
  await withClient(databaseUrl, shutdown, async (client) => {
    for (let i = 0; i < DAYS; i++) await fillDay(client, lastDay - (DAYS - 1 - i) * DAY_S, perDay, i)
    await client.query('VACUUM ANALYZE')
  })
}

async function fillDay(client: Client, start: number, trades: number, index: number): Promise<void> {
  const date = new Date(start * 1000).toISOString().slice(0, 10)
  const next = new Date((start + DAY_S) * 1000).toISOString().slice(0, 10)
  const suffix = date.replaceAll('-', '')
  const traders = Math.ceil(trades / TRADES_PER_TRADER)
  // Names, bounds and keys are those of the store.
  await client.query(`
    CREATE TABLE swap_${suffix} (LIKE swap INCLUDING ALL);
    INSERT INTO swap_${suffix} (chain_id, block_number, transaction_index, position, block_time, tx_hash, trader,
      sell_token, sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags)
    SELECT ${CHAIN_ID}, ${index * trades} + i / ${BLOCK_TRADES}, i % ${BLOCK_TRADES}, 0,
      to_timestamp(${start} + i::bigint * ${DAY_S} / ${trades}), sha256(int8send(i::bigint)),
      ${traderOf(`i % ${traders}`)}, ${tokenOf('i % 400')}, false, 1000000000000000000 + i,
      ${tokenOf('(i + 1) % 400')}, false, 2500000000 + i, ((i % 1000000) + 0.12345678)::numeric(20, 8), 0, 0
    FROM generate_series(0, ${trades - 1}) AS i;
    ALTER TABLE swap_${suffix} ADD PRIMARY KEY (chain_id, block_number, transaction_index, position);
    CREATE INDEX swap_${suffix}_trader_idx ON swap_${suffix} (trader);
    CREATE INDEX swap_${suffix}_tx_idx ON swap_${suffix} (substring(tx_hash from 1 for 4));
    ALTER TABLE swap ATTACH PARTITION swap_${suffix} FOR VALUES FROM (to_timestamp(${start})) TO (to_timestamp(${start + DAY_S}));
    CREATE TABLE day_trader_${suffix} (LIKE day_trader INCLUDING ALL);
    INSERT INTO day_trader_${suffix} (day, trader, networks)
    SELECT '${date}', ${traderOf('i')}, 2 FROM generate_series(0, ${traders - 1}) AS i;
    ALTER TABLE day_trader ATTACH PARTITION day_trader_${suffix} FOR VALUES FROM ('${date}') TO ('${next}');
    INSERT INTO day_address_count (day, networks, addresses) VALUES ('${date}', 2, ${traders});
    INSERT INTO day_total (day, chain_id, swaps, unpriced, flagged, volume_usd)
    SELECT '${date}', ${CHAIN_ID}, count(*), 0, 0, sum(volume_usd) FROM swap_${suffix}`)
}

/** Returns SQL for an address; like real ones they have no order. */
function traderOf(index: string): string {
  return `substring(sha256(int8send((${index})::bigint)) FROM 1 FOR 20)`
}

function tokenOf(index: string): string {
  return `substring(sha256(int4send(${index})) FROM 1 FOR 20)`
}
