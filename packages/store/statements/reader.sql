-- networks

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT chain_id, blocks_per_s::float8 AS blocks_per_s FROM backfill_rate
WHERE measured_at > now() - interval '1 minute') AS r),$4::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT chain_id, count(*)::int AS pools, min(place) AS first FROM unread_pool WHERE place > $5 GROUP BY 1) AS r),$6::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM unknown_header) AS r))::text AS found;

-- awaitedKeys

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT chain_id, (SELECT count(DISTINCT pool)::int FROM awaited_key AS one WHERE one.chain_id = block.chain_id)
  AS pools, json_agg(json_build_array(block_number, since) ORDER BY block_number) AS blocks
FROM (SELECT chain_id, block_number, min(since) AS since FROM awaited_key GROUP BY 1, 2) AS block GROUP BY 1) AS r))::text AS found;

-- activity

SELECT chain_id AS "chainId", endpoints, queue FROM network_activity WHERE reported_at > now() - interval '1 minute';

-- unindexedDates

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT to_date(right(relname, 8), 'YYYYMMDD') - DATE '1970-01-01' AS day, relname::text AS table,
  pg_stat_get_tuples_inserted(pg_class.oid)::float8 AS received,
  ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = pg_class.oid AND indisvalid) AS indexes
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
WHERE inhparent = 'swap'::regclass AND NOT inhdetachpending ORDER BY relname DESC) AS r))::text AS found;

-- venueCoverage

SELECT "public"."unread_venue"."chain_id", "public"."unread_venue"."emitter", "public"."unread_venue"."topic", "public"."unread_venue"."receipts" FROM "public"."unread_venue" WHERE 1=1 ORDER BY "public"."unread_venue"."receipts" DESC, "public"."unread_venue"."emitter" ASC, "public"."unread_venue"."topic" ASC OFFSET $1;

SELECT "public"."venue_coverage"."chain_id", "public"."venue_coverage"."receipts", "public"."venue_coverage"."unread" FROM "public"."venue_coverage" WHERE 1=1 OFFSET $1;

-- keptSince

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT since FROM kept_days) AS r))::text AS found;

-- past

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT since FROM kept_days) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT version FROM (
SELECT chain_id, day - DATE '1970-01-01' AS day, version FROM (
  SELECT l.*, since, (row_number() OVER (PARTITION BY chain_id ORDER BY l.day DESC))::int AS age
  FROM lake_day l JOIN kept_days ON l.day < since WHERE l.is_written AND NOT l.is_changed
) AS written WHERE day = since - age ORDER BY chain_id, day) AS before WHERE chain_id = $3 ORDER BY day) AS r))::text AS found;

-- revision

SELECT pg_current_snapshot()::text AS revision;

-- listen

-- tokens

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT address, symbol, name, decimals FROM token WHERE chain_id = $2 AND address IN (SELECT unnest($3::text[]::bytea[]))) AS r))::text AS found;

-- symbol

SELECT "public"."listed_symbol"."chain_id", "public"."listed_symbol"."symbol", "public"."listed_symbol"."address" FROM "public"."listed_symbol" WHERE ("public"."listed_symbol"."chain_id" = $1 AND "public"."listed_symbol"."symbol" = $2) ORDER BY "public"."listed_symbol"."address" ASC OFFSET $3;

-- findTokens

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT chain_id, address, symbol, name, decimals, supply::text, EXISTS (SELECT FROM listed_symbol AS listed
WHERE listed.chain_id = token.chain_id AND listed.address = token.address) AS listed FROM ((SELECT * FROM token WHERE chain_id = $4 AND (lower(symbol) COLLATE "C" >= lower($5) AND lower(symbol) COLLATE "C" < lower($6) || chr(1114111)) OFFSET 0) UNION (SELECT * FROM token WHERE chain_id = $7 AND (lower(name) COLLATE "C" >= lower($8) AND lower(name) COLLATE "C" < lower($9) || chr(1114111)) OFFSET 0)) AS token WHERE chain_id = $10 AND true
ORDER BY address ASC LIMIT $11) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT chain_id, address, symbol, name, decimals, supply::text, EXISTS (SELECT FROM listed_symbol AS listed
WHERE listed.chain_id = token.chain_id AND listed.address = token.address) AS listed FROM token WHERE chain_id = $4 AND true
ORDER BY address ASC LIMIT $5) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT chain_id, address, symbol, name, decimals, supply::text, EXISTS (SELECT FROM listed_symbol AS listed
WHERE listed.chain_id = token.chain_id AND listed.address = token.address) AS listed FROM token WHERE chain_id = $4 AND true AND address = $5::bytea
ORDER BY address ASC LIMIT $6) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT chain_id, address, symbol, name, decimals, supply::text, EXISTS (SELECT FROM listed_symbol AS listed
WHERE listed.chain_id = token.chain_id AND listed.address = token.address) AS listed FROM token WHERE chain_id = $4 AND true AND address IN (SELECT unnest($5::text[]::bytea[]))
ORDER BY address ASC LIMIT $6) AS r))::text AS found;

-- findPools

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM ((SELECT * FROM pool WHERE chain_id = $4 AND true AND token0 = $5::bytea AND token1 = $6::bytea ORDER BY address ASC LIMIT $7) UNION (SELECT * FROM pool WHERE chain_id = $8 AND true AND token0 = $9::bytea AND token1 = $10::bytea ORDER BY address ASC LIMIT $11) UNION (SELECT * FROM pool WHERE chain_id = $12 AND true AND cardinality(coins) + cardinality(underlying) > 0
AND (coins || underlying) && $13::text[]::bytea[] AND (coins || underlying) && $14::text[]::bytea[] ORDER BY address ASC LIMIT $15)) AS found ORDER BY address ASC LIMIT $16) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM ((SELECT * FROM pool WHERE chain_id = $4 AND true AND token0 = $5::bytea ORDER BY address ASC LIMIT $6) UNION (SELECT * FROM pool WHERE chain_id = $7 AND true AND token1 = $8::bytea ORDER BY address ASC LIMIT $9) UNION (SELECT * FROM pool WHERE chain_id = $10 AND true AND cardinality(coins) + cardinality(underlying) > 0
AND (coins || underlying) && $11::text[]::bytea[] ORDER BY address ASC LIMIT $12)) AS found ORDER BY address ASC LIMIT $13) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool WHERE chain_id = $4 AND true AND address = $5::bytea AND true ORDER BY address ASC LIMIT $6) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool WHERE chain_id = $4 AND true AND dex = $5 AND true ORDER BY address ASC LIMIT $6) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool WHERE chain_id = $4 AND true AND true ORDER BY address ASC LIMIT $5) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool, block_number FROM invalidated_pool
  WHERE chain_id = $2 AND trusted_from IS NULL) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT ON (pool) pool, block_number, reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text,
fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until FROM pool_state
  WHERE chain_id = $4 AND pool IN (SELECT unnest($5::text[]::bytea[]))  ORDER BY pool, block_number DESC) AS r),$6::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool_creation WHERE chain_id = $7 AND pool IN (SELECT unnest($8::text[]::bytea[]))) AS r))::text AS found;

-- tokenCounts

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT chain_id, count(*)::float8 AS tokens FROM token GROUP BY 1) AS r))::text AS found;

-- protocols

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT chain_id AS "chainId", dex, count(*)::float8 AS pools FROM pool GROUP BY 1, 2 ORDER BY 1, 2) AS r))::text AS found;

-- market

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT address FROM listed_symbol WHERE chain_id = $4) AS r),$5::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool, block_number FROM invalidated_pool
WHERE chain_id = $6 AND trusted_from IS NULL) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool, json_agg(tick) AS ticks, json_agg(block_number) AS blocks, json_agg(gross) AS grosses,
  json_agg(net) AS nets
FROM (SELECT DISTINCT ON (pool, tick) pool, tick, block_number, gross::text, net::text FROM pool_tick
  WHERE chain_id = $2 AND (pool, tick) > ('', 0)
  ORDER BY pool, tick, block_number DESC LIMIT $3) AS page
GROUP BY pool ORDER BY pool) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT state.*, stored.* FROM (
    SELECT * FROM (SELECT DISTINCT ON (pool) pool, block_number, reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text,
fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until FROM pool_state
      WHERE chain_id = $2 AND pool > $3::bytea
      ORDER BY pool, block_number DESC) AS newest
    WHERE block_number >= $4 ORDER BY pool LIMIT $5
  ) AS state, LATERAL (SELECT token0, token1, fee, tick_spacing, coins::text[], dex FROM pool
  WHERE chain_id = $6 AND address = state.pool OFFSET 0) AS stored ORDER BY pool) AS r))::text AS found;

-- marketChanges

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT address FROM listed_symbol WHERE chain_id = $4) AS r),$5::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool, block_number FROM invalidated_pool
  WHERE chain_id = $6 AND trusted_from IS NULL) AS r),$7::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT ON (pool) pool, block_number, reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text,
fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until
  FROM (SELECT * FROM pool_state WHERE chain_id = $8 AND revision > $9 OFFSET 0) AS changed
  WHERE pool > $10::bytea ORDER BY pool, block_number DESC LIMIT $11) AS r),$12::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT ON (pool, tick) pool, tick, block_number, gross::text, net::text
  FROM (SELECT * FROM pool_tick WHERE chain_id = $13 AND revision > $14 OFFSET 0) AS changed
  WHERE (pool, tick) > ('', 0) ORDER BY pool, tick, block_number DESC LIMIT $15) AS r))::text AS found;

-- tokenMoves

SELECT "public"."token_move"."chain_id", "public"."token_move"."block_number", "public"."token_move"."transaction_index", "public"."token_move"."token" FROM "public"."token_move" WHERE ("public"."token_move"."chain_id" = $1 AND "public"."token_move"."block_time" > $2) ORDER BY "public"."token_move"."block_time" ASC, "public"."token_move"."block_number" ASC LIMIT $3 OFFSET $4;

-- pools

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool WHERE chain_id = $2 AND address IN (SELECT unnest($3::text[]::bytea[]))) AS r))::text AS found;

-- unreadPools

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool.* FROM (
  SELECT pool FROM unread_pool WHERE chain_id = $2
  UNION SELECT pool FROM (SELECT pool, block_number FROM invalidated_pool
WHERE chain_id = $3 AND trusted_from IS NULL) AS invalidated
) AS unread JOIN pool ON pool.chain_id = $4 AND pool.address = unread.pool) AS r))::text AS found;

-- dayVolumes

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT t.day, round(sum(t.volume_usd), 8)::text AS volume, sum(t.unpriced)::float8 AS unpriced,
  sum(t.flagged)::float8 AS flagged
