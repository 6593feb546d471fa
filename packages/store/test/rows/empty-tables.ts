import type { ClientBase, Pool } from 'pg'

/** Deletes every row of a test's database, which is faster than creating another database. */
export async function emptyTables(pool: Pool | ClientBase): Promise<void> {
  await pool.query(
    `TRUNCATE network, token, listed_symbol, pool, pool_creation, pool_state, pool_tick, unread_pool, invalidated_pool, pool_check, swap, swap_hop, pool_candle, token_volume, token_flow, hour_volume, day_total, day_trader,
       day_address_count, block, covered_range, backfill_rate, audit, kept_days, lake_day,
       awaited_value, token_move, liquidity_event, liquidity_hour, pool_hour, wash_day, pool_day_wash, key_search, pool_key, awaited_key, unconfirmed_denial,
       venue_coverage, unread_venue, list_cell, network_rollback, unknown_header, network_activity,
       alert`,
  )
}