FROM day_total t JOIN network n USING (chain_id)
WHERE n.active AND t.day BETWEEN $4::date - ($5::int - 1) AND $6::date
GROUP BY t.day) AS r),$7::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT day, sum(addresses)::float8 AS addresses FROM day_address_count
WHERE day BETWEEN $8::date - ($9::int - 1) AND $10::date
  AND networks & (SELECT coalesce(sum(bit), 0)::int FROM network JOIN (VALUES (1, 1),(56, 2),(137, 4)) AS bits (chain_id, bit) USING (chain_id) WHERE active) <> 0
GROUP BY day) AS r),$11::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT w.day, n.name AS network, round(w.volume_usd, 8)::text AS "volumeUsd",
  round(w.flagged_volume_usd, 8)::text AS "flaggedVolumeUsd", w.flagged_pools AS "flaggedPools"
FROM wash_day w JOIN network n USING (chain_id)
WHERE n.active AND w.day BETWEEN $12::date - ($13::int - 1) AND $14::date
ORDER BY w.day DESC, w.chain_id) AS r),$15::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT count(*)::int AS days FROM day_total t JOIN network n USING (chain_id) LEFT JOIN wash_day w USING (chain_id, day)
WHERE n.active AND t.day BETWEEN $16::date - ($17::int - 1) AND $18::date - 1 AND t.swaps > 0
  AND w.day IS NULL) AS r))::text AS found;

-- washFlags

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT w.day, n.name AS network, round(w.volume_usd, 8)::text AS "volumeUsd",
  round(w.flagged_volume_usd, 8)::text AS "flaggedVolumeUsd", w.flagged_pools AS "flaggedPools"
FROM wash_day w JOIN network n USING (chain_id)
WHERE n.active AND w.day BETWEEN $2::date - ($3::int - 1) AND $4::date
ORDER BY w.day DESC, w.chain_id) AS r),$5::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT p.day, n.name AS network, '0x' || encode(p.pool, 'hex') AS pool, p.swaps, p.traders,
  round(p.volume_usd, 8)::text AS "volumeUsd", round(p.round_trip_usd, 8)::text AS "roundTripUsd",
  round(p.top_traders_usd, 8)::text AS "topTradersUsd", round(p.matched_usd, 8)::text AS "matchedUsd", p.flags
FROM pool_day_wash p JOIN network n USING (chain_id)
WHERE n.active AND p.day BETWEEN $6::date - ($7::int - 1) AND $8::date
ORDER BY p.day DESC, p.volume_usd DESC, p.chain_id, p.pool LIMIT $9) AS r))::text AS found;

-- volumeSeries

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT floor(extract(epoch FROM block_time) / $2::int)::float8 * $3::int AS time,
    count(DISTINCT trader)::float8 AS traders
  FROM swap WHERE chain_id = $4
  AND block_time >= to_timestamp($5) AND block_time < to_timestamp($6) AND (block_number, transaction_index, position, block_time) IN (SELECT block_number, transaction_index, position, block_time FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $7
  AND block_time >= to_timestamp($8) AND block_time < to_timestamp($9) AND $10 IN (token_in, token_out)) GROUP BY 1) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT floor(extract(epoch FROM block_time) / $2::int)::float8 * $3::int AS time,
    count(DISTINCT trader)::float8 AS traders
  FROM swap WHERE chain_id = $4
  AND block_time >= to_timestamp($5) AND block_time < to_timestamp($6) AND (block_number, transaction_index, position, block_time) IN (SELECT block_number, transaction_index, position, block_time FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $7
  AND block_time >= to_timestamp($8) AND block_time < to_timestamp($9) AND pool_key = $10::bigint) GROUP BY 1) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT floor(extract(epoch FROM block_time) / $2::int)::float8 * $3::int AS time,
    count(DISTINCT trader)::float8 AS traders
  FROM swap WHERE chain_id = $4
  AND block_time >= to_timestamp($5) AND block_time < to_timestamp($6) AND (block_number, transaction_index, position, block_time) IN (SELECT block_number, transaction_index, position, block_time FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $7
  AND block_time >= to_timestamp($8) AND block_time < to_timestamp($9) AND pool_key IN (SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool WHERE chain_id = $10 AND dex = $11)) GROUP BY 1) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT floor(extract(epoch FROM minute) / $2::int)::float8 * $3::int AS time,
    sum(trades)::float8 AS trades, sum(unpriced)::float8 AS unpriced, round(sum(volume_usd), 8)::text AS volume
  FROM (SELECT minute, trades, unpriced, volume_usd FROM (SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1 FROM pool_candle WHERE chain_id = $4 AND pool_key = $5::bigint AND minute >= to_timestamp($6) AND minute < to_timestamp($7) AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, at AS part,
    1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token0)::int AS buys,CASE WHEN token_out = token0 THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd, NULL::bigint AS open_at, NULL::bigint AS close_at, price0 AS open0,NULL::numeric AS high0,NULL::numeric AS low0,NULL::numeric AS close0, price1 AS open1,NULL::numeric AS high1,NULL::numeric AS low1,NULL::numeric AS close1
  FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $8 AND pool_key = $9::bigint AND block_time >= to_timestamp($10) AND block_time < to_timestamp($11) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part) AS part GROUP BY 1 ORDER BY 1) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT floor(extract(epoch FROM minute) / $2::int)::float8 * $3::int AS time,
    sum(trades)::float8 AS trades, sum(unpriced)::float8 AS unpriced, round(sum(volume_usd), 8)::text AS volume
  FROM (SELECT minute, trades,unpriced,volume_usd,buys,buy_volume_usd FROM (SELECT chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd FROM token_volume WHERE chain_id = $4 AND token = $5 AND minute >= to_timestamp($6) AND minute < to_timestamp($7) AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, token_in AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_in)::int AS buys,CASE WHEN token_out = token_in THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{2,3,6,7}'::smallint[]) AND chain_id = $8 AND sell_token = $9 AND block_time >= to_timestamp($10) AND block_time < to_timestamp($11) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop
  UNION ALL
  SELECT chain_id, token_out AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_out)::int AS buys,CASE WHEN token_out = token_out THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{4,5,6,7}'::smallint[]) AND chain_id = $12 AND buy_token = $13 AND block_time >= to_timestamp($14) AND block_time < to_timestamp($15) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part) AS part GROUP BY 1 ORDER BY 1) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT floor(extract(epoch FROM block_time) / $2::int)::float8 * $3::int AS time,
  count(DISTINCT trader)::float8 AS traders
FROM swap WHERE chain_id = $4
AND block_time >= to_timestamp($5) AND block_time < to_timestamp($6)  GROUP BY 1) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT floor(extract(epoch FROM minute) / $2::int)::float8 * $3::int AS time,
  sum(trades)::float8 AS trades, sum(unpriced)::float8 AS unpriced, round(sum(volume_usd), 8)::text AS volume
FROM (
  SELECT hour AS minute, trades, unpriced, volume_usd FROM hour_volume
  WHERE chain_id = $4 AND protocol = $5
    AND hour >= to_timestamp($6) AND hour < to_timestamp($7)) AS part GROUP BY 1 ORDER BY 1) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT coalesce(sum(swaps), 0)::float8 AS swaps FROM day_total
WHERE chain_id = $2 AND day BETWEEN $3::date AND $4::date) AS r))::text AS found;

-- extent

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT since FROM kept_days) AS r),$4::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT chain_id, extract(epoch FROM first.hour)::float8 AS hour
FROM unnest($5::int[]) AS network (chain_id) CROSS JOIN LATERAL (
  SELECT hour FROM hour_volume AS volume WHERE volume.chain_id = network.chain_id ORDER BY hour LIMIT 1) AS first) AS r))::text AS found;

-- tradersOfAges

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT n, json_build_array(json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($2)),count(*) FILTER (WHERE sold >= to_timestamp($3)),count(*) FILTER (WHERE traded >= to_timestamp($4))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($5)),count(*) FILTER (WHERE sold >= to_timestamp($6)),count(*) FILTER (WHERE traded >= to_timestamp($7))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($8)),count(*) FILTER (WHERE sold >= to_timestamp($9)),count(*) FILTER (WHERE traded >= to_timestamp($10))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($11)),count(*) FILTER (WHERE sold >= to_timestamp($12)),count(*) FILTER (WHERE traded >= to_timestamp($13)))) AS counts
FROM (
  SELECT n, max(block_time) FILTER (WHERE token_out = token) AS bought,
    max(block_time) FILTER (WHERE token_in = token AND token_out <> token) AS sold, max(block_time) AS traded
  FROM (
SELECT n, token, hop.* FROM (
SELECT pool_key, trader, block_time, sell_token AS token_in, buy_token AS token_out FROM swap
WHERE hop_log_index IS NOT NULL AND chain_id = $14
AND block_number BETWEEN coalesce((WITH RECURSIVE probe(low, high) AS (
  SELECT
    (SELECT block_number FROM swap WHERE chain_id = $15 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number LIMIT 1),
    (SELECT block_number FROM swap WHERE chain_id = $16 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number DESC LIMIT 1)
  UNION ALL
  SELECT
    CASE WHEN next.block_time < to_timestamp($17) THEN next.block_number + 1 ELSE probe.low END,
    CASE WHEN next.block_time < to_timestamp($18) THEN probe.high ELSE probe.low + (probe.high - probe.low) / 2 END
  FROM probe CROSS JOIN LATERAL (
    SELECT block_number, block_time FROM swap
    WHERE chain_id = $19 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) AND block_number >= probe.low + (probe.high - probe.low) / 2 ORDER BY block_number LIMIT 1
  ) next
  WHERE probe.low < probe.high
) SELECT max(low)::bigint FROM probe), 0) AND $20::bigint
AND block_time >= to_timestamp($21) AND block_time < to_timestamp($22) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)
UNION ALL
SELECT pool_key, trade.trader, block_time, token_in, token_out FROM swap_hop
CROSS JOIN LATERAL (
  SELECT trader FROM swap AS trade WHERE trade.chain_id = swap_hop.chain_id AND trade.block_time = swap_hop.block_time
    AND trade.block_number = swap_hop.block_number AND trade.transaction_index = swap_hop.transaction_index
    AND trade.position = swap_hop.position AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200) OFFSET 0) AS trade
WHERE chain_id = $23
AND block_number BETWEEN coalesce((WITH RECURSIVE probe(low, high) AS (
  SELECT
    (SELECT block_number FROM swap WHERE chain_id = $24 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number LIMIT 1),
    (SELECT block_number FROM swap WHERE chain_id = $25 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number DESC LIMIT 1)
  UNION ALL
  SELECT
    CASE WHEN next.block_time < to_timestamp($26) THEN next.block_number + 1 ELSE probe.low END,
    CASE WHEN next.block_time < to_timestamp($27) THEN probe.high ELSE probe.low + (probe.high - probe.low) / 2 END
  FROM probe CROSS JOIN LATERAL (
    SELECT block_number, block_time FROM swap
    WHERE chain_id = $28 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) AND block_number >= probe.low + (probe.high - probe.low) / 2 ORDER BY block_number LIMIT 1
  ) next
  WHERE probe.low < probe.high
) SELECT max(low)::bigint FROM probe), 0) AND $29::bigint
AND block_time >= to_timestamp($30) AND block_time < to_timestamp($31) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)) AS hop CROSS JOIN LATERAL (VALUES (token_in), (token_out)) AS side (token)
  JOIN json_to_recordset($32::json) AS requested (n int, key bigint, token bytea, since bigint) USING (token) WHERE block_time >= to_timestamp(since)) AS hop WHERE trader IS NOT NULL GROUP BY n, trader
) AS signer GROUP BY n) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT n, json_build_array(json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($2)),count(*) FILTER (WHERE sold >= to_timestamp($3)),count(*) FILTER (WHERE traded >= to_timestamp($4))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($5)),count(*) FILTER (WHERE sold >= to_timestamp($6)),count(*) FILTER (WHERE traded >= to_timestamp($7))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($8)),count(*) FILTER (WHERE sold >= to_timestamp($9)),count(*) FILTER (WHERE traded >= to_timestamp($10))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($11)),count(*) FILTER (WHERE sold >= to_timestamp($12)),count(*) FILTER (WHERE traded >= to_timestamp($13)))) AS counts
FROM (
  SELECT n, max(block_time) FILTER (WHERE token_out = token) AS bought,
    max(block_time) FILTER (WHERE token_in = token AND token_out <> token) AS sold, max(block_time) AS traded
  FROM (
SELECT n, token, hop.* FROM (
SELECT pool_key, trader, block_time, sell_token AS token_in, buy_token AS token_out FROM swap
WHERE hop_log_index IS NOT NULL AND chain_id = $14
AND block_number BETWEEN coalesce((WITH RECURSIVE probe(low, high) AS (
  SELECT
    (SELECT block_number FROM swap WHERE chain_id = $15 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number LIMIT 1),
    (SELECT block_number FROM swap WHERE chain_id = $16 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number DESC LIMIT 1)
  UNION ALL
  SELECT
    CASE WHEN next.block_time < to_timestamp($17) THEN next.block_number + 1 ELSE probe.low END,
    CASE WHEN next.block_time < to_timestamp($18) THEN probe.high ELSE probe.low + (probe.high - probe.low) / 2 END
  FROM probe CROSS JOIN LATERAL (
    SELECT block_number, block_time FROM swap
    WHERE chain_id = $19 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) AND block_number >= probe.low + (probe.high - probe.low) / 2 ORDER BY block_number LIMIT 1
  ) next
  WHERE probe.low < probe.high
) SELECT max(low)::bigint FROM probe), 0) AND $20::bigint
AND block_time >= to_timestamp($21) AND block_time < to_timestamp($22) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)
UNION ALL
SELECT pool_key, trade.trader, block_time, token_in, token_out FROM swap_hop
CROSS JOIN LATERAL (
  SELECT trader FROM swap AS trade WHERE trade.chain_id = swap_hop.chain_id AND trade.block_time = swap_hop.block_time
    AND trade.block_number = swap_hop.block_number AND trade.transaction_index = swap_hop.transaction_index
    AND trade.position = swap_hop.position AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200) OFFSET 0) AS trade
WHERE chain_id = $23
AND block_number BETWEEN coalesce((WITH RECURSIVE probe(low, high) AS (
  SELECT
    (SELECT block_number FROM swap WHERE chain_id = $24 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number LIMIT 1),
    (SELECT block_number FROM swap WHERE chain_id = $25 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) ORDER BY block_number DESC LIMIT 1)
  UNION ALL
  SELECT
    CASE WHEN next.block_time < to_timestamp($26) THEN next.block_number + 1 ELSE probe.low END,
    CASE WHEN next.block_time < to_timestamp($27) THEN probe.high ELSE probe.low + (probe.high - probe.low) / 2 END
  FROM probe CROSS JOIN LATERAL (
    SELECT block_number, block_time FROM swap
    WHERE chain_id = $28 AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795132800) AND block_number >= probe.low + (probe.high - probe.low) / 2 ORDER BY block_number LIMIT 1
  ) next
  WHERE probe.low < probe.high
) SELECT max(low)::bigint FROM probe), 0) AND $29::bigint
AND block_time >= to_timestamp($30) AND block_time < to_timestamp($31) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)) AS hop JOIN json_to_recordset($32::json) AS requested (n int, key bigint, token bytea, since bigint) ON key = pool_key WHERE block_time >= to_timestamp(since)) AS hop WHERE trader IS NOT NULL GROUP BY n, trader
) AS signer GROUP BY n) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT n, json_build_array(json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($2)),count(*) FILTER (WHERE sold >= to_timestamp($3)),count(*) FILTER (WHERE traded >= to_timestamp($4))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($5)),count(*) FILTER (WHERE sold >= to_timestamp($6)),count(*) FILTER (WHERE traded >= to_timestamp($7))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($8)),count(*) FILTER (WHERE sold >= to_timestamp($9)),count(*) FILTER (WHERE traded >= to_timestamp($10))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($11)),count(*) FILTER (WHERE sold >= to_timestamp($12)),count(*) FILTER (WHERE traded >= to_timestamp($13)))) AS counts
FROM (
  SELECT n, max(block_time) FILTER (WHERE token_out = token) AS bought,
    max(block_time) FILTER (WHERE token_in = token AND token_out <> token) AS sold, max(block_time) AS traded
  FROM (
SELECT n, token, hop.* FROM (
WITH requested AS MATERIALIZED (
  SELECT *, token = (SELECT wrapped_native FROM network WHERE chain_id = $14) AS is_coin
  FROM json_to_recordset($15::json) AS requested (n int, key bigint, token bytea, since bigint)
)
SELECT n, token, since, pool.key FROM requested CROSS JOIN LATERAL (SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool WHERE chain_id = $16 AND token0 = token UNION ALL SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool WHERE chain_id = $17 AND token1 = token UNION ALL SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool WHERE chain_id = $18 AND is_coin AND token0 = decode('0000000000000000000000000000000000000000', 'hex') UNION ALL SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool WHERE chain_id = $19 AND is_coin AND token1 = decode('0000000000000000000000000000000000000000', 'hex')) AS pool (key)
UNION SELECT n, token, since, ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
CROSS JOIN LATERAL unnest(coins || underlying) AS coin
JOIN requested ON coin = token OR is_coin AND coin = decode('0000000000000000000000000000000000000000', 'hex')
WHERE chain_id = $20 AND cardinality(coins) + cardinality(underlying) > 0) AS requested (n, token, since, key) CROSS JOIN LATERAL (
SELECT pool_key, trader, block_time, sell_token AS token_in, buy_token AS token_out FROM swap
WHERE hop_log_index IS NOT NULL AND chain_id = $21 AND pool_key = requested.key AND block_number <= $22::bigint
AND block_time >= to_timestamp(requested.since) AND block_time < to_timestamp($23) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)
UNION ALL
SELECT pool_key, trade.trader, block_time, token_in, token_out FROM swap_hop
CROSS JOIN LATERAL (
  SELECT trader FROM swap AS trade WHERE trade.chain_id = swap_hop.chain_id AND trade.block_time = swap_hop.block_time
    AND trade.block_number = swap_hop.block_number AND trade.transaction_index = swap_hop.transaction_index
    AND trade.position = swap_hop.position AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200) OFFSET 0) AS trade
WHERE chain_id = $24 AND pool_key = requested.key AND block_number <= $25::bigint
AND block_time >= to_timestamp(requested.since) AND block_time < to_timestamp($26) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)) AS hop
WHERE token IN (token_in, token_out)) AS hop WHERE trader IS NOT NULL GROUP BY n, trader
) AS signer GROUP BY n) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT n, json_build_array(json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($2)),count(*) FILTER (WHERE sold >= to_timestamp($3)),count(*) FILTER (WHERE traded >= to_timestamp($4))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($5)),count(*) FILTER (WHERE sold >= to_timestamp($6)),count(*) FILTER (WHERE traded >= to_timestamp($7))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($8)),count(*) FILTER (WHERE sold >= to_timestamp($9)),count(*) FILTER (WHERE traded >= to_timestamp($10))),json_build_array(count(*) FILTER (WHERE bought >= to_timestamp($11)),count(*) FILTER (WHERE sold >= to_timestamp($12)),count(*) FILTER (WHERE traded >= to_timestamp($13)))) AS counts
FROM (
  SELECT n, max(block_time) FILTER (WHERE token_out = token) AS bought,
    max(block_time) FILTER (WHERE token_in = token AND token_out <> token) AS sold, max(block_time) AS traded
  FROM (
SELECT n, token, hop.* FROM json_to_recordset($14::json) AS requested (n int, key bigint, token bytea, since bigint) CROSS JOIN LATERAL (
SELECT pool_key, trader, block_time, sell_token AS token_in, buy_token AS token_out FROM swap
WHERE hop_log_index IS NOT NULL AND chain_id = $15 AND pool_key = requested.key AND block_number <= $16::bigint
AND block_time >= to_timestamp(requested.since) AND block_time < to_timestamp($17) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)
UNION ALL
SELECT pool_key, trade.trader, block_time, token_in, token_out FROM swap_hop
CROSS JOIN LATERAL (
  SELECT trader FROM swap AS trade WHERE trade.chain_id = swap_hop.chain_id AND trade.block_time = swap_hop.block_time
    AND trade.block_number = swap_hop.block_number AND trade.transaction_index = swap_hop.transaction_index
    AND trade.position = swap_hop.position AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200) OFFSET 0) AS trade
WHERE chain_id = $18 AND pool_key = requested.key AND block_number <= $19::bigint
AND block_time >= to_timestamp(requested.since) AND block_time < to_timestamp($20) AND block_time >= to_timestamp(1795046400) AND block_time < to_timestamp(1795219200)) AS hop
) AS hop WHERE trader IS NOT NULL GROUP BY n, trader
) AS signer GROUP BY n) AS r))::text AS found;

-- candles

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT extract(epoch FROM time)::float8 AS time, trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume, buys::float8 AS buys, (trades - buys)::float8 AS sells,
buy_volume_usd::text AS buy_volume, (volume_usd - buy_volume_usd)::text AS sell_volume,
    extract(epoch FROM first)::float8 AS first, extract(epoch FROM last)::float8 AS last
  FROM (
    SELECT date_bin(make_interval(secs => $2::int), minute, to_timestamp($3)) AS time, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd, min(minute) FILTER (WHERE trades > unpriced) AS first,
      max(minute) FILTER (WHERE trades > unpriced) AS last
    FROM (SELECT minute, trades,unpriced,volume_usd,buys,buy_volume_usd FROM (SELECT chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd FROM token_volume WHERE chain_id = $4 AND token = $5 AND minute >= to_timestamp($6) AND minute < to_timestamp($7) AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, token_in AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_in)::int AS buys,CASE WHEN token_out = token_in THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{2,3,6,7}'::smallint[]) AND chain_id = $8 AND sell_token = $9 AND block_time >= to_timestamp($10) AND block_time < to_timestamp($11) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop
  UNION ALL
  SELECT chain_id, token_out AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_out)::int AS buys,CASE WHEN token_out = token_out THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{4,5,6,7}'::smallint[]) AND chain_id = $12 AND buy_token = $13 AND block_time >= to_timestamp($14) AND block_time < to_timestamp($15) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part) AS part GROUP BY 1
  ) AS traded ORDER BY time) AS r),$16::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT requested.token::text, flow.pool_key::text AS pool, extract(epoch FROM flow.hour)::float8 AS hour,
    trunc(flow.net_usd * 1e8)::text AS net
  FROM json_to_recordset($17::json) AS requested (token bigint, since bigint, until bigint)
  CROSS JOIN LATERAL (
    SELECT pool_key, hour, sum(net_usd) AS net_usd FROM token_flow
    WHERE chain_id = $18 AND token_key = requested.token AND hour >= to_timestamp($19) AND hour < to_timestamp($20) AND hour >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)
      AND hour >= to_timestamp(requested.since) AND hour < to_timestamp(requested.until)
    GROUP BY pool_key, hour
  ) AS flow) AS r),$21::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range WHERE chain_id = $22 ORDER BY from_block) AS r),$23::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT since FROM kept_days) AS r),$24::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT address, symbol, name, decimals FROM token WHERE chain_id = $25 AND address IN (SELECT unnest($26::text[]::bytea[]))) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT time, trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume, buys::float8 AS buys, (trades - buys)::float8 AS sells,
buy_volume_usd::text AS buy_volume, (volume_usd - buy_volume_usd)::text AS sell_volume,
    open_at, close_at, open::text, high::text, low::text, close::text
  FROM (
    SELECT extract(epoch FROM date_bin(make_interval(secs => $2::int), minute, to_timestamp($3)))::float8 AS time, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open,max(coalesce(high, open)) AS high,min(coalesce(low, open)) AS low,(array_agg(coalesce(close, open) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close
    FROM (
  SELECT minute, trades,unpriced,volume_usd,buys,buy_volume_usd, open_at, close_at, nullif(trunc(div(open0 * 1e42, open1), least(0, least(length(open0::text), length(open1::text)) - 2 - length(div(open0 * 1e42, open1)::text))), 0) AS open,
    greatest(nullif(trunc(div(open0 * 1e42, open1), least(0, least(length(open0::text), length(open1::text)) - 2 - length(div(open0 * 1e42, open1)::text))), 0), nullif(trunc(div(high0 * 1e42, high1), least(0, least(length(high0::text), length(high1::text)) - 2 - length(div(high0 * 1e42, high1)::text))), 0), nullif(trunc(div(close0 * 1e42, close1), least(0, least(length(close0::text), length(close1::text)) - 2 - length(div(close0 * 1e42, close1)::text))), 0)) AS high, least(nullif(trunc(div(open0 * 1e42, open1), least(0, least(length(open0::text), length(open1::text)) - 2 - length(div(open0 * 1e42, open1)::text))), 0), nullif(trunc(div(low0 * 1e42, low1), least(0, least(length(low0::text), length(low1::text)) - 2 - length(div(low0 * 1e42, low1)::text))), 0), nullif(trunc(div(close0 * 1e42, close1), least(0, least(length(close0::text), length(close1::text)) - 2 - length(div(close0 * 1e42, close1)::text))), 0)) AS low, nullif(trunc(div(close0 * 1e42, close1), least(0, least(length(close0::text), length(close1::text)) - 2 - length(div(close0 * 1e42, close1)::text))), 0) AS close
  FROM (
    SELECT minute, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open0 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open0,max(coalesce(high0, open0)) AS high0,min(coalesce(low0, open0)) AS low0,(array_agg(coalesce(close0, open0) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close0,(array_agg(open1 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open1,max(coalesce(high1, open1)) AS high1,min(coalesce(low1, open1)) AS low1,(array_agg(coalesce(close1, open1) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close1
    FROM (SELECT minute, trades,unpriced,volume_usd,CASE WHEN token0_key = $4::bigint THEN buys ELSE trades - buys END AS buys,CASE WHEN token0_key = $5::bigint THEN buy_volume_usd ELSE volume_usd - buy_volume_usd END AS buy_volume_usd, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS open_at, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS close_at, CASE WHEN token0_key = $6::bigint THEN open0 ELSE open1 END AS open0,CASE WHEN token0_key = $7::bigint THEN open1 ELSE open0 END AS open1,CASE WHEN token0_key = $8::bigint THEN high0 ELSE high1 END AS high0,CASE WHEN token0_key = $9::bigint THEN high1 ELSE high0 END AS high1,CASE WHEN token0_key = $10::bigint THEN low0 ELSE low1 END AS low0,CASE WHEN token0_key = $11::bigint THEN low1 ELSE low0 END AS low1,CASE WHEN token0_key = $12::bigint THEN close0 ELSE close1 END AS close0,CASE WHEN token0_key = $13::bigint THEN close1 ELSE close0 END AS close1 FROM (SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1 FROM pool_candle WHERE chain_id = $14 AND minute >= to_timestamp($15) AND minute < to_timestamp($16) AND pool_key = ANY (ARRAY(
  SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $17 AND token0 = ANY ($18) AND token1 = ANY ($19)
  UNION ALL SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $20 AND cardinality(coins) + cardinality(underlying) > 0)) AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, at AS part,
    1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token0)::int AS buys,CASE WHEN token_out = token0 THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd, NULL::bigint AS open_at, NULL::bigint AS close_at, price0 AS open0,NULL::numeric AS high0,NULL::numeric AS low0,NULL::numeric AS close0, price1 AS open1,NULL::numeric AS high1,NULL::numeric AS low1,NULL::numeric AS close1
  FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $21 AND block_time >= to_timestamp($22) AND block_time < to_timestamp($23) AND pool_key = ANY (ARRAY(
  SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $24 AND token0 = ANY ($25) AND token1 = ANY ($26)
  UNION ALL SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $27 AND cardinality(coins) + cardinality(underlying) > 0)) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part
  WHERE token0_key = $28::bigint AND token1_key = $29::bigint) AS part GROUP BY minute
  ) AS of_minute) AS part GROUP BY 1
  ) AS folded ORDER BY time) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT time, trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume, buys::float8 AS buys, (trades - buys)::float8 AS sells,
buy_volume_usd::text AS buy_volume, (volume_usd - buy_volume_usd)::text AS sell_volume,
    open_at, close_at, open::text, high::text, low::text, close::text
  FROM (
    SELECT extract(epoch FROM date_bin(make_interval(secs => $2::int), minute, to_timestamp($3)))::float8 AS time, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open,max(coalesce(high, open)) AS high,min(coalesce(low, open)) AS low,(array_agg(coalesce(close, open) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close
    FROM (
  SELECT minute, trades,unpriced,volume_usd,buys,buy_volume_usd, open_at, close_at, nullif(trunc(div(open0 * 1e42, open1), least(0, least(length(open0::text), length(open1::text)) - 2 - length(div(open0 * 1e42, open1)::text))), 0) AS open,
    greatest(nullif(trunc(div(open0 * 1e42, open1), least(0, least(length(open0::text), length(open1::text)) - 2 - length(div(open0 * 1e42, open1)::text))), 0), nullif(trunc(div(high0 * 1e42, high1), least(0, least(length(high0::text), length(high1::text)) - 2 - length(div(high0 * 1e42, high1)::text))), 0), nullif(trunc(div(close0 * 1e42, close1), least(0, least(length(close0::text), length(close1::text)) - 2 - length(div(close0 * 1e42, close1)::text))), 0)) AS high, least(nullif(trunc(div(open0 * 1e42, open1), least(0, least(length(open0::text), length(open1::text)) - 2 - length(div(open0 * 1e42, open1)::text))), 0), nullif(trunc(div(low0 * 1e42, low1), least(0, least(length(low0::text), length(low1::text)) - 2 - length(div(low0 * 1e42, low1)::text))), 0), nullif(trunc(div(close0 * 1e42, close1), least(0, least(length(close0::text), length(close1::text)) - 2 - length(div(close0 * 1e42, close1)::text))), 0)) AS low, nullif(trunc(div(close0 * 1e42, close1), least(0, least(length(close0::text), length(close1::text)) - 2 - length(div(close0 * 1e42, close1)::text))), 0) AS close
  FROM (
    SELECT minute, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open0 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open0,max(coalesce(high0, open0)) AS high0,min(coalesce(low0, open0)) AS low0,(array_agg(coalesce(close0, open0) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close0,(array_agg(open1 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open1,max(coalesce(high1, open1)) AS high1,min(coalesce(low1, open1)) AS low1,(array_agg(coalesce(close1, open1) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close1
    FROM (SELECT minute, trades,unpriced,volume_usd,CASE WHEN token0_key = $4::bigint THEN buys ELSE trades - buys END AS buys,CASE WHEN token0_key = $5::bigint THEN buy_volume_usd ELSE volume_usd - buy_volume_usd END AS buy_volume_usd, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS open_at, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS close_at, CASE WHEN token0_key = $6::bigint THEN open0 ELSE open1 END AS open0,CASE WHEN token0_key = $7::bigint THEN open1 ELSE open0 END AS open1,CASE WHEN token0_key = $8::bigint THEN high0 ELSE high1 END AS high0,CASE WHEN token0_key = $9::bigint THEN high1 ELSE high0 END AS high1,CASE WHEN token0_key = $10::bigint THEN low0 ELSE low1 END AS low0,CASE WHEN token0_key = $11::bigint THEN low1 ELSE low0 END AS low1,CASE WHEN token0_key = $12::bigint THEN close0 ELSE close1 END AS close0,CASE WHEN token0_key = $13::bigint THEN close1 ELSE close0 END AS close1 FROM (SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1 FROM pool_candle WHERE chain_id = $14 AND pool_key = $15::bigint AND minute >= to_timestamp($16) AND minute < to_timestamp($17) AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, at AS part,
    1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token0)::int AS buys,CASE WHEN token_out = token0 THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd, NULL::bigint AS open_at, NULL::bigint AS close_at, price0 AS open0,NULL::numeric AS high0,NULL::numeric AS low0,NULL::numeric AS close0, price1 AS open1,NULL::numeric AS high1,NULL::numeric AS low1,NULL::numeric AS close1
  FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $18 AND pool_key = $19::bigint AND block_time >= to_timestamp($20) AND block_time < to_timestamp($21) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part WHERE $22::bigint IN (token0_key, token1_key) AND $23::bigint IN (token0_key, token1_key)) AS part GROUP BY minute
  ) AS of_minute) AS part GROUP BY 1
  ) AS folded ORDER BY time) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT time, trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume, buys::float8 AS buys, (trades - buys)::float8 AS sells,
buy_volume_usd::text AS buy_volume, (volume_usd - buy_volume_usd)::text AS sell_volume,
    open_at, close_at, open::text, high::text, low::text, close::text
  FROM (
    SELECT extract(epoch FROM date_bin(make_interval(secs => $2::int), minute, to_timestamp($3)))::float8 AS time, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open,max(coalesce(high, open)) AS high,min(coalesce(low, open)) AS low,(array_agg(coalesce(close, open) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close
    FROM (SELECT minute, trades,unpriced,volume_usd,CASE WHEN token0_key = $4::bigint THEN buys ELSE trades - buys END AS buys,CASE WHEN token0_key = $5::bigint THEN buy_volume_usd ELSE volume_usd - buy_volume_usd END AS buy_volume_usd, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS open_at, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS close_at, CASE WHEN token0_key = $6::bigint THEN open0 ELSE open1 END AS open,CASE WHEN token0_key = $7::bigint THEN high0 ELSE high1 END AS high,CASE WHEN token0_key = $8::bigint THEN low0 ELSE low1 END AS low,CASE WHEN token0_key = $9::bigint THEN close0 ELSE close1 END AS close FROM (SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1 FROM pool_candle WHERE chain_id = $10 AND minute >= to_timestamp($11) AND minute < to_timestamp($12) AND pool_key = ANY (ARRAY(
  SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $13 AND token0 = ANY ($14) AND token1 = ANY ($15)
  UNION ALL SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $16 AND cardinality(coins) + cardinality(underlying) > 0)) AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, at AS part,
    1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token0)::int AS buys,CASE WHEN token_out = token0 THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd, NULL::bigint AS open_at, NULL::bigint AS close_at, price0 AS open0,NULL::numeric AS high0,NULL::numeric AS low0,NULL::numeric AS close0, price1 AS open1,NULL::numeric AS high1,NULL::numeric AS low1,NULL::numeric AS close1
  FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $17 AND block_time >= to_timestamp($18) AND block_time < to_timestamp($19) AND pool_key = ANY (ARRAY(
  SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $20 AND token0 = ANY ($21) AND token1 = ANY ($22)
  UNION ALL SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint FROM pool
  WHERE chain_id = $23 AND cardinality(coins) + cardinality(underlying) > 0)) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part
  WHERE token0_key = $24::bigint AND token1_key = $25::bigint) AS part GROUP BY 1
  ) AS folded ORDER BY time) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT time, trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume, buys::float8 AS buys, (trades - buys)::float8 AS sells,
buy_volume_usd::text AS buy_volume, (volume_usd - buy_volume_usd)::text AS sell_volume,
    open_at, close_at, open::text, high::text, low::text, close::text
  FROM (
    SELECT extract(epoch FROM date_bin(make_interval(secs => $2::int), minute, to_timestamp($3)))::float8 AS time, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open,max(coalesce(high, open)) AS high,min(coalesce(low, open)) AS low,(array_agg(coalesce(close, open) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close
    FROM (SELECT minute, trades,unpriced,volume_usd,CASE WHEN token0_key = $4::bigint THEN buys ELSE trades - buys END AS buys,CASE WHEN token0_key = $5::bigint THEN buy_volume_usd ELSE volume_usd - buy_volume_usd END AS buy_volume_usd, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS open_at, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS close_at, CASE WHEN token0_key = $6::bigint THEN open0 ELSE open1 END AS open,CASE WHEN token0_key = $7::bigint THEN high0 ELSE high1 END AS high,CASE WHEN token0_key = $8::bigint THEN low0 ELSE low1 END AS low,CASE WHEN token0_key = $9::bigint THEN close0 ELSE close1 END AS close FROM (SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1 FROM pool_candle WHERE chain_id = $10 AND pool_key = $11::bigint AND minute >= to_timestamp($12) AND minute < to_timestamp($13) AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, at AS part,
    1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token0)::int AS buys,CASE WHEN token_out = token0 THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd, NULL::bigint AS open_at, NULL::bigint AS close_at, price0 AS open0,NULL::numeric AS high0,NULL::numeric AS low0,NULL::numeric AS close0, price1 AS open1,NULL::numeric AS high1,NULL::numeric AS low1,NULL::numeric AS close1
  FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $14 AND pool_key = $15::bigint AND block_time >= to_timestamp($16) AND block_time < to_timestamp($17) AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part WHERE $18::bigint IN (token0_key, token1_key)) AS part GROUP BY 1
  ) AS folded ORDER BY time) AS r))::text AS found;

-- closeBefore

-- pastPrices

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT '0x' || encode(requested.token, 'hex') AS token,
    extract(epoch FROM greatest(newest.minute, held.minute))::float8 AS minute
  FROM unnest($2::text[]::bytea[]) AS requested (token)
  LEFT JOIN LATERAL (
    SELECT minute FROM token_volume WHERE chain_id = $3 AND token = requested.token AND minute >= to_timestamp($4) AND minute < to_timestamp($5) AND trades > unpriced ORDER BY minute DESC LIMIT 1
  ) AS newest ON true
  CROSS JOIN LATERAL (SELECT max(minute) AS minute FROM (
  SELECT chain_id, token_in AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_in)::int AS buys,CASE WHEN token_out = token_in THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{2,3,6,7}'::smallint[]) AND chain_id = $6 AND sell_token = requested.token AND block_time >= to_timestamp($7) AND block_time < to_timestamp($8) AND block_time >= coalesce(newest.minute, '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop
  UNION ALL
  SELECT chain_id, token_out AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_out)::int AS buys,CASE WHEN token_out = token_out THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{4,5,6,7}'::smallint[]) AND chain_id = $9 AND buy_token = requested.token AND block_time >= to_timestamp($10) AND block_time < to_timestamp($11) AND block_time >= coalesce(newest.minute, '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part WHERE trades > unpriced) AS held) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT requested.token::text, flow.pool_key::text AS pool, extract(epoch FROM flow.hour)::float8 AS hour,
  trunc(flow.net_usd * 1e8)::text AS net
FROM json_to_recordset($2::json) AS requested (token bigint, since bigint, until bigint)
CROSS JOIN LATERAL (
  SELECT pool_key, hour, sum(net_usd) AS net_usd FROM token_flow
  WHERE chain_id = $3 AND token_key = requested.token AND hour >= to_timestamp($4) AND hour < to_timestamp($5) AND hour >= coalesce(
(SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)
    AND hour >= to_timestamp(requested.since) AND hour < to_timestamp(requested.until)
  GROUP BY pool_key, hour
) AS flow) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range WHERE chain_id = $2 ORDER BY from_block) AS r))::text AS found;

-- lastDay

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT pool, (
  SELECT price FROM (
    (SELECT CASE counted WHEN token0_key THEN json_build_array(coalesce(close0, open0)::text, coalesce(close1, open1)::text)
      ELSE json_build_array(coalesce(close1, open1)::text, coalesce(close0, open0)::text) END AS price, minute, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS at FROM pool_candle AS stored WHERE chain_id = $2 AND pool_key = requested.key AND minute >= to_timestamp($3) AND minute < to_timestamp($4) AND open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)
    ORDER BY minute DESC, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($5) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1) AS price, json_build_array((
  SELECT price FROM (
    (SELECT CASE counted WHEN token0_key THEN json_build_array(coalesce(close0, open0)::text, coalesce(close1, open1)::text)
      ELSE json_build_array(coalesce(close1, open1)::text, coalesce(close0, open0)::text) END AS price, minute, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS at FROM pool_candle AS stored WHERE chain_id = $6 AND pool_key = requested.key AND minute >= to_timestamp($7) AND minute < to_timestamp($8) AND open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)
    ORDER BY minute DESC, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($9) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1),(
  SELECT price FROM (
    (SELECT CASE counted WHEN token0_key THEN json_build_array(coalesce(close0, open0)::text, coalesce(close1, open1)::text)
      ELSE json_build_array(coalesce(close1, open1)::text, coalesce(close0, open0)::text) END AS price, minute, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS at FROM pool_candle AS stored WHERE chain_id = $10 AND pool_key = requested.key AND minute >= to_timestamp($11) AND minute < to_timestamp($12) AND open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)
    ORDER BY minute DESC, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($13) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1),(
  SELECT price FROM (
    (SELECT CASE counted WHEN token0_key THEN json_build_array(coalesce(close0, open0)::text, coalesce(close1, open1)::text)
      ELSE json_build_array(coalesce(close1, open1)::text, coalesce(close0, open0)::text) END AS price, minute, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS at FROM pool_candle AS stored WHERE chain_id = $14 AND pool_key = requested.key AND minute >= to_timestamp($15) AND minute < to_timestamp($16) AND open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)
    ORDER BY minute DESC, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($17) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1),(
  SELECT price FROM (
    (SELECT CASE counted WHEN token0_key THEN json_build_array(coalesce(close0, open0)::text, coalesce(close1, open1)::text)
      ELSE json_build_array(coalesce(close1, open1)::text, coalesce(close0, open0)::text) END AS price, minute, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS at FROM pool_candle AS stored WHERE chain_id = $18 AND pool_key = requested.key AND minute >= to_timestamp($19) AND minute < to_timestamp($20) AND open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)
    ORDER BY minute DESC, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($21) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1)) AS before, ages,
    extract(epoch FROM least(first.minute, first_held.minute))::float8 AS first
  FROM json_to_recordset($22::json)
      AS requested (pool text, key bigint, key0 bigint, key1 bigint, counted bigint) CROSS JOIN LATERAL (SELECT array_agg(CASE counted WHEN token0_key THEN json_build_array(coalesce(close0, open0)::text, coalesce(close1, open1)::text)
      ELSE json_build_array(coalesce(close1, open1)::text, coalesce(close0, open0)::text) END) FILTER (WHERE open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)) AS prices, array_agg(minute) FILTER (WHERE open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)) AS minutes, array_agg(CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END) FILTER (WHERE open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)) AS places,array_agg(minute) FILTER (WHERE minute >= to_timestamp($23) AND minute < to_timestamp($24)) AS day0,array_agg(trades) FILTER (WHERE minute >= to_timestamp($25) AND minute < to_timestamp($26)) AS day1,array_agg(unpriced) FILTER (WHERE minute >= to_timestamp($27) AND minute < to_timestamp($28)) AS day2,array_agg(volume_usd) FILTER (WHERE minute >= to_timestamp($29) AND minute < to_timestamp($30)) AS day3,array_agg(CASE counted WHEN token0_key THEN buys WHEN token1_key THEN trades - buys ELSE 0 END) FILTER (WHERE minute >= to_timestamp($31) AND minute < to_timestamp($32)) AS day4,array_agg(CASE counted WHEN token0_key THEN trades - buys WHEN token1_key THEN buys ELSE 0 END) FILTER (WHERE minute >= to_timestamp($33) AND minute < to_timestamp($34)) AS day5,array_agg(CASE counted WHEN token0_key THEN buy_volume_usd WHEN token1_key THEN volume_usd - buy_volume_usd ELSE 0 END) FILTER (WHERE minute >= to_timestamp($35) AND minute < to_timestamp($36)) AS day6,array_agg(CASE counted WHEN token0_key THEN volume_usd - buy_volume_usd WHEN token1_key THEN buy_volume_usd ELSE 0 END) FILTER (WHERE minute >= to_timestamp($37) AND minute < to_timestamp($38)) AS day7 FROM (
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, at AS part,
    1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token0)::int AS buys,CASE WHEN token_out = token0 THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd, NULL::bigint AS open_at, NULL::bigint AS close_at, price0 AS open0,NULL::numeric AS high0,NULL::numeric AS low0,NULL::numeric AS close0, price1 AS open1,NULL::numeric AS high1,NULL::numeric AS low1,NULL::numeric AS close1
  FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $39 AND pool_key = requested.key AND block_time >= to_timestamp($40) AND block_time < to_timestamp($41)) AS hop
  ) AS ruled) AS hop) AS part) AS held
  CROSS JOIN LATERAL (SELECT json_agg(sums ORDER BY index) AS ages FROM (
    SELECT index, json_build_array(index, CASE WHEN count(trades) = count(*) THEN sum(trades) END,CASE WHEN count(unpriced) = count(*) THEN sum(unpriced) END,round(CASE WHEN count(volume_usd) = count(*) THEN sum(volume_usd) END, 8)::text,CASE WHEN count(buys) = count(*) THEN sum(buys) END,CASE WHEN count(sells) = count(*) THEN sum(sells) END,round(CASE WHEN count(buy_volume) = count(*) THEN sum(buy_volume) END, 8)::text,round(CASE WHEN count(sell_volume) = count(*) THEN sum(sell_volume) END, 8)::text) AS sums
    FROM (SELECT (minute < to_timestamp($42))::int + (minute < to_timestamp($43))::int + (minute < to_timestamp($44))::int AS index, part.* FROM (
      SELECT minute,trades,unpriced,volume_usd,CASE counted WHEN token0_key THEN buys WHEN token1_key THEN trades - buys ELSE 0 END,CASE counted WHEN token0_key THEN trades - buys WHEN token1_key THEN buys ELSE 0 END,CASE counted WHEN token0_key THEN buy_volume_usd WHEN token1_key THEN volume_usd - buy_volume_usd ELSE 0 END,CASE counted WHEN token0_key THEN volume_usd - buy_volume_usd WHEN token1_key THEN buy_volume_usd ELSE 0 END FROM pool_candle AS stored WHERE chain_id = $45 AND pool_key = requested.key AND minute >= to_timestamp($46) AND minute < to_timestamp($47)
      UNION ALL SELECT * FROM unnest(held.day0,held.day1,held.day2,held.day3,held.day4,held.day5,held.day6,held.day7) AS of_day
    ) AS part (minute,trades,unpriced,volume_usd,buys,sells,buy_volume,sell_volume)) AS aged GROUP BY index) AS summed) AS counted
  LEFT JOIN LATERAL (
    SELECT minute FROM pool_candle AS kept WHERE chain_id = $48 AND pool_key = requested.key ORDER BY minute LIMIT 1
  ) AS first ON true
  CROSS JOIN LATERAL (SELECT min(minute) AS minute FROM (
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, at AS part,
    1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token0)::int AS buys,CASE WHEN token_out = token0 THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd, NULL::bigint AS open_at, NULL::bigint AS close_at, price0 AS open0,NULL::numeric AS high0,NULL::numeric AS low0,NULL::numeric AS close0, price1 AS open1,NULL::numeric AS high1,NULL::numeric AS low1,NULL::numeric AS close1
  FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $49 AND pool_key = requested.key AND block_time < coalesce(first.minute, 'infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part) AS first_held) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT requested.token, (
  SELECT price FROM (
    (SELECT extract(epoch FROM minute)::float8 AS price, minute, part AS at FROM token_volume AS stored WHERE chain_id = $2 AND token = requested.token AND minute >= to_timestamp($3) AND minute < to_timestamp($4) AND trades > unpriced
    ORDER BY minute DESC, part DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($5) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1) AS price, json_build_array((
  SELECT price FROM (
    (SELECT extract(epoch FROM minute)::float8 AS price, minute, part AS at FROM token_volume AS stored WHERE chain_id = $6 AND token = requested.token AND minute >= to_timestamp($7) AND minute < to_timestamp($8) AND trades > unpriced
    ORDER BY minute DESC, part DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($9) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1),(
  SELECT price FROM (
    (SELECT extract(epoch FROM minute)::float8 AS price, minute, part AS at FROM token_volume AS stored WHERE chain_id = $10 AND token = requested.token AND minute >= to_timestamp($11) AND minute < to_timestamp($12) AND trades > unpriced
    ORDER BY minute DESC, part DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($13) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1),(
  SELECT price FROM (
    (SELECT extract(epoch FROM minute)::float8 AS price, minute, part AS at FROM token_volume AS stored WHERE chain_id = $14 AND token = requested.token AND minute >= to_timestamp($15) AND minute < to_timestamp($16) AND trades > unpriced
    ORDER BY minute DESC, part DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($17) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1),(
  SELECT price FROM (
    (SELECT extract(epoch FROM minute)::float8 AS price, minute, part AS at FROM token_volume AS stored WHERE chain_id = $18 AND token = requested.token AND minute >= to_timestamp($19) AND minute < to_timestamp($20) AND trades > unpriced
    ORDER BY minute DESC, part DESC LIMIT 1)
    UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
    WHERE minute < to_timestamp($21) ORDER BY minute DESC, at DESC LIMIT 1)
  ) AS newest ORDER BY minute DESC, at DESC LIMIT 1)) AS before, ages,
    extract(epoch FROM least(first.minute, first_held.minute))::float8 AS first
  FROM unnest($22::text[]::bytea[]) AS requested (token) CROSS JOIN LATERAL (SELECT array_agg(extract(epoch FROM minute)::float8) FILTER (WHERE trades > unpriced) AS prices, array_agg(minute) FILTER (WHERE trades > unpriced) AS minutes, array_agg(part) FILTER (WHERE trades > unpriced) AS places,array_agg(minute) FILTER (WHERE minute >= to_timestamp($23) AND minute < to_timestamp($24)) AS day0,array_agg(trades) FILTER (WHERE minute >= to_timestamp($25) AND minute < to_timestamp($26)) AS day1,array_agg(unpriced) FILTER (WHERE minute >= to_timestamp($27) AND minute < to_timestamp($28)) AS day2,array_agg(volume_usd) FILTER (WHERE minute >= to_timestamp($29) AND minute < to_timestamp($30)) AS day3,array_agg(buys) FILTER (WHERE minute >= to_timestamp($31) AND minute < to_timestamp($32)) AS day4,array_agg(trades - buys) FILTER (WHERE minute >= to_timestamp($33) AND minute < to_timestamp($34)) AS day5,array_agg(buy_volume_usd) FILTER (WHERE minute >= to_timestamp($35) AND minute < to_timestamp($36)) AS day6,array_agg(volume_usd - buy_volume_usd) FILTER (WHERE minute >= to_timestamp($37) AND minute < to_timestamp($38)) AS day7 FROM (
  SELECT chain_id, token_in AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_in)::int AS buys,CASE WHEN token_out = token_in THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{2,3,6,7}'::smallint[]) AND chain_id = $39 AND sell_token = requested.token AND block_time >= to_timestamp($40) AND block_time < to_timestamp($41)) AS hop
  ) AS ruled) AS hop
  UNION ALL
  SELECT chain_id, token_out AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_out)::int AS buys,CASE WHEN token_out = token_out THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{4,5,6,7}'::smallint[]) AND chain_id = $42 AND buy_token = requested.token AND block_time >= to_timestamp($43) AND block_time < to_timestamp($44)) AS hop
  ) AS ruled) AS hop) AS part) AS held
  CROSS JOIN LATERAL (SELECT json_agg(sums ORDER BY index) AS ages FROM (
    SELECT index, json_build_array(index, CASE WHEN count(trades) = count(*) THEN sum(trades) END,CASE WHEN count(unpriced) = count(*) THEN sum(unpriced) END,round(CASE WHEN count(volume_usd) = count(*) THEN sum(volume_usd) END, 8)::text,CASE WHEN count(buys) = count(*) THEN sum(buys) END,CASE WHEN count(sells) = count(*) THEN sum(sells) END,round(CASE WHEN count(buy_volume) = count(*) THEN sum(buy_volume) END, 8)::text,round(CASE WHEN count(sell_volume) = count(*) THEN sum(sell_volume) END, 8)::text) AS sums
    FROM (SELECT (minute < to_timestamp($45))::int + (minute < to_timestamp($46))::int + (minute < to_timestamp($47))::int AS index, part.* FROM (
      SELECT minute,trades,unpriced,volume_usd,buys,trades - buys,buy_volume_usd,volume_usd - buy_volume_usd FROM token_volume AS stored WHERE chain_id = $48 AND token = requested.token AND minute >= to_timestamp($49) AND minute < to_timestamp($50)
      UNION ALL SELECT * FROM unnest(held.day0,held.day1,held.day2,held.day3,held.day4,held.day5,held.day6,held.day7) AS of_day
    ) AS part (minute,trades,unpriced,volume_usd,buys,sells,buy_volume,sell_volume)) AS aged GROUP BY index) AS summed) AS counted
  LEFT JOIN LATERAL (
    SELECT minute FROM token_volume AS kept WHERE chain_id = $51 AND token = requested.token ORDER BY minute LIMIT 1
  ) AS first ON true
  CROSS JOIN LATERAL (SELECT min(minute) AS minute FROM (
  SELECT chain_id, token_in AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_in)::int AS buys,CASE WHEN token_out = token_in THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{2,3,6,7}'::smallint[]) AND chain_id = $52 AND sell_token = requested.token AND block_time < coalesce(first.minute, 'infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop
  UNION ALL
  SELECT chain_id, token_out AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_out)::int AS buys,CASE WHEN token_out = token_out THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{4,5,6,7}'::smallint[]) AND chain_id = $53 AND buy_token = requested.token AND block_time < coalesce(first.minute, 'infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part) AS first_held) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool WHERE chain_id = $2
AND address > $3::bytea ORDER BY address LIMIT $4) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool_creation WHERE chain_id = $2 AND pool IN (SELECT unnest($3::text[]::bytea[]))) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT address, symbol, name, decimals FROM token WHERE chain_id = $2
AND address > $3::bytea ORDER BY address LIMIT $4) AS r))::text AS found;

-- listStamps

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT chain_id, count(*)::float8 AS cells, sum(version)::text AS versions FROM list_cell GROUP BY chain_id) AS r),$4::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT chain_id FROM token JOIN unnest($5::int[],
    $6::text[]::bytea[]) AS requested(chain_id, address)
    USING (chain_id, address)) AS r))::text AS found;

-- findLiquidity

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT event.*, amounts::text[], liquidity::text, value_usd::text, pool.dex, pool.token0, pool.token1, pool.coins FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $2 AND (block_time, block_number, log_index) > (to_timestamp($3), $4::bigint, $5::int) ORDER BY block_time ASC, block_number ASC, log_index ASC LIMIT $6) AS scanned
WHERE true ORDER BY block_time ASC, block_number ASC, log_index ASC LIMIT $7) AS event
JOIN pool ON pool.chain_id = event.chain_id AND pool.address = event.pool ORDER BY block_time ASC, block_number ASC, log_index ASC) AS r),$8::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $9 AND (block_time, block_number, log_index) > (to_timestamp($10), $11::bigint, $12::int) ORDER BY block_time ASC, block_number ASC, log_index ASC LIMIT $13) AS scanned OFFSET $14) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT event.*, amounts::text[], liquidity::text, value_usd::text, pool.dex, pool.token0, pool.token1, pool.coins FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $2 AND account = $3::bytea AND block_time >= to_timestamp($4) AND block_time < to_timestamp($5) ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $6) AS scanned
WHERE true ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $7) AS event
JOIN pool ON pool.chain_id = event.chain_id AND pool.address = event.pool ORDER BY block_time DESC, block_number DESC, log_index DESC) AS r),$8::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $9 AND account = $10::bytea AND block_time >= to_timestamp($11) AND block_time < to_timestamp($12) ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $13) AS scanned OFFSET $14) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT event.*, amounts::text[], liquidity::text, value_usd::text, pool.dex, pool.token0, pool.token1, pool.coins FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $2 AND pool = $3::bytea ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $4) AS scanned
WHERE true AND account = $5::bytea AND added = $6 AND value_usd >= $7::numeric ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $8) AS event
JOIN pool ON pool.chain_id = event.chain_id AND pool.address = event.pool ORDER BY block_time DESC, block_number DESC, log_index DESC) AS r),$9::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $10 AND pool = $11::bytea ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $12) AS scanned OFFSET $13) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT event.*, amounts::text[], liquidity::text, value_usd::text, pool.dex, pool.token0, pool.token1, pool.coins FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $2 AND pool = $3::bytea ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $4) AS scanned
WHERE true ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $5) AS event
JOIN pool ON pool.chain_id = event.chain_id AND pool.address = event.pool ORDER BY block_time DESC, block_number DESC, log_index DESC) AS r),$6::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $7 AND pool = $8::bytea ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $9) AS scanned OFFSET $10) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT event.*, amounts::text[], liquidity::text, value_usd::text, pool.dex, pool.token0, pool.token1, pool.coins FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $2 ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $3) AS scanned
WHERE true ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $4) AS event
JOIN pool ON pool.chain_id = event.chain_id AND pool.address = event.pool ORDER BY block_time DESC, block_number DESC, log_index DESC) AS r),$5::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM (SELECT * FROM liquidity_event WHERE chain_id = $6 ORDER BY block_time DESC, block_number DESC, log_index DESC LIMIT $7) AS scanned OFFSET $8) AS r))::text AS found;

-- heldAtEnds

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT ON (start) * FROM (
    SELECT *, prices::text[],
      extract(epoch FROM date_bin(make_interval(secs => $2::int), time - interval '1 second', to_timestamp($3)))::float8 AS start
    FROM liquidity_hour WHERE chain_id = $4 AND time > to_timestamp($5) AND time <= to_timestamp($6)
  ) AS hour ORDER BY start, time DESC) AS r),$7::text, (SELECT coalesce(json_agg(r), '[]') FROM ((SELECT time, amounts::text[] FROM pool_hour
WHERE chain_id = $8 AND pool = $9::bytea AND time <= to_timestamp($10) ORDER BY time DESC LIMIT 1) UNION ALL
  (SELECT time, amounts::text[] FROM pool_hour
WHERE chain_id = $11 AND pool = $12::bytea AND time > to_timestamp($13) AND time <= to_timestamp($14)) ORDER BY time) AS r))::text AS found;

-- liquiditySums

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT extract(epoch FROM date_bin(make_interval(secs => $2::int), block_time, to_timestamp($3)))::float8 AS time, added AS "isAdded",
  count(*)::float8 AS events,
  CASE WHEN bool_and(amounts <> '{}') THEN ARRAY[sum(coalesce(amounts[$4], 0)),sum(coalesce(amounts[$5], 0))]::text[] END AS amounts,
  CASE WHEN count(value_usd) = count(*) THEN round(sum(value_usd), 8)::text END AS usd
FROM liquidity_event
WHERE pool = $6::bytea AND chain_id = $7
  AND block_time >= to_timestamp($8) AND block_time < to_timestamp($9)
GROUP BY 1, 2 ORDER BY 1, 2) AS r))::text AS found;

-- listSnapshot

SELECT block_number, transaction_index, position, extract(epoch FROM block_time), '0x' || encode(tx_hash, 'hex'),
  '0x' || encode(sell_token, 'hex'), sell_native, sell_amount,
  '0x' || encode(buy_token, 'hex'), buy_native, buy_amount, volume_usd, flags
FROM swap WHERE chain_id = $1 AND block_number <= $2::bigint
  AND (block_number, transaction_index, position)
    > ($3::bigint, $4, $5)
ORDER BY block_number, transaction_index, position LIMIT $6;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT cell, version::text FROM list_cell WHERE chain_id = $2) AS r))::text AS found;

SELECT pg_backend_pid() AS backend;

WITH RECURSIVE probe(low, high) AS (
  SELECT
    (SELECT block_number FROM swap WHERE chain_id = $1 AND block_time >= to_timestamp($2) ORDER BY block_number LIMIT 1),
    (SELECT block_number FROM swap WHERE chain_id = $3 AND block_time >= to_timestamp($4) ORDER BY block_number DESC LIMIT 1)
  UNION ALL
  SELECT
    CASE WHEN next.block_time < to_timestamp($5) THEN next.block_number + 1 ELSE probe.low END,
    CASE WHEN next.block_time < to_timestamp($6) THEN probe.high ELSE probe.low + (probe.high - probe.low) / 2 END
  FROM probe CROSS JOIN LATERAL (
    SELECT block_number, block_time FROM swap
    WHERE chain_id = $7 AND block_time >= to_timestamp($8) AND block_number >= probe.low + (probe.high - probe.low) / 2 ORDER BY block_number LIMIT 1
  ) next
  WHERE probe.low < probe.high
)
SELECT max(low)::float8 AS "from", max(high)::float8 AS "to" FROM probe WHERE low IS NOT NULL;

-- edge

SELECT extract(epoch FROM least((
SELECT block_time FROM swap
WHERE chain_id = $1 AND block_number BETWEEN $2::bigint AND $3::bigint
ORDER BY block_number ASC LIMIT 1),(
SELECT block_time FROM liquidity_event
WHERE chain_id = $4 AND block_number BETWEEN $5::bigint AND $6::bigint
ORDER BY block_number ASC LIMIT 1)))::float8 AS "from",
  extract(epoch FROM greatest((
SELECT block_time FROM swap
WHERE chain_id = $7 AND block_number BETWEEN $8::bigint AND $9::bigint
ORDER BY block_number DESC LIMIT 1),(
SELECT block_time FROM liquidity_event
WHERE chain_id = $10 AND block_number BETWEEN $11::bigint AND $12::bigint
ORDER BY block_number DESC LIMIT 1)))::float8 AS "to";

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT * FROM alert WHERE chain_id = $2 AND number > $3 AND status <> 'cleared'
ORDER BY number LIMIT $4) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT (SELECT coalesce(max(number), 0) FROM alert WHERE chain_id = $2) AS number) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT event.*, amounts::text[], liquidity::text, value_usd::text, pool.dex, pool.token0, pool.token1, pool.coins FROM (SELECT * FROM liquidity_event
WHERE chain_id = $2 AND block_number BETWEEN $3::bigint AND $4::bigint ORDER BY block_number, log_index LIMIT $5) AS event
JOIN pool ON pool.chain_id = event.chain_id AND pool.address = event.pool ORDER BY block_number, log_index) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT token, time, trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume, buys::float8 AS buys, (trades - buys)::float8 AS sells,
buy_volume_usd::text AS buy_volume, (volume_usd - buy_volume_usd)::text AS sell_volume FROM (
  SELECT '0x' || encode(part.token, 'hex') AS token, extract(epoch FROM part.minute)::float8 AS time,
    sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd
  FROM (SELECT token, to_timestamp(minute) AS minute
    FROM json_to_recordset($2::json) AS one (minute bigint, token bytea)) AS requested
  CROSS JOIN LATERAL (SELECT chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd FROM token_volume WHERE chain_id = $3 AND token = requested.token AND minute >= to_timestamp($4) AND minute < to_timestamp($5)
    AND minute >= requested.minute AND minute < requested.minute + interval '1 minute' AND minute >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) UNION ALL
  SELECT chain_id, token_in AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_in)::int AS buys,CASE WHEN token_out = token_in THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{2,3,6,7}'::smallint[]) AND chain_id = $6 AND sell_token = requested.token AND block_time >= to_timestamp($7) AND block_time < to_timestamp($8)
    AND block_time >= requested.minute AND block_time < requested.minute + interval '1 minute' AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop
  UNION ALL
  SELECT chain_id, token_out AS token, minute, at AS part, 1 AS trades,(volume_usd IS NULL)::int AS unpriced,coalesce(volume_usd, 0.00000000) AS volume_usd,(token_out = token_out)::int AS buys,CASE WHEN token_out = token_out THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END AS buy_volume_usd FROM (
  SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount0) END AS price0, CASE WHEN sets_price THEN div(volume_usd * 1e42, amount1) END AS price1
  FROM (
    SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
      block_number::bigint * 1048576 + least(log_index, 1048575) AS at,
      least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
      CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
      CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
      coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
    FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{4,5,6,7}'::smallint[]) AND chain_id = $9 AND buy_token = requested.token AND block_time >= to_timestamp($10) AND block_time < to_timestamp($11)
    AND block_time >= requested.minute AND block_time < requested.minute + interval '1 minute' AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part GROUP BY part.token, part.minute) AS folded) AS r))::text AS found;

WITH page AS MATERIALIZED (SELECT * FROM swap WHERE chain_id = $1 AND block_number BETWEEN $2::bigint AND $3::bigint
  ORDER BY block_number, transaction_index, position LIMIT $4) SELECT json_build_object($5::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM page) AS r),$6::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND true OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r))::text AS found;

-- swapsOfDay

WITH page AS MATERIALIZED (SELECT * FROM swap WHERE chain_id = $1 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200)
  AND (block_number, transaction_index, position) > ($2::bigint, $3, $4)
  ORDER BY block_number, transaction_index, position LIMIT $5) SELECT json_build_object($6::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM page) AS r),$7::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND true OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r))::text AS found;

-- findSwaps

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT floor(extract(epoch FROM block_time) / 86400::float8)::int AS day FROM swap
WHERE substring(tx_hash from 1 for 4) = $2::bytea AND tx_hash = $3::bytea AND NOT (block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT day FROM (SELECT $2::int AS day FROM swap WHERE substring(tx_hash from 1 for 4) = $3::bytea AND tx_hash = $4::bytea AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200)) AS found LIMIT 1) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true AND (sell_token = $1::bytea OR buy_token = $2::bytea) AND volume_usd >= $3::numeric, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$4, $5, $6]::bigint[],ARRAY[(SELECT coalesce(head_number, $7::bigint) FROM network WHERE chain_id = $8), $9, $10]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($11::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $12 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) AND block_number >= coalesce(day.last_block, 0) AND block_time >= to_timestamp($13) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $14
    ) AS swap
  ) AS swap WHERE last OR coalesce(true AND (sell_token = $15::bytea OR buy_token = $16::bytea) AND volume_usd >= $17::numeric, false) LIMIT $18)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $19 ROWS WITH TIES)
  SELECT json_build_object($20::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$21::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$22::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$23::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$24::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$25::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true AND CASE WHEN swap.hop_log_index IS NOT NULL THEN EXISTS (SELECT FROM pool WHERE pool.chain_id = $1
      AND dex = $2 AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = swap.pool_key OFFSET 0)
  ELSE EXISTS (SELECT FROM swap_hop AS hop WHERE hop.chain_id = $3 AND hop.block_number = swap.block_number
    AND hop.transaction_index = swap.transaction_index AND hop.position = swap.position
    AND hop.block_time = swap.block_time AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND EXISTS (SELECT FROM pool WHERE pool.chain_id = $4
      AND dex = $5 AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = hop.pool_key OFFSET 0) OFFSET 0) END, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$6, $7, $8]::bigint[],ARRAY[(SELECT coalesce(head_number, $9::bigint) FROM network WHERE chain_id = $10), $11, $12]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($13::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $14 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $15
    ) AS swap
  ) AS swap WHERE last OR coalesce(true AND CASE WHEN swap.hop_log_index IS NOT NULL THEN EXISTS (SELECT FROM pool WHERE pool.chain_id = $16
      AND dex = $17 AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = swap.pool_key OFFSET 0)
  ELSE EXISTS (SELECT FROM swap_hop AS hop WHERE hop.chain_id = $18 AND hop.block_number = swap.block_number
    AND hop.transaction_index = swap.transaction_index AND hop.position = swap.position
    AND hop.block_time = swap.block_time AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND EXISTS (SELECT FROM pool WHERE pool.chain_id = $19
      AND dex = $20 AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = hop.pool_key OFFSET 0) OFFSET 0) END, false) LIMIT $21)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $22 ROWS WITH TIES)
  SELECT json_build_object($23::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$24::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$25::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$26::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$27::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$28::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true AND CASE WHEN swap.hop_log_index IS NOT NULL THEN swap.pool_key = $1::bigint
  ELSE EXISTS (SELECT FROM swap_hop AS hop WHERE hop.chain_id = $2 AND hop.block_number = swap.block_number
    AND hop.transaction_index = swap.transaction_index AND hop.position = swap.position
    AND hop.block_time = swap.block_time AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND hop.pool_key = $3::bigint OFFSET 0) END, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$4, $5, $6]::bigint[],ARRAY[(SELECT coalesce(head_number, $7::bigint) FROM network WHERE chain_id = $8), $9, $10]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($11::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $12 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $13
    ) AS swap
  ) AS swap WHERE last OR coalesce(true AND CASE WHEN swap.hop_log_index IS NOT NULL THEN swap.pool_key = $14::bigint
  ELSE EXISTS (SELECT FROM swap_hop AS hop WHERE hop.chain_id = $15 AND hop.block_number = swap.block_number
    AND hop.transaction_index = swap.transaction_index AND hop.position = swap.position
    AND hop.block_time = swap.block_time AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND hop.pool_key = $16::bigint OFFSET 0) END, false) LIMIT $17)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $18 ROWS WITH TIES)
  SELECT json_build_object($19::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$20::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$21::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$22::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$23::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$24::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true AND buy_token = $1::bytea, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$2, $3, $4]::bigint[],ARRAY[(SELECT coalesce(head_number, $5::bigint) FROM network WHERE chain_id = $6), $7, $8]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($9::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $10 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $11
    ) AS swap
  ) AS swap WHERE last OR coalesce(true AND buy_token = $12::bytea, false) LIMIT $13)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $14 ROWS WITH TIES)
  SELECT json_build_object($15::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$16::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$17::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$18::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$19::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$20::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true AND sell_token = $1::bytea, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$2, $3, $4]::bigint[],ARRAY[(SELECT coalesce(head_number, $5::bigint) FROM network WHERE chain_id = $6), $7, $8]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($9::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $10 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $11
    ) AS swap
  ) AS swap WHERE last OR coalesce(true AND sell_token = $12::bytea, false) LIMIT $13)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $14 ROWS WITH TIES)
  SELECT json_build_object($15::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$16::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$17::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$18::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$19::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$20::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true AND trader = $1::bytea, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$2, $3, $4]::bigint[],ARRAY[(SELECT coalesce(head_number, $5::bigint) FROM network WHERE chain_id = $6), $7, $8]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($9::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $10 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $11
    ) AS swap
  ) AS swap WHERE last OR coalesce(true AND trader = $12::bytea, false) LIMIT $13)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $14 ROWS WITH TIES)
  SELECT json_build_object($15::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$16::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$17::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$18::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$19::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$20::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r),$21::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT to_date(right(relname, 8), 'YYYYMMDD') - DATE '1970-01-01' AS day, relname::text AS table,
  pg_stat_get_tuples_inserted(pg_class.oid)::float8 AS received,
  ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = pg_class.oid AND indisvalid) AS indexes
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
WHERE inhparent = 'swap'::regclass AND NOT inhdetachpending ORDER BY relname DESC) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$1, $2, $3]::bigint[],ARRAY[(SELECT coalesce(head_number, $4::bigint) FROM network WHERE chain_id = $5), $6, $7]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($8::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $9 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $10
    ) AS swap
  ) AS swap WHERE last OR coalesce(true, false) LIMIT $11)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $12 ROWS WITH TIES)
  SELECT json_build_object($13::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$14::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$15::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$16::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$17::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$18::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r))::text AS found;

WITH searched AS MATERIALIZED ((
  SELECT swap.*, coalesce(true, false) AS matching, false AS common FROM (
    SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
      SELECT swap.* FROM (
  SELECT day, least(ARRAY[$1, $2, $3]::bigint[],ARRAY[(SELECT coalesce(head_number, $4::bigint) FROM network WHERE chain_id = $5), $6, $7]::bigint[]) AS begin, NULL::bigint AS last_block
  FROM unnest($8::int[]) AS day) AS day CROSS JOIN LATERAL (
        SELECT * FROM swap WHERE chain_id = $9 AND block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200) AND block_time >= to_timestamp(day.day * 86400::float8) AND block_time < to_timestamp((day.day + 1) * 86400::float8) AND (block_number, transaction_index, position) <= (day.begin[1], day.begin[2], day.begin[3]) ORDER BY block_number DESC, transaction_index DESC, position DESC
      ) AS swap LIMIT $10
    ) AS swap
  ) AS swap WHERE last OR coalesce(true, false) LIMIT $11)), page AS MATERIALIZED (SELECT * FROM (
    SELECT *, min(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
      DESC, block_number DESC, transaction_index DESC, position DESC) AS comes_at
    FROM searched WHERE matching
  ) AS found ORDER BY comes_at DESC FETCH FIRST $12 ROWS WITH TIES)
  SELECT json_build_object($13::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$14::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$15::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$16::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$17::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$18::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r),$19::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT chain_id, day - DATE '1970-01-01' AS day, version FROM (
  SELECT l.*, since, (row_number() OVER (PARTITION BY chain_id ORDER BY l.day DESC))::int AS age
  FROM lake_day l JOIN kept_days ON l.day < since WHERE l.is_written AND NOT l.is_changed
) AS written WHERE day = since - age ORDER BY chain_id, day) AS r))::text AS found;

WITH searched AS MATERIALIZED ((SELECT swap.*, 0 AS examined, false AS last, true AS matching, false AS common FROM swap
  WHERE chain_id = $1 AND substring(tx_hash from 1 for 4) = $2::bytea AND tx_hash = $3::bytea AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) AND coalesce(true AND tx_hash = $4::bytea, false) ORDER BY block_number, transaction_index, position)), page AS MATERIALIZED (SELECT * FROM searched WHERE matching)
  SELECT json_build_object($5::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$6::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r),$7::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM searched WHERE matching) AS r),$8::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, (
  SELECT json_agg(json_build_object('address', address, 'dex', dex,
    'tokens', coins || underlying || token0 || token1)) FROM pool
  WHERE pool.chain_id = hop.chain_id AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
) AS pools
FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM (SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM page AS swap) AS hop
  WHERE log_index IS NOT NULL
  UNION ALL
  SELECT hop.* FROM page CROSS JOIN LATERAL (
    SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
      AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
      AND hop.position = page.position AND hop.block_time = page.block_time AND ((block_time >= to_timestamp(1795132800) AND block_time < to_timestamp(1795219200))) OFFSET 0) AS hop
  WHERE page.hop_log_index IS NULL
) AS hop
ORDER BY block_number, transaction_index, log_index) AS r),$9::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT token.* FROM (
  SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
) AS traded CROSS JOIN LATERAL (
  SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token) AS r),$10::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM searched WHERE last) AS r))::text AS found;
