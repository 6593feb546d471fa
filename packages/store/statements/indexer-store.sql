-- register

INSERT INTO network AS stored (chain_id, name, genesis_hash, wrapped_native, start_block, start_time)
VALUES ($1, $2, $3::bytea, $4::bytea, $5,
  to_timestamp($6))
ON CONFLICT (chain_id) DO UPDATE SET active = true, genesis_hash = coalesce(stored.genesis_hash, excluded.genesis_hash),
  start_time = CASE WHEN stored.start_block <= excluded.start_block THEN stored.start_time ELSE excluded.start_time END,
  start_block = least(stored.start_block, excluded.start_block)
RETURNING genesis_hash::text AS genesis;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE chain_id = $2) AS r))::text AS found;

SELECT pg_backend_pid() AS backend, CASE WHEN current_setting('transaction_timeout', true) <> '0'
THEN set_config('transaction_timeout', '0', false) END;

-- acquireWriter

SELECT pg_advisory_lock($1, $2);

UPDATE network SET writer_epoch = writer_epoch + 1 WHERE chain_id = $1 RETURNING writer_epoch AS epoch;

-- configure

DELETE FROM "public"."listed_symbol" WHERE "public"."listed_symbol"."chain_id" = $1;

INSERT INTO "public"."listed_symbol" ("chain_id","symbol","address") VALUES ($1,$2,$3), ($4,$5,$6) ON CONFLICT DO NOTHING;

SELECT "public"."listed_symbol"."chain_id", "public"."listed_symbol"."symbol", "public"."listed_symbol"."address" FROM "public"."listed_symbol" WHERE "public"."listed_symbol"."chain_id" = $1 OFFSET $2;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT address, symbol, name, decimals FROM token WHERE chain_id = $2 AND address IN (SELECT unnest($3::text[]::bytea[]))) AS r))::text AS found;

UPDATE "public"."network" SET "anchors" = $1, "stablecoins" = $2, "wrapped_native" = $3 WHERE ("public"."network"."chain_id" = $4 AND 1=1) RETURNING "public"."network"."chain_id", "public"."network"."name", "public"."network"."active", "public"."network"."genesis_hash", "public"."network"."wrapped_native", "public"."network"."start_block", "public"."network"."start_time", "public"."network"."writer_epoch", "public"."network"."revision", "public"."network"."reorgs", "public"."network"."head_number", "public"."network"."head_hash", "public"."network"."head_time", "public"."network"."chain_head_number", "public"."network"."chain_head_time", "public"."network"."final_number", "public"."network"."degraded", "public"."network"."anchors", "public"."network"."unproven_since", "public"."network"."unproven_until", "public"."network"."budget_shortfall", "public"."network"."list_version", "public"."network"."stablecoins", "public"."network"."flow_unknown_to";

UPDATE network SET list_version = floor(random() * 9007199254740992)::bigint WHERE chain_id = $1;

WITH changed AS (
  INSERT INTO token AS known SELECT DISTINCT ON (address) *
  FROM json_populate_recordset(NULL::token, $1::json) ORDER BY address
  ON CONFLICT (chain_id, address)
    DO UPDATE SET symbol = excluded.symbol, name = excluded.name, decimals = excluded.decimals
    WHERE (known.symbol, known.name, known.decimals) IS DISTINCT FROM (excluded.symbol, excluded.name, excluded.decimals)
  RETURNING chain_id, address, decimals
)
SELECT count(*) > 0 AS "isChanged", EXISTS (
  SELECT FROM changed JOIN token AS known USING (chain_id, address)
  WHERE known.decimals IS DISTINCT FROM changed.decimals
) AS "hasOtherDecimals"
FROM changed;

WITH locked AS MATERIALIZED (SELECT to_json(network) AS row FROM network WHERE chain_id = $1 FOR UPDATE)
SELECT row  FROM locked;

-- networkRow

-- alignFees

SELECT 1 FROM pool JOIN json_to_recordset($1::json) AS configured (factory bytea, fee integer) USING (factory)
WHERE pool.chain_id = $2 AND pool.fee <> configured.fee LIMIT 1;

WITH expected AS MATERIALIZED (
SELECT address, in_states FROM json_to_recordset($1::json) AS expected (factory bytea, in_states boolean)
JOIN pool USING (factory) WHERE chain_id = $2
UNION ALL SELECT address, NULL FROM pool WHERE chain_id = $3 AND factory NOT IN (SELECT unnest($4::text[]::bytea[])))
(SELECT 1 FROM pool_state JOIN expected ON pool = address WHERE chain_id = $5 AND (fee_zero_for_one IS NOT NULL) IS DISTINCT FROM in_states LIMIT 1)
UNION ALL
(SELECT 1 FROM invalidated_pool JOIN expected ON pool = address WHERE chain_id = $6 AND in_states IS NULL LIMIT 1);

-- lowerStart

UPDATE "public"."network" SET "start_block" = $1, "start_time" = $2 WHERE ("public"."network"."chain_id" = $3 AND "public"."network"."start_block" > $4);

-- commitHistory

ALTER TABLE day_trader ATTACH PARTITION day_trader_<day> FOR VALUES FROM ('2026-11-20') TO ('2026-11-21');

ALTER TABLE pool_candle ATTACH PARTITION pool_candle_<day> FOR VALUES FROM (to_timestamp(1795132800)) TO (to_timestamp(1795219200));

ALTER TABLE swap ATTACH PARTITION swap_<day> FOR VALUES FROM (to_timestamp(1795132800)) TO (to_timestamp(1795219200));

ALTER TABLE swap_<day> ADD PRIMARY KEY (chain_id, block_number, transaction_index, position);

ALTER TABLE swap_hop ATTACH PARTITION swap_hop_<day> FOR VALUES FROM (to_timestamp(1795132800)) TO (to_timestamp(1795219200));

ALTER TABLE swap_hop_<day> ADD PRIMARY KEY (chain_id, block_number, transaction_index, log_index);

ALTER TABLE token_flow ATTACH PARTITION token_flow_<day> FOR VALUES FROM (to_timestamp(1795132800)) TO (to_timestamp(1795219200));

ALTER TABLE token_volume ATTACH PARTITION token_volume_<day> FOR VALUES FROM (to_timestamp(1795132800)) TO (to_timestamp(1795219200));

COPY pool_candle (chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1) FROM STDIN;

COPY swap (chain_id,block_number,transaction_index,position,block_time,tx_hash,trader,sell_token,sell_native,sell_amount,buy_token,buy_native,buy_amount,volume_usd,usd_source,flags,settled_for,pool_key,hop_log_index,parts) FROM STDIN;

COPY swap_hop (chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags) FROM STDIN;

COPY token_volume (chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd) FROM STDIN;

CREATE TABLE day_trader_<day> (LIKE day_trader INCLUDING ALL);

CREATE TABLE pool_candle_<day> (LIKE pool_candle INCLUDING ALL);

CREATE TABLE swap_<day> (LIKE swap INCLUDING ALL);

CREATE TABLE swap_hop_<day> (LIKE swap_hop INCLUDING ALL);

CREATE TABLE token_flow_<day> (LIKE token_flow INCLUDING ALL);

CREATE TABLE token_volume_<day> (LIKE token_volume INCLUDING ALL);

DELETE FROM "public"."awaited_key" WHERE ("public"."awaited_key"."chain_id" = $1 AND "public"."awaited_key"."block_number" >= $2 AND "public"."awaited_key"."block_number" <= $3);

INSERT INTO day_total AS total SELECT * FROM json_populate_recordset(NULL::day_total, $1::json) ORDER BY day
ON CONFLICT (day, chain_id) DO UPDATE SET swaps = total.swaps + excluded.swaps,
  unpriced = total.unpriced + excluded.unpriced, flagged = total.flagged + excluded.flagged,
  volume_usd = total.volume_usd + excluded.volume_usd;

INSERT INTO hour_volume AS stored (chain_id, hour, protocol, trades, unpriced, volume_usd)
SELECT chain_id, hour, protocol, trades, unpriced, volume_usd FROM json_populate_recordset(NULL::hour_volume, $1::json)
ORDER BY hour, protocol
ON CONFLICT (chain_id, hour, protocol) DO UPDATE SET trades = stored.trades + excluded.trades,
  unpriced = stored.unpriced + excluded.unpriced, volume_usd = stored.volume_usd + excluded.volume_usd;

INSERT INTO liquidity_event SELECT * FROM json_populate_recordset(NULL::liquidity_event, $1::json)
WHERE block_time >= coalesce(
(SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz);

INSERT INTO list_cell (chain_id, cell, version, until)
SELECT $1, cell, floor(random() * 9007199254740992)::bigint, coalesce(to_timestamp($2::float8), head_time, now())
FROM unnest($3::bigint[]) AS cell, network
WHERE chain_id = $4 AND (head_time IS NULL OR $5::float8 IS NULL
  OR to_timestamp($6::float8) >= head_time - interval '26 hours')
ORDER BY cell
ON CONFLICT (chain_id, cell) DO UPDATE SET version = excluded.version, until = excluded.until;

INSERT INTO pool SELECT * FROM json_populate_recordset(NULL::pool, $1::json)
ORDER BY address ON CONFLICT DO NOTHING RETURNING address::text;

INSERT INTO token SELECT * FROM json_populate_recordset(NULL::token, $1::json)
ORDER BY address ON CONFLICT DO NOTHING;

INSERT INTO unconfirmed_denial SELECT * FROM json_populate_recordset(NULL::unconfirmed_denial, $1::json)
ORDER BY emitter ON CONFLICT (chain_id, emitter, from_block) DO UPDATE
  SET to_block = greatest(unconfirmed_denial.to_block, excluded.to_block);

INSERT INTO unread_pool (chain_id, pool, place)
SELECT $1::int, pool, $2::int FROM (SELECT unnest($3::text[]::bytea[])) AS added (pool)
ORDER BY pool ON CONFLICT DO NOTHING;

SELECT "public"."covered_range"."chain_id", "public"."covered_range"."from_block" FROM "public"."covered_range" WHERE ("public"."covered_range"."chain_id" = $1 AND "public"."covered_range"."from_block" <= $2 AND "public"."covered_range"."to_block" >= $3) LIMIT $4 OFFSET $5;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT since FROM kept_days) AS r))::text AS found;

SELECT pg_advisory_xact_lock($1::int, $2::int);

SELECT pg_advisory_xact_lock($1::int, 0);

SELECT pg_advisory_xact_lock_shared($1::int, $2::int);

SELECT pg_advisory_xact_lock_shared($1::int, day) FROM unnest($2::int[]) AS day;

SELECT pg_backend_pid() AS backend;

SELECT pg_notify($1, $2);

SELECT relname::text AS name FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid AND NOT inhdetachpending
WHERE relname = ANY ($1)
  AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema());

WITH listed AS MATERIALIZED (SELECT day, decode(trader, 'hex') AS trader
  FROM unnest($1::date[], $2::text[]) AS listed (day, trader)), written AS (
    INSERT INTO day_trader AS stored (day, trader, networks)
    SELECT day, trader, $3::int FROM listed
    WHERE NOT EXISTS (SELECT FROM day_trader AS known WHERE known.day = listed.day AND known.trader = listed.trader
      AND known.networks & $4::int <> 0 OFFSET 0)
    ORDER BY day, trader
    ON CONFLICT (day, trader) DO UPDATE SET networks = stored.networks | excluded.networks
      WHERE stored.networks & excluded.networks = 0
    RETURNING day, networks
  ), new AS (
    SELECT day, networks, count(*) AS addresses FROM written GROUP BY 1, 2
  ), moved AS MATERIALIZED (
    SELECT day, networks, sum(addresses) AS addresses FROM (
      SELECT day, networks, addresses FROM new UNION ALL SELECT day, networks - $5::int, -addresses FROM new
    ) AS both_sides GROUP BY 1, 2
  )
INSERT INTO day_address_count AS stored (day, networks, addresses)
SELECT day, networks, greatest(addresses, 0) FROM moved WHERE networks > 0 AND addresses <> 0 ORDER BY day, networks
ON CONFLICT (day, networks) DO UPDATE SET addresses = stored.addresses + (
  SELECT moved.addresses FROM moved WHERE moved.day = stored.day AND moved.networks = stored.networks) RETURNING day, addresses;

WITH overlap AS (
  SELECT FROM covered_range WHERE chain_id = $1 AND from_block <= $2 AND to_block >= $3
), neighbour AS (
  DELETE FROM covered_range
  WHERE chain_id = $4 AND (to_block = $5 OR from_block = $6) AND rules = $7
    AND NOT EXISTS (SELECT FROM overlap)
  RETURNING from_block, to_block, from_time, to_time
)
INSERT INTO covered_range (chain_id, from_block, to_block, from_time, to_time, rules)
SELECT $8, least($9, min(from_block)), greatest($10, max(to_block)),
  coalesce(min(from_time) FILTER (WHERE from_block < $11), to_timestamp($12)),
  coalesce(max(to_time) FILTER (WHERE to_block > $13), to_timestamp($14)), $15
FROM neighbour HAVING NOT EXISTS (SELECT FROM overlap);

-- coveredRanges

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range WHERE chain_id = $2 ORDER BY from_block) AS r))::text AS found;

-- oldRanges

-- commitHead

INSERT INTO alert (chain_id, number, id, rule, condition, status, block_number, time, details, is_retracted, webhooks, pending)
SELECT chain_id, (SELECT coalesce(max(number), 0) FROM alert WHERE chain_id = $1) + number, id, rule, condition, status, block_number, time, details, is_retracted,
  webhooks, pending
FROM json_populate_recordset(NULL::alert, $2::json);

INSERT INTO pool_candle AS stored (chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1)
SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1 FROM json_populate_recordset(NULL::pool_candle, $1::json)
ON CONFLICT (chain_id,pool_key,minute,token0_key,token1_key,part) DO UPDATE SET trades = stored.trades + excluded.trades,unpriced = stored.unpriced + excluded.unpriced,volume_usd = stored.volume_usd + excluded.volume_usd,buys = stored.buys + excluded.buys,buy_volume_usd = stored.buy_volume_usd + excluded.buy_volume_usd,open0 = CASE WHEN CASE WHEN stored.open0 IS NOT NULL THEN coalesce(stored.open_at, stored.part) END < CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.open_at, excluded.part) END OR CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.open_at, excluded.part) END IS NULL
THEN stored.open0 ELSE excluded.open0 END,close0 = CASE WHEN CASE WHEN stored.open0 IS NOT NULL THEN coalesce(stored.close_at, stored.open_at, stored.part) END > CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.close_at, excluded.open_at, excluded.part) END OR CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.close_at, excluded.open_at, excluded.part) END IS NULL
THEN coalesce(stored.close0, stored.open0) ELSE coalesce(excluded.close0, excluded.open0) END,high0 = greatest(coalesce(stored.high0, stored.open0), coalesce(excluded.high0, excluded.open0)),low0 = least(coalesce(stored.low0, stored.open0), coalesce(excluded.low0, excluded.open0)),open1 = CASE WHEN CASE WHEN stored.open0 IS NOT NULL THEN coalesce(stored.open_at, stored.part) END < CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.open_at, excluded.part) END OR CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.open_at, excluded.part) END IS NULL
THEN stored.open1 ELSE excluded.open1 END,close1 = CASE WHEN CASE WHEN stored.open0 IS NOT NULL THEN coalesce(stored.close_at, stored.open_at, stored.part) END > CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.close_at, excluded.open_at, excluded.part) END OR CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.close_at, excluded.open_at, excluded.part) END IS NULL
THEN coalesce(stored.close1, stored.open1) ELSE coalesce(excluded.close1, excluded.open1) END,high1 = greatest(coalesce(stored.high1, stored.open1), coalesce(excluded.high1, excluded.open1)),low1 = least(coalesce(stored.low1, stored.open1), coalesce(excluded.low1, excluded.open1)),open_at = least(CASE WHEN stored.open0 IS NOT NULL THEN coalesce(stored.open_at, stored.part) END, CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.open_at, excluded.part) END),close_at = greatest(CASE WHEN stored.open0 IS NOT NULL THEN coalesce(stored.close_at, stored.open_at, stored.part) END, CASE WHEN excluded.open0 IS NOT NULL THEN coalesce(excluded.close_at, excluded.open_at, excluded.part) END);

INSERT INTO pool_creation AS stored SELECT DISTINCT ON (pool) *
FROM json_populate_recordset(NULL::pool_creation, $1::json)
ORDER BY pool, block_number, transaction_index
ON CONFLICT (chain_id, pool) DO UPDATE SET block_number = excluded.block_number, block_time = excluded.block_time,
  transaction_index = excluded.transaction_index, tx_hash = excluded.tx_hash, creator = excluded.creator
  WHERE excluded.block_number < stored.block_number;

INSERT INTO swap (chain_id,block_number,transaction_index,position,block_time,tx_hash,trader,sell_token,sell_native,sell_amount,buy_token,buy_native,buy_amount,volume_usd,usd_source,flags,settled_for,pool_key,hop_log_index,parts)
SELECT chain_id,block_number,transaction_index,position,block_time,tx_hash,trader,sell_token,sell_native,sell_amount,buy_token,buy_native,buy_amount,volume_usd,usd_source,flags,settled_for,pool_key,hop_log_index,parts FROM json_populate_recordset(NULL::swap, $1::json);

INSERT INTO token_volume AS stored (chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd)
SELECT chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd FROM json_populate_recordset(NULL::token_volume, $1::json)
ON CONFLICT (chain_id,token,minute,part) DO UPDATE SET trades = stored.trades + excluded.trades,unpriced = stored.unpriced + excluded.unpriced,volume_usd = stored.volume_usd + excluded.volume_usd,buys = stored.buys + excluded.buys,buy_volume_usd = stored.buy_volume_usd + excluded.buy_volume_usd;

SELECT "public"."block"."chain_id", "public"."block"."number", "public"."block"."hash", "public"."block"."parent_hash", "public"."block"."block_time" FROM "public"."block" WHERE (("public"."block"."chain_id" = $1 AND "public"."block"."number" = $2) AND 1=1) LIMIT $3 OFFSET $4;

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
  SELECT n, (CASE WHEN newest.minute IS NULL OR (held.minute, held.at) > (newest.minute, newest.at)
    THEN held.price ELSE newest.price END)::text AS price, extract(epoch FROM CASE WHEN newest.minute IS NULL OR (held.minute, held.at) > (newest.minute, newest.at)
    THEN held.minute ELSE newest.minute END)::float8 AS minute
  FROM json_to_recordset($2::json)
  AS requested (n int, pool bigint, token bigint, since bigint, until bigint)
  LEFT JOIN LATERAL (
    SELECT CASE WHEN token0_key = requested.token THEN coalesce(close0, open0) ELSE coalesce(close1, open1) END AS price, minute, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS at FROM pool_candle
    WHERE chain_id = $3 AND pool_key = requested.pool AND minute >= to_timestamp($4) AND minute < to_timestamp($5)
  AND minute >= to_timestamp(requested.since) AND minute < to_timestamp(requested.until) AND requested.token IN (token0_key, token1_key) AND open0 IS NOT NULL ORDER BY minute DESC, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END DESC LIMIT 1
  ) AS newest ON true
  LEFT JOIN LATERAL (
    SELECT CASE WHEN token0_key = requested.token THEN coalesce(close0, open0) ELSE coalesce(close1, open1) END AS price, minute, part AS at FROM (
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
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND chain_id = $6 AND pool_key = requested.pool AND block_time >= to_timestamp($7) AND block_time < to_timestamp($8)
  AND block_time >= to_timestamp(requested.since) AND block_time < to_timestamp(requested.until) AND block_time >= coalesce(newest.minute, '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part
    WHERE requested.token IN (token0_key, token1_key) AND open0 IS NOT NULL ORDER BY minute DESC, part DESC LIMIT 1
  ) AS held ON true) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT asked.rule, asked.condition
FROM json_to_recordset($2::json) AS asked (rule text, condition text) CROSS JOIN LATERAL (
  SELECT status FROM alert
  WHERE chain_id = $3 AND rule = asked.rule AND condition = asked.condition AND NOT is_retracted
  ORDER BY number DESC LIMIT 1
) AS last WHERE last.status = 'fired') AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT created.pool, summed.value
FROM (SELECT unnest($2::text[]::bytea[])) AS grown (pool)
CROSS JOIN LATERAL (
  SELECT pool FROM pool_creation
  WHERE chain_id = $3 AND pool = grown.pool AND block_time > to_timestamp($4) LIMIT 1
) AS created
CROSS JOIN LATERAL (
  SELECT sum(CASE WHEN added THEN value_usd ELSE -value_usd END)::text AS value
  FROM (SELECT chain_id, added, value_usd FROM liquidity_event WHERE pool = created.pool OFFSET 0) AS event
  WHERE chain_id = $5
) AS summed
WHERE summed.value IS NOT NULL) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT rule FROM alert
WHERE chain_id = $2 AND block_number > $3 AND is_retracted) AS r))::text AS found;

WITH final AS (DELETE FROM block WHERE chain_id = $1 AND number < $2), reorgable AS (
  INSERT INTO block SELECT * FROM json_populate_recordset(NULL::block, $3::json) AS added
  WHERE added.number >= $4 ON CONFLICT DO NOTHING),written_states AS (
    INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
      fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until)
    SELECT chain_id, pool, block_number, revision, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
      fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until
    FROM json_populate_recordset(NULL::pool_state, $5::json)
    ON CONFLICT (chain_id, pool, block_number) DO UPDATE SET revision = excluded.revision,
      reserve0 = excluded.reserve0, reserve1 = excluded.reserve1,
      sqrt_price_x96 = excluded.sqrt_price_x96, tick = excluded.tick, liquidity = excluded.liquidity,
      fee_zero_for_one = excluded.fee_zero_for_one, fee_one_for_zero = excluded.fee_one_for_zero,
      fee_exact = excluded.fee_exact, formula = excluded.formula, formula_values = excluded.formula_values,
      fresh_until = excluded.fresh_until),
  delta AS (
    SELECT pool, tick, block_number, sum(gross) AS gross, sum(net) AS net FROM json_populate_recordset(NULL::pool_tick, $6::json) GROUP BY 1, 2, 3
  ), newest AS (
    SELECT touched.pool, touched.tick, version.gross, version.net
    FROM (SELECT DISTINCT pool, tick FROM delta) AS touched
    CROSS JOIN LATERAL (
      SELECT gross, net FROM pool_tick
      WHERE chain_id = $7 AND pool = touched.pool AND tick = touched.tick
      ORDER BY block_number DESC LIMIT 1
    ) AS version
  ), written_ticks AS (
    INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
    SELECT $8::int, $9::bigint, pool, tick, delta.block_number,
      coalesce(newest.gross, 0) + sum(delta.gross) OVER so_far, coalesce(newest.net, 0) + sum(delta.net) OVER so_far
    FROM delta LEFT JOIN newest USING (pool, tick)
    WINDOW so_far AS (PARTITION BY pool, tick ORDER BY delta.block_number)
    ON CONFLICT (chain_id, pool, tick, block_number)
DO UPDATE SET revision = excluded.revision, gross = excluded.gross, net = excluded.net)
  UPDATE network SET revision = $10, reorgs = reorgs + $11,
    head_number = $12, head_hash = $13::bytea,
    head_time = to_timestamp($14), chain_head_number = $15,
    chain_head_time = to_timestamp($16), final_number = $17, degraded = NULL
  WHERE chain_id = $18 RETURNING pg_notify($19, $20);

WITH locked AS MATERIALIZED (SELECT to_json(network) AS row FROM network WHERE chain_id = $1 FOR UPDATE)
SELECT row , pg_advisory_xact_lock_shared($2::int, $3::int)::text AS lock FROM locked;

-- firedAlerts

-- storeAlerts

SELECT FROM network WHERE chain_id = $1 FOR UPDATE;

-- lastAlert

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT (SELECT coalesce(max(number), 0) FROM alert WHERE chain_id = $2) AS number) AS r))::text AS found;

-- waitingAlerts

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT * FROM alert
WHERE chain_id = $2 AND number > $3 AND cardinality(pending) > 0 AND $4 = ANY (pending)
ORDER BY number LIMIT $5) AS r))::text AS found;

-- noteQueued

UPDATE alert SET pending = array_remove(pending, $1)
WHERE chain_id = $2 AND number = ANY ($3::bigint[]);

-- reorgableBlocks

SELECT "public"."block"."chain_id", "public"."block"."number", "public"."block"."hash", "public"."block"."parent_hash", "public"."block"."block_time" FROM "public"."block" WHERE "public"."block"."chain_id" = $1 ORDER BY "public"."block"."number" ASC OFFSET $2;

-- noteFinal

UPDATE network SET final_number = greatest(final_number, $1::bigint)
WHERE chain_id = $2 AND writer_epoch = $3 RETURNING final_number AS final;

-- commitSkipped

-- renew

-- lastHour

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT *, prices::text[] FROM liquidity_hour WHERE chain_id = $2 ORDER BY time DESC LIMIT 1) AS r))::text AS found;

-- saveHour

INSERT INTO liquidity_hour SELECT * FROM json_populate_recordset(NULL::liquidity_hour, $1::json)
ON CONFLICT (chain_id, time) DO UPDATE SET block_number = excluded.block_number, since = excluded.since,
  is_last = excluded.is_last, anchors = excluded.anchors, prices = excluded.prices;

-- savePoolHours

INSERT INTO pool_hour SELECT * FROM json_populate_recordset(NULL::pool_hour, $1::json)
ON CONFLICT (chain_id, pool, time) DO UPDATE SET amounts = excluded.amounts;

-- deleteInvalidHours

DELETE FROM pool_hour USING invalidated_pool AS invalid
WHERE pool_hour.chain_id = $1 AND invalid.chain_id = $2 AND pool_hour.pool = invalid.pool;

-- poolsAt

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool WHERE chain_id = $2 AND address IN (SELECT unnest($3::text[]::bytea[]))) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT ON (pool) pool, block_number, reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text,
fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until FROM pool_state
  WHERE chain_id = $2 AND pool IN (SELECT unnest($3::text[]::bytea[])) AND block_number <= $4 ORDER BY pool, block_number DESC) AS r),$5::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM (SELECT DISTINCT ON (pool, tick) pool, tick, block_number, gross::text, net::text FROM pool_tick
  WHERE chain_id = $6 AND pool IN (SELECT unnest($7::text[]::bytea[])) AND block_number <= $8
  ORDER BY pool, tick, block_number DESC) AS newest WHERE gross <> '0') AS r),$9::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool FROM invalidated_pool
  WHERE chain_id = $10 AND coalesce(trusted_from > $11, true)) AS r))::text AS found;

-- poolsChanged

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT pool FROM pool_state WHERE chain_id = $2 AND block_number > $3
AND block_number <= $4 AND pool > $5::bytea ORDER BY pool LIMIT $6) AS r))::text AS found;

-- replaceRange

DELETE FROM "public"."awaited_value" WHERE ("public"."awaited_value"."chain_id" = $1 AND "public"."awaited_value"."block_number" >= $2 AND "public"."awaited_value"."block_number" <= $3);

DELETE FROM "public"."day_total" WHERE ("public"."day_total"."chain_id" = $1 AND "public"."day_total"."day" IN ($2) AND "public"."day_total"."swaps" = $3);

DELETE FROM "public"."hour_volume" WHERE ("public"."hour_volume"."chain_id" = $1 AND "public"."hour_volume"."hour" IN ($2,$3) AND "public"."hour_volume"."trades" = $4);

DELETE FROM "public"."liquidity_event" WHERE ("public"."liquidity_event"."chain_id" = $1 AND "public"."liquidity_event"."block_number" >= $2 AND "public"."liquidity_event"."block_number" <= $3);

DELETE FROM "public"."token_move" WHERE ("public"."token_move"."chain_id" = $1 AND "public"."token_move"."block_number" >= $2 AND "public"."token_move"."block_number" <= $3);

DELETE FROM pool_candle AS stored USING (SELECT to_timestamp(minute) AS minute, key
FROM json_to_recordset($1::json) AS one (minute bigint, key bigint)) AS gone
WHERE stored.chain_id = $2 AND stored.pool_key = gone.key AND stored.minute = gone.minute;

DELETE FROM pool_creation WHERE chain_id = $1 AND block_number >= $2 AND block_number <= $3 RETURNING pool::text;

DELETE FROM token_volume AS stored USING (SELECT to_timestamp(minute) AS minute, token
FROM json_to_recordset($1::json) AS one (minute bigint, token bytea)) AS gone
WHERE stored.chain_id = $2 AND stored.token = gone.token AND stored.minute = gone.minute;

INSERT INTO invalidated_pool AS stored
SELECT * FROM json_populate_recordset(NULL::invalidated_pool, $1::json) ORDER BY pool
ON CONFLICT (chain_id, pool) DO UPDATE SET trusted_from = NULL,
  block_number = greatest(stored.block_number, excluded.block_number);

INSERT INTO pool_candle (chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1)
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, min(at) AS part,
    count(*) AS trades,count(*) - count(volume_usd) AS unpriced,coalesce(sum(volume_usd), 0.00000000) AS volume_usd,count(*) FILTER (WHERE token_out = token0) AS buys,coalesce(sum(volume_usd) FILTER (WHERE token_out = token0), 0.00000000) AS buy_volume_usd,min(at) FILTER (WHERE price0 IS NOT NULL) AS open_at,max(at) FILTER (WHERE price0 IS NOT NULL) AS close_at,(array_agg(price0 ORDER BY at) FILTER (WHERE price0 IS NOT NULL))[1] AS open0,max(price0) AS high0,min(price0) AS low0,(array_agg(price0 ORDER BY at DESC) FILTER (WHERE price0 IS NOT NULL))[1] AS close0,(array_agg(price1 ORDER BY at) FILTER (WHERE price0 IS NOT NULL))[1] AS open1,max(price1) AS high1,min(price1) AS low1,(array_agg(price1 ORDER BY at DESC) FILTER (WHERE price0 IS NOT NULL))[1] AS close1
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
    FROM (
  SELECT hop.* FROM (
  SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop
  WHERE chain_id = $1 AND block_time >= to_timestamp($2) AND block_time < to_timestamp($3)
    AND block_number > coalesce((
      SELECT block_number FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $4 AND block_number < $5::bigint
        AND block_time < to_timestamp($6) ORDER BY block_number DESC LIMIT 1), -1)
    AND block_number < coalesce((
      SELECT block_number FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $7 AND block_number > $8::bigint
        AND block_time >= to_timestamp($9) ORDER BY block_number LIMIT 1), $10::bigint)) AS hop
  JOIN (SELECT to_timestamp(minute) AS minute, key
  FROM json_to_recordset($11::json) AS one (minute bigint, key bigint)) AS gone ON hop.pool_key = gone.key AND date_trunc('minute', hop.block_time) = gone.minute) AS hop
  ) AS ruled) AS hop WHERE parts & 1 = 0 GROUP BY chain_id, pool_key, minute, token0, token1;

INSERT INTO token_volume (chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd)
  SELECT made.* FROM (
  SELECT chain_id, token, minute, min(at) AS part, count(*) AS trades,count(*) - count(volume_usd) AS unpriced,coalesce(sum(volume_usd), 0.00000000) AS volume_usd,count(*) FILTER (WHERE token_out = token) AS buys,coalesce(sum(volume_usd) FILTER (WHERE token_out = token), 0.00000000) AS buy_volume_usd
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
    FROM (
  SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop
  WHERE chain_id = $1 AND block_time >= to_timestamp($2) AND block_time < to_timestamp($3)
    AND block_number > coalesce((
      SELECT block_number FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $4 AND block_number < $5::bigint
        AND block_time < to_timestamp($6) ORDER BY block_number DESC LIMIT 1), -1)
    AND block_number < coalesce((
      SELECT block_number FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $7 AND block_number > $8::bigint
        AND block_time >= to_timestamp($9) ORDER BY block_number LIMIT 1), $10::bigint)) AS hop
  ) AS ruled) AS hop
  CROSS JOIN LATERAL (VALUES (token0, true), (token1, token1 <> token0)) AS side (token, counts)
  WHERE counts AND parts & CASE WHEN token = token_in THEN 2 ELSE 4 END = 0 GROUP BY chain_id, token, minute) AS made JOIN (SELECT to_timestamp(minute) AS minute, token
  FROM json_to_recordset($11::json) AS one (minute bigint, token bytea)) AS gone USING (token, minute);

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT hour, dex AS protocol, sum(trades) AS trades, sum(unpriced) AS unpriced, sum(volume)::text AS volume
FROM json_to_recordset($2::json)
  AS gone (hour bigint, key bigint, trades bigint, unpriced bigint, volume numeric)
JOIN LATERAL (SELECT dex FROM pool WHERE chain_id = $3 AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = gone.key ORDER BY dex LIMIT 1) AS pool ON true
GROUP BY 1, 2) AS r))::text AS found;

SELECT pg_advisory_xact_lock($1::int, day) FROM unnest($2::int[]) AS day;

SELECT pg_advisory_xact_lock_shared($1::int, id) FROM unnest($2::int[]) AS id;

UPDATE day_total AS total SET swaps = total.swaps - counted.swaps,
  unpriced = total.unpriced - counted.unpriced, flagged = total.flagged - counted.flagged,
  volume_usd = total.volume_usd - counted.volume_usd
FROM json_populate_recordset(NULL::day_total, $1::json) AS counted
WHERE total.chain_id = counted.chain_id AND total.day = counted.day;

UPDATE hour_volume AS stored SET trades = greatest(stored.trades + gone.trades, 0),
  unpriced = greatest(stored.unpriced + gone.unpriced, 0),
  volume_usd = greatest(stored.volume_usd + gone.volume_usd, 0.00000000)
FROM json_populate_recordset(NULL::hour_volume, $1::json) AS gone
WHERE stored.chain_id = gone.chain_id AND stored.hour = gone.hour AND stored.protocol = gone.protocol;

UPDATE lake_day SET is_changed = true WHERE chain_id = ANY ($1::int[]) AND from_block <= $2::bigint AND to_block >= $3::bigint;

WITH deleted AS (
    DELETE FROM swap_hop WHERE chain_id = $1 AND block_number BETWEEN $2::bigint AND $3::bigint
  ), gone AS (
    SELECT extract(epoch FROM date_trunc('minute', block_time))::bigint AS minute, pool_key, token_in, token_out,
      volume_usd
    FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $4 AND block_number BETWEEN $5::bigint AND $6::bigint
  )
  SELECT json_build_object(
    'pools', (SELECT coalesce(json_agg(p), '[]') FROM (SELECT DISTINCT minute, pool_key::text AS key FROM gone) AS p),
    'tokens', (SELECT coalesce(json_agg(t), '[]')
      FROM (SELECT minute, token_in AS token FROM gone UNION SELECT minute, token_out FROM gone) AS t),
    'volumes', (SELECT coalesce(json_agg(v), '[]') FROM (
      SELECT minute - minute % 3600 AS hour, pool_key::text AS key, count(*) AS trades,
        count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0.00000000)::text AS volume
      FROM gone GROUP BY 1, 2) AS v)
  )::text AS found;

WITH gone AS (
  DELETE FROM swap WHERE chain_id = $1 AND block_number BETWEEN $2::bigint AND $3::bigint
  RETURNING block_time, trader, volume_usd, flags
), counted AS (
  SELECT extract(epoch FROM date_trunc('hour', block_time))::bigint AS hour, trader,
    count(*) AS swaps, count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced,
    count(*) FILTER (WHERE flags <> 0) AS flagged, coalesce(sum(volume_usd), 0)::text AS volume
  FROM gone GROUP BY 1, 2
)
SELECT coalesce(json_agg(counted), '[]')::text AS rows FROM counted;

WITH gone AS MATERIALIZED (
    SELECT * FROM json_populate_recordset(NULL::token_flow,
      (SELECT json_agg(flow) FROM (
  SELECT chain_id, token_key, hour, pool_key, count(*)::int AS hops, sum(usd) AS net_usd
  FROM (
    SELECT hop.chain_id, ('x' || right(encode(side.token, 'hex'), 16))::bit(64)::bigint AS token_key, date_trunc('hour', hop.minute) AS hour, hop.pool_key, side.usd
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
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $1 AND block_number BETWEEN $2::bigint AND $3::bigint) AS hop
  ) AS ruled) AS hop JOIN network ON network.chain_id = hop.chain_id
    CROSS JOIN LATERAL (VALUES (hop.token_in, hop.token_out, -hop.volume_usd), (hop.token_out, hop.token_in, hop.volume_usd))
      AS side (token, other, usd)
    WHERE hop.price0 IS NOT NULL AND (NOT side.token = ANY (network.anchors || network.wrapped_native) OR side.other = ANY (network.anchors || network.wrapped_native))
  ) AS flow GROUP BY chain_id,token_key,hour,pool_key) AS flow))
  ), deleted AS (
    DELETE FROM token_flow AS stored USING gone
    WHERE stored.chain_id = gone.chain_id AND stored.token_key = gone.token_key AND stored.hour = gone.hour
      AND stored.pool_key = gone.pool_key
    RETURNING stored.chain_id, stored.token_key, stored.hour, stored.pool_key, stored.hops, stored.net_usd
  )
  INSERT INTO token_flow (chain_id,token_key,hour,pool_key,part,hops,net_usd)
  SELECT chain_id,token_key,hour,pool_key, 0, sum(hops), sum(net_usd)
  FROM (SELECT * FROM deleted UNION ALL SELECT chain_id,token_key,hour,pool_key, -hops, -net_usd FROM gone) AS part
  GROUP BY chain_id,token_key,hour,pool_key HAVING sum(hops) > 0;

-- storedTrades

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT *, sell_amount::text, buy_amount::text, volume_usd::text, (
    SELECT string_agg(
      concat_ws(' ', hop.pool_key, hop.amount_in, hop.amount_out, coalesce(hop.volume_usd::text, 'unpriced'), hop.flags),
      ', ' ORDER BY hop.log_index)
    FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE hop.chain_id = swap.chain_id AND hop.block_number = swap.block_number AND hop.transaction_index = swap.transaction_index AND hop.position = swap.position AND hop.block_time = swap.block_time) AS hops
  FROM swap
  WHERE chain_id = $2 AND block_number BETWEEN $3::bigint AND $4::bigint
  ORDER BY block_number, transaction_index, position) AS r))::text AS found;

-- storedLiquidity

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT event.*, amounts::text[], liquidity::text, value_usd::text FROM liquidity_event AS event
WHERE chain_id = $2 AND block_number BETWEEN $3::bigint AND $4::bigint ORDER BY block_number, log_index) AS r))::text AS found;

-- poolsOfTrades

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT address FROM pool WHERE chain_id = $2
    AND ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = ANY (ARRAY(
      SELECT DISTINCT pool_key FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $3 AND block_number BETWEEN $4::bigint AND $5::bigint))) AS r))::text AS found;

-- creationsIn

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM pool_creation
WHERE chain_id = $2 AND block_number BETWEEN $3 AND $4
ORDER BY block_number, transaction_index, pool) AS r))::text AS found;

-- loadPools

-- loadTokens

-- foundPools

SELECT pool::text FROM unread_pool WHERE chain_id = $1 AND place = $2;

-- poolsCreatedAbove

SELECT pool::text FROM pool_creation WHERE chain_id = $1 AND block_number > $2;

-- poolTrades

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT pool.address AS pool, sum(counted.trades)::float8 AS trades
FROM (
  SELECT pool_key, count(*) AS trades FROM swap
  WHERE chain_id = $2 AND pool_key IS NOT NULL
    AND block_time > (SELECT head_time FROM network WHERE chain_id = $3) - interval '1 day'
  GROUP BY pool_key
) AS counted
JOIN pool ON pool.chain_id = $4
  AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = counted.pool_key
GROUP BY pool.address) AS r))::text AS found;

-- changeUnreadPools

WITH given AS MATERIALIZED (
  SELECT * FROM json_populate_recordset(NULL::unread_pool, $1::json)
), writer AS MATERIALIZED (
  SELECT FROM network WHERE chain_id = $2 AND writer_epoch = $3
), gone AS (
  DELETE FROM unread_pool AS stored WHERE chain_id = $4 AND EXISTS (SELECT FROM writer)
    AND place IS DISTINCT FROM $5 AND NOT EXISTS (SELECT FROM given WHERE given.pool = stored.pool)
)
INSERT INTO unread_pool AS stored SELECT * FROM given WHERE EXISTS (SELECT FROM writer)
ON CONFLICT (chain_id, pool) DO UPDATE SET place = excluded.place
  WHERE stored.place IS DISTINCT FROM excluded.place;

-- poolKeys

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT * FROM pool_key WHERE chain_id = $2 AND pool IN (SELECT unnest($3::text[]::bytea[]))) AS r))::text AS found;

-- keyProgress

SELECT "public"."key_search"."chain_id", "public"."key_search"."manager", "public"."key_search"."from_block", "public"."key_search"."to_block", "public"."key_search"."floor_block", "public"."key_search"."in_vain_at", "public"."key_search"."rounds" FROM "public"."key_search" WHERE (("public"."key_search"."chain_id" = $1 AND "public"."key_search"."manager" = $2) AND 1=1) LIMIT $3 OFFSET $4;

-- saveKeys

INSERT INTO "public"."key_search" ("chain_id","manager","rounds") VALUES ($1,$2,$3) ON CONFLICT DO NOTHING;

INSERT INTO pool_key SELECT * FROM json_populate_recordset(NULL::pool_key,
  $1::json)
ORDER BY pool ON CONFLICT DO NOTHING;

UPDATE "public"."key_search" SET "from_block" = $1, "to_block" = $2, "floor_block" = $3, "in_vain_at" = $4, "rounds" = $5 WHERE ("public"."key_search"."chain_id" = $6 AND "public"."key_search"."manager" = $7 AND "public"."key_search"."from_block" IS NULL AND "public"."key_search"."to_block" IS NULL AND "public"."key_search"."rounds" = $8);

-- searchAlone

SELECT pg_try_advisory_lock($1, $2) AS held;

-- invalidate

-- invalidatedPools

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool, block_number FROM invalidated_pool
WHERE chain_id = $2 AND trusted_from IS NULL) AS r))::text AS found;

-- commitPoolStates

DELETE FROM pool_state AS old USING json_populate_recordset(NULL::pool_state, $1::json) AS kept
WHERE old.chain_id = $2 AND old.pool = kept.pool AND old.block_number < kept.block_number;

INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
  SELECT $1::int, $2::bigint, pool, tick, block_number, gross, net FROM json_populate_recordset(NULL::pool_tick, $3::json)
  ON CONFLICT (chain_id, pool, tick, block_number)
DO UPDATE SET revision = excluded.revision, gross = excluded.gross, net = excluded.net;

INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
  SELECT $1::int, $2::bigint, snapshot.pool, newest.tick, snapshot.block_number, 0, 0
  FROM json_populate_recordset(NULL::pool_tick, $3::json) AS snapshot
  CROSS JOIN LATERAL (
    SELECT DISTINCT ON (tick) tick, gross FROM pool_tick
    WHERE chain_id = $4 AND pool = snapshot.pool ORDER BY tick, block_number DESC
  ) AS newest
  WHERE newest.gross > 0
  ON CONFLICT (chain_id, pool, tick, block_number)
DO UPDATE SET revision = excluded.revision, gross = excluded.gross, net = excluded.net;

UPDATE invalidated_pool AS stored SET trusted_from = read.trusted_from
FROM json_populate_recordset(NULL::invalidated_pool, $1::json) AS read
WHERE stored.chain_id = $2 AND stored.pool = read.pool AND stored.block_number < read.block_number;

UPDATE pool_tick AS old SET revision = $1, gross = 0, net = 0
FROM json_populate_recordset(NULL::pool_tick, $2::json) AS kept
WHERE old.chain_id = $3 AND old.pool = kept.pool AND old.block_number < kept.block_number AND old.gross > 0;

WITH written_states AS (
  INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
    fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until)
  SELECT chain_id, pool, block_number, revision, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
    fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until
  FROM json_populate_recordset(NULL::pool_state, $1::json)
  ON CONFLICT (chain_id, pool, block_number) DO UPDATE SET revision = excluded.revision,
    reserve0 = excluded.reserve0, reserve1 = excluded.reserve1,
    sqrt_price_x96 = excluded.sqrt_price_x96, tick = excluded.tick, liquidity = excluded.liquidity,
    fee_zero_for_one = excluded.fee_zero_for_one, fee_one_for_zero = excluded.fee_one_for_zero,
    fee_exact = excluded.fee_exact, formula = excluded.formula, formula_values = excluded.formula_values,
    fresh_until = excluded.fresh_until) UPDATE network SET revision = $2 WHERE chain_id = $3 RETURNING pg_notify($4, $5);

-- loadPoolStates

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT ON (pool) pool, block_number, reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text,
fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until FROM pool_state WHERE chain_id = $2
  ORDER BY pool, block_number DESC) AS r))::text AS found;

-- overdrawnPools

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT DISTINCT pool FROM (
  SELECT pool, tick, sum(gross) OVER later AS gross, sum(net) OVER later AS net FROM json_populate_recordset(NULL::pool_tick, $2::json)
  WINDOW later AS (PARTITION BY pool, tick ORDER BY block_number)
) AS changed
LEFT JOIN LATERAL (
  SELECT gross, net FROM pool_tick AS version
  WHERE chain_id = $3 AND version.pool = changed.pool AND version.tick = changed.tick
    AND block_number <= $4
  ORDER BY block_number DESC LIMIT 1
) AS stored ON true
WHERE changed.gross + coalesce(stored.gross, 0) NOT BETWEEN 0 AND (2::numeric ^ 127 - 1)
  OR changed.net + coalesce(stored.net, 0) NOT BETWEEN -(2::numeric ^ 127 - 1) AND (2::numeric ^ 127 - 1)) AS r))::text AS found;

-- pruneStates

-- poolsWithState

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT pool FROM pool_state
WHERE chain_id = $2 AND pool > $3::bytea ORDER BY pool LIMIT $4) AS r))::text AS found;

-- committedStates

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE chain_id = $2) AS r),$3::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT pool, block_number FROM invalidated_pool
  WHERE chain_id = $4 AND trusted_from IS NULL) AS r),$5::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT DISTINCT ON (pool) pool, block_number, reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text,
fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until FROM pool_state
  WHERE chain_id = $6 AND pool IN (SELECT unnest($7::text[]::bytea[]))  ORDER BY pool, block_number DESC) AS r),$8::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM (SELECT DISTINCT ON (pool, tick) pool, tick, block_number, gross::text, net::text FROM pool_tick
  WHERE chain_id = $9 AND pool IN (SELECT unnest($10::text[]::bytea[]))
  ORDER BY pool, tick, block_number DESC) AS newest WHERE gross <> '0') AS r))::text AS found;

-- setCheckedPool

INSERT INTO "public"."pool_check" ("chain_id","pool") VALUES ($1,$2) ON CONFLICT ("chain_id") DO UPDATE SET "pool" = $3 WHERE ("public"."pool_check"."chain_id" = $4 AND 1=1) RETURNING "public"."pool_check"."chain_id", "public"."pool_check"."pool";

-- checkedPool

SELECT "public"."pool_check"."chain_id", "public"."pool_check"."pool" FROM "public"."pool_check" WHERE ("public"."pool_check"."chain_id" = $1 AND 1=1) LIMIT $2 OFFSET $3;

-- setAudited

INSERT INTO "public"."audit" ("chain_id","number") VALUES ($1,$2) ON CONFLICT ("chain_id") DO UPDATE SET "number" = $3 WHERE ("public"."audit"."chain_id" = $4 AND 1=1) RETURNING "public"."audit"."chain_id", "public"."audit"."number";

-- audited

SELECT "public"."audit"."chain_id", "public"."audit"."number" FROM "public"."audit" WHERE ("public"."audit"."chain_id" = $1 AND 1=1) LIMIT $2 OFFSET $3;

-- unconfirmedDenials

SELECT "public"."unconfirmed_denial"."chain_id", "public"."unconfirmed_denial"."emitter", "public"."unconfirmed_denial"."from_block", "public"."unconfirmed_denial"."to_block" FROM "public"."unconfirmed_denial" WHERE ("public"."unconfirmed_denial"."chain_id" = $1 AND "public"."unconfirmed_denial"."to_block" <= $2) ORDER BY "public"."unconfirmed_denial"."from_block" ASC OFFSET $3;

-- settleDenials

DELETE FROM unconfirmed_denial AS stored
USING json_populate_recordset(NULL::unconfirmed_denial, $1::json) AS settled
WHERE (stored.chain_id, stored.emitter, stored.from_block, stored.to_block)
  = (settled.chain_id, settled.emitter, settled.from_block, settled.to_block);

-- unreadSupplies

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT address FROM token WHERE chain_id = $2 AND supply_time IS NULL
ORDER BY address LIMIT $3) AS r))::text AS found;

-- tokensAfter

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT address, symbol, name, decimals FROM token WHERE chain_id = $2
AND address > $3::bytea ORDER BY address LIMIT $4) AS r))::text AS found;

-- saveSupplies

WITH reported AS (
  SELECT * FROM unnest($1::text[]::bytea[], $2::text[]::numeric[])
    AS reported(address, supply)
), changed AS (
  SELECT address, reported.supply FROM token JOIN reported USING (address)
  WHERE chain_id = $3 AND (supply_time IS NULL OR token.supply IS DISTINCT FROM reported.supply)
  FOR UPDATE OF token SKIP LOCKED
)
UPDATE token SET supply = changed.supply, supply_time = now() FROM changed
WHERE token.chain_id = $4 AND token.address = changed.address;

-- awaitedTokens

WITH missing AS MATERIALIZED (
  SELECT address FROM (
    SELECT sell_token AS address FROM awaited_value WHERE chain_id = $1
    UNION SELECT buy_token FROM awaited_value WHERE chain_id = $2
  ) AS named
  WHERE NOT EXISTS (SELECT FROM token WHERE token.chain_id = $3 AND token.address = named.address)) SELECT address::text AS token FROM missing;

-- settleAwaitedValues

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT DISTINCT block_number / $2::bigint AS cell
FROM (SELECT address FROM pool WHERE chain_id = $3 AND token0 = ANY ($4::text[]::bytea[]) UNION SELECT address FROM pool WHERE chain_id = $5 AND token1 = ANY ($6::text[]::bytea[]) UNION SELECT address FROM pool WHERE chain_id = $7 AND cardinality(coins) + cardinality(underlying) > 0 AND coins && ($8::text[]::bytea[])) AS trading
CROSS JOIN LATERAL (SELECT chain_id, block_number FROM liquidity_event WHERE pool = address OFFSET 0) AS event
WHERE chain_id = $9) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT block_number / $2::bigint AS cell FROM swap WHERE chain_id = $3 AND sell_token = ANY ($4::text[]::bytea[]) UNION
SELECT block_number / $5::bigint AS cell FROM swap WHERE chain_id = $6 AND buy_token = ANY ($7::text[]::bytea[])) AS r))::text AS found;

WITH missing AS MATERIALIZED (
  SELECT address FROM (
    SELECT sell_token AS address FROM awaited_value WHERE chain_id = $1
    UNION SELECT buy_token FROM awaited_value WHERE chain_id = $2
  ) AS named
  WHERE NOT EXISTS (SELECT FROM token WHERE token.chain_id = $3 AND token.address = named.address))
SELECT count(*)::int AS waiting, (count(*) FILTER (WHERE sell_token NOT IN (SELECT address FROM missing) AND buy_token NOT IN (SELECT address FROM missing)))::int AS known
FROM awaited_value WHERE chain_id = $4;

-- daysOf

SELECT stored.day - DATE '1970-01-01' AS day
FROM (SELECT to_date(right(relname, 8), 'YYYYMMDD') AS day
  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'swap'::regclass) AS stored
WHERE EXISTS (SELECT FROM swap WHERE chain_id = $1 AND block_number BETWEEN $2::bigint AND $3::bigint
  AND block_time >= stored.day::timestamp AT TIME ZONE 'UTC'
  AND block_time < (stored.day + 1)::timestamp AT TIME ZONE 'UTC')
ORDER BY 1;

-- compareDay

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT chain_id::text AS key, stored.line AS stored, counted.line AS counted
  FROM (SELECT chain_id, concat_ws(' ', swaps, unpriced, flagged, round(volume_usd, 8)) AS line FROM day_total WHERE day = $2::date) AS stored
  FULL JOIN (SELECT chain_id, concat_ws(' ', swaps, unpriced, flagged, round(volume_usd, 8)) AS line FROM (
  SELECT $3::date AS day, chain_id, count(*) AS swaps, count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced,
    count(*) FILTER (WHERE flags <> 0) AS flagged, coalesce(sum(volume_usd), 0) AS volume_usd
  FROM (SELECT * FROM swap WHERE block_time >= $4::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($5::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day GROUP BY chain_id) AS totals) AS counted USING (chain_id)
  WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1) AS r),$6::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT '0x' || encode(trader, 'hex') AS key, stored.networks::text AS stored, counted.networks::text AS counted
  FROM (SELECT trader, networks FROM day_trader WHERE day = $7::date) AS stored
  FULL JOIN (
  SELECT $8::date AS day, trader, bit_or(bit) AS networks
  FROM (SELECT * FROM swap WHERE block_time >= $9::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($10::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day JOIN (VALUES (1, 1),(56, 2),(137, 4)) AS bits (chain_id, bit) USING (chain_id) WHERE trader IS NOT NULL GROUP BY trader) AS counted USING (trader)
  WHERE stored.networks IS DISTINCT FROM counted.networks ORDER BY 1 LIMIT $11) AS r),$12::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT networks::text AS key, stored.addresses::text AS stored, counted.addresses::text AS counted
  FROM (SELECT networks, addresses FROM day_address_count WHERE day = $13::date) AS stored
  FULL JOIN (
  SELECT day, networks, count(*) AS addresses FROM (
  SELECT $14::date AS day, trader, bit_or(bit) AS networks
  FROM (SELECT * FROM swap WHERE block_time >= $15::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($16::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day JOIN (VALUES (1, 1),(56, 2),(137, 4)) AS bits (chain_id, bit) USING (chain_id) WHERE trader IS NOT NULL GROUP BY trader) AS traders GROUP BY 1, 2) AS counted USING (networks)
  WHERE stored.addresses IS DISTINCT FROM counted.addresses ORDER BY 1) AS r),$17::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT concat_ws(' ', chain_id, hour, protocol) AS key, stored.line AS stored, counted.line AS counted
  FROM (SELECT chain_id, hour, protocol, concat_ws(' ', trades, unpriced, round(volume_usd, 8)) AS line FROM hour_volume WHERE hour >= $18::date::timestamp AT TIME ZONE 'UTC'
  AND hour < ($19::date + 1)::timestamp AT TIME ZONE 'UTC') AS stored
  FULL JOIN (SELECT chain_id, hour, protocol, concat_ws(' ', trades, unpriced, round(volume_usd, 8)) AS line FROM (
  SELECT chain_id, date_trunc('hour', block_time) AS hour, '' AS protocol, count(*) AS trades, count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0.00000000) AS volume_usd
  FROM (SELECT * FROM swap WHERE block_time >= $20::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($21::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day GROUP BY 1, 2
  UNION ALL
  SELECT chain_id, hour, dex, sum(trades), sum(unpriced), sum(volume_usd)
  FROM (
    SELECT chain_id, pool_key, date_trunc('hour', block_time) AS hour, count(*) AS trades, count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0.00000000) AS volume_usd
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $22::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($23::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day GROUP BY 1, 2, 3
  ) AS counted
  JOIN LATERAL (SELECT dex FROM pool WHERE chain_id = counted.chain_id AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = counted.pool_key ORDER BY dex LIMIT 1) AS pool ON true
  GROUP BY 1, 2, 3) AS hours) AS counted
    USING (chain_id, hour, protocol)
  WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1) AS r),$24::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT concat_ws(' ', chain_id, pool_key, minute, token0_key, token1_key) AS key, stored.line AS stored, counted.line AS counted
  FROM (
  SELECT chain_id, pool_key, minute, token0_key, token1_key, ROW(trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1)::text AS line FROM (
    SELECT chain_id, pool_key, minute, token0_key, token1_key, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open0 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open0,max(coalesce(high0, open0)) AS high0,min(coalesce(low0, open0)) AS low0,(array_agg(coalesce(close0, open0) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close0,(array_agg(open1 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open1,max(coalesce(high1, open1)) AS high1,min(coalesce(low1, open1)) AS low1,(array_agg(coalesce(close1, open1) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close1 FROM (SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open0,high0,low0,close0,open1,high1,low1,close1, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS open_at, CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS close_at FROM (SELECT chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1 FROM pool_candle WHERE minute >= $25::date::timestamp AT TIME ZONE 'UTC'
  AND minute < ($26::date + 1)::timestamp AT TIME ZONE 'UTC' AND minute >= coalesce(
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
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{1,3,5,7}'::smallint[]) AND block_time >= $27::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($28::date + 1)::timestamp AT TIME ZONE 'UTC' AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part) AS parts GROUP BY chain_id, pool_key, minute, token0_key, token1_key) AS folded) AS stored FULL JOIN (
  SELECT chain_id, pool_key, minute, token0_key, token1_key, ROW(trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1)::text AS line FROM (
    SELECT chain_id, pool_key, minute, token0_key, token1_key, sum(trades) AS trades,sum(unpriced) AS unpriced,round(sum(volume_usd), 8) AS volume_usd,CASE WHEN count(buys) = count(*) THEN sum(buys) END AS buys,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8) AS buy_volume_usd,min(open_at) AS open_at,max(close_at) AS close_at,(array_agg(open0 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open0,max(coalesce(high0, open0)) AS high0,min(coalesce(low0, open0)) AS low0,(array_agg(coalesce(close0, open0) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close0,(array_agg(open1 ORDER BY open_at) FILTER (WHERE open_at IS NOT NULL))[1] AS open1,max(coalesce(high1, open1)) AS high1,min(coalesce(low1, open1)) AS low1,(array_agg(coalesce(close1, open1) ORDER BY close_at DESC) FILTER (WHERE open_at IS NOT NULL))[1] AS close1 FROM (
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, min(at) AS part,
    count(*) AS trades,count(*) - count(volume_usd) AS unpriced,coalesce(sum(volume_usd), 0.00000000) AS volume_usd,count(*) FILTER (WHERE token_out = token0) AS buys,coalesce(sum(volume_usd) FILTER (WHERE token_out = token0), 0.00000000) AS buy_volume_usd,min(at) FILTER (WHERE price0 IS NOT NULL) AS open_at,max(at) FILTER (WHERE price0 IS NOT NULL) AS close_at,(array_agg(price0 ORDER BY at) FILTER (WHERE price0 IS NOT NULL))[1] AS open0,max(price0) AS high0,min(price0) AS low0,(array_agg(price0 ORDER BY at DESC) FILTER (WHERE price0 IS NOT NULL))[1] AS close0,(array_agg(price1 ORDER BY at) FILTER (WHERE price0 IS NOT NULL))[1] AS open1,max(price1) AS high1,min(price1) AS low1,(array_agg(price1 ORDER BY at DESC) FILTER (WHERE price0 IS NOT NULL))[1] AS close1
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
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $29::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($30::date + 1)::timestamp AT TIME ZONE 'UTC') AS hop
  ) AS ruled) AS hop WHERE true GROUP BY chain_id, pool_key, minute, token0, token1) AS parts GROUP BY chain_id, pool_key, minute, token0_key, token1_key) AS folded) AS counted USING (chain_id, pool_key, minute, token0_key, token1_key)
  WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1 LIMIT $31) AS r),$32::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT concat_ws(' ', chain_id, token, minute) AS key, stored.line AS stored, counted.line AS counted
  FROM (
  SELECT chain_id, token, minute, ROW(sum(trades),sum(unpriced),round(sum(volume_usd), 8),CASE WHEN count(buys) = count(*) THEN sum(buys) END,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8))::text AS line
  FROM (SELECT chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd FROM token_volume WHERE minute >= $33::date::timestamp AT TIME ZONE 'UTC'
  AND minute < ($34::date + 1)::timestamp AT TIME ZONE 'UTC' AND minute >= coalesce(
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
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{2,3,6,7}'::smallint[]) AND block_time >= $35::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($36::date + 1)::timestamp AT TIME ZONE 'UTC' AND block_time >= coalesce(
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
volume_usd, flags & 182::smallint AS flags, parts FROM swap WHERE hop_log_index IS NOT NULL AND parts = ANY ('{4,5,6,7}'::smallint[]) AND block_time >= $37::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($38::date + 1)::timestamp AT TIME ZONE 'UTC' AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
  ) AS ruled) AS hop) AS part GROUP BY chain_id, token, minute) AS stored FULL JOIN (
  SELECT chain_id, token, minute, ROW(sum(trades),sum(unpriced),round(sum(volume_usd), 8),CASE WHEN count(buys) = count(*) THEN sum(buys) END,round(CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END, 8))::text AS line
  FROM (
  SELECT chain_id, token, minute, min(at) AS part, count(*) AS trades,count(*) - count(volume_usd) AS unpriced,coalesce(sum(volume_usd), 0.00000000) AS volume_usd,count(*) FILTER (WHERE token_out = token) AS buys,coalesce(sum(volume_usd) FILTER (WHERE token_out = token), 0.00000000) AS buy_volume_usd
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
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $39::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($40::date + 1)::timestamp AT TIME ZONE 'UTC') AS hop
  ) AS ruled) AS hop
  CROSS JOIN LATERAL (VALUES (token0, true), (token1, token1 <> token0)) AS side (token, counts)
  WHERE counts AND true GROUP BY chain_id, token, minute) AS part GROUP BY chain_id, token, minute) AS counted USING (chain_id, token, minute)
  WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1 LIMIT $41) AS r),$42::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT concat_ws(' ', chain_id,token_key,hour,pool_key) AS key, stored.line AS stored, counted.line AS counted
  FROM (SELECT chain_id,token_key,hour,pool_key, concat_ws(' ', sum(hops), round(sum(net_usd), 8)) AS line FROM (SELECT * FROM token_flow WHERE hour >= $43::date::timestamp AT TIME ZONE 'UTC'
  AND hour < ($44::date + 1)::timestamp AT TIME ZONE 'UTC') AS flow GROUP BY chain_id,token_key,hour,pool_key) AS stored FULL JOIN (SELECT chain_id,token_key,hour,pool_key, concat_ws(' ', sum(hops), round(sum(net_usd), 8)) AS line FROM (
  SELECT chain_id, token_key, hour, pool_key, count(*)::int AS hops, sum(usd) AS net_usd
  FROM (
    SELECT hop.chain_id, ('x' || right(encode(side.token, 'hex'), 16))::bit(64)::bigint AS token_key, date_trunc('hour', hop.minute) AS hour, hop.pool_key, side.usd
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
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $45::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($46::date + 1)::timestamp AT TIME ZONE 'UTC') AS hop
  ) AS ruled) AS hop JOIN network ON network.chain_id = hop.chain_id
    CROSS JOIN LATERAL (VALUES (hop.token_in, hop.token_out, -hop.volume_usd), (hop.token_out, hop.token_in, hop.volume_usd))
      AS side (token, other, usd)
    WHERE hop.price0 IS NOT NULL AND (NOT side.token = ANY (network.anchors || network.wrapped_native) OR side.other = ANY (network.anchors || network.wrapped_native))
  ) AS flow GROUP BY chain_id,token_key,hour,pool_key) AS flow GROUP BY chain_id,token_key,hour,pool_key) AS counted USING (chain_id,token_key,hour,pool_key)
  WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1 LIMIT $47) AS r))::text AS found;

-- recountDay

DELETE FROM "public"."day_address_count" WHERE "public"."day_address_count"."day" = $1;

DELETE FROM "public"."day_total" WHERE "public"."day_total"."day" = $1;

DELETE FROM "public"."day_trader" WHERE "public"."day_trader"."day" = $1;

DELETE FROM hour_volume WHERE hour >= $1::date::timestamp AT TIME ZONE 'UTC'
AND hour < ($2::date + 1)::timestamp AT TIME ZONE 'UTC';

DELETE FROM pool_candle WHERE minute >= $1::date::timestamp AT TIME ZONE 'UTC'
AND minute < ($2::date + 1)::timestamp AT TIME ZONE 'UTC';

DELETE FROM token_flow WHERE hour >= $1::date::timestamp AT TIME ZONE 'UTC'
AND hour < ($2::date + 1)::timestamp AT TIME ZONE 'UTC';

DELETE FROM token_volume WHERE minute >= $1::date::timestamp AT TIME ZONE 'UTC'
AND minute < ($2::date + 1)::timestamp AT TIME ZONE 'UTC';

INSERT INTO day_address_count (day, networks, addresses)
SELECT day, networks, count(*) AS addresses FROM (
SELECT $1::date AS day, trader, bit_or(bit) AS networks
FROM (SELECT * FROM swap WHERE block_time >= $2::date::timestamp AT TIME ZONE 'UTC'
AND block_time < ($3::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day JOIN (VALUES (1, 1),(56, 2),(137, 4)) AS bits (chain_id, bit) USING (chain_id) WHERE trader IS NOT NULL GROUP BY trader) AS traders GROUP BY 1, 2;

INSERT INTO day_total (day, chain_id, swaps, unpriced, flagged, volume_usd)
SELECT $1::date AS day, chain_id, count(*) AS swaps, count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced,
  count(*) FILTER (WHERE flags <> 0) AS flagged, coalesce(sum(volume_usd), 0) AS volume_usd
FROM (SELECT * FROM swap WHERE block_time >= $2::date::timestamp AT TIME ZONE 'UTC'
AND block_time < ($3::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day GROUP BY chain_id;

INSERT INTO day_trader (day, trader, networks)
SELECT $1::date AS day, trader, bit_or(bit) AS networks
FROM (SELECT * FROM swap WHERE block_time >= $2::date::timestamp AT TIME ZONE 'UTC'
AND block_time < ($3::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day JOIN (VALUES (1, 1),(56, 2),(137, 4)) AS bits (chain_id, bit) USING (chain_id) WHERE trader IS NOT NULL GROUP BY trader;

INSERT INTO hour_volume (chain_id, hour, protocol, trades, unpriced, volume_usd)
  SELECT chain_id, date_trunc('hour', block_time) AS hour, '' AS protocol, count(*) AS trades, count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0.00000000) AS volume_usd
  FROM (SELECT * FROM swap WHERE block_time >= $1::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($2::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day GROUP BY 1, 2
  UNION ALL
  SELECT chain_id, hour, dex, sum(trades), sum(unpriced), sum(volume_usd)
  FROM (
    SELECT chain_id, pool_key, date_trunc('hour', block_time) AS hour, count(*) AS trades, count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0.00000000) AS volume_usd
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $3::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($4::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day GROUP BY 1, 2, 3
  ) AS counted
  JOIN LATERAL (SELECT dex FROM pool WHERE chain_id = counted.chain_id AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = counted.pool_key ORDER BY dex LIMIT 1) AS pool ON true
  GROUP BY 1, 2, 3;

INSERT INTO pool_candle (chain_id,pool_key,minute,token0_key,token1_key,part,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,high0,low0,close0,open1,high1,low1,close1)
  SELECT chain_id, pool_key, minute, ('x' || right(encode(token0, 'hex'), 16))::bit(64)::bigint AS token0_key, ('x' || right(encode(token1, 'hex'), 16))::bit(64)::bigint AS token1_key, min(at) AS part,
    count(*) AS trades,count(*) - count(volume_usd) AS unpriced,coalesce(sum(volume_usd), 0.00000000) AS volume_usd,count(*) FILTER (WHERE token_out = token0) AS buys,coalesce(sum(volume_usd) FILTER (WHERE token_out = token0), 0.00000000) AS buy_volume_usd,min(at) FILTER (WHERE price0 IS NOT NULL) AS open_at,max(at) FILTER (WHERE price0 IS NOT NULL) AS close_at,(array_agg(price0 ORDER BY at) FILTER (WHERE price0 IS NOT NULL))[1] AS open0,max(price0) AS high0,min(price0) AS low0,(array_agg(price0 ORDER BY at DESC) FILTER (WHERE price0 IS NOT NULL))[1] AS close0,(array_agg(price1 ORDER BY at) FILTER (WHERE price0 IS NOT NULL))[1] AS open1,max(price1) AS high1,min(price1) AS low1,(array_agg(price1 ORDER BY at DESC) FILTER (WHERE price0 IS NOT NULL))[1] AS close1
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
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $1::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($2::date + 1)::timestamp AT TIME ZONE 'UTC') AS hop
  ) AS ruled) AS hop WHERE parts & 1 = 0 GROUP BY chain_id, pool_key, minute, token0, token1;

INSERT INTO token_flow (chain_id,token_key,hour,pool_key,part,hops,net_usd) SELECT chain_id,token_key,hour,pool_key, 0, hops, net_usd FROM (
  SELECT chain_id, token_key, hour, pool_key, count(*)::int AS hops, sum(usd) AS net_usd
  FROM (
    SELECT hop.chain_id, ('x' || right(encode(side.token, 'hex'), 16))::bit(64)::bigint AS token_key, date_trunc('hour', hop.minute) AS hour, hop.pool_key, side.usd
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
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $1::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($2::date + 1)::timestamp AT TIME ZONE 'UTC') AS hop
  ) AS ruled) AS hop JOIN network ON network.chain_id = hop.chain_id
    CROSS JOIN LATERAL (VALUES (hop.token_in, hop.token_out, -hop.volume_usd), (hop.token_out, hop.token_in, hop.volume_usd))
      AS side (token, other, usd)
    WHERE hop.price0 IS NOT NULL AND (NOT side.token = ANY (network.anchors || network.wrapped_native) OR side.other = ANY (network.anchors || network.wrapped_native))
  ) AS flow GROUP BY chain_id,token_key,hour,pool_key) AS counted;

INSERT INTO token_volume (chain_id,token,minute,part,trades,unpriced,volume_usd,buys,buy_volume_usd)
  SELECT chain_id, token, minute, min(at) AS part, count(*) AS trades,count(*) - count(volume_usd) AS unpriced,coalesce(sum(volume_usd), 0.00000000) AS volume_usd,count(*) FILTER (WHERE token_out = token) AS buys,coalesce(sum(volume_usd) FILTER (WHERE token_out = token), 0.00000000) AS buy_volume_usd
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
    FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= $1::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($2::date + 1)::timestamp AT TIME ZONE 'UTC') AS hop
  ) AS ruled) AS hop
  CROSS JOIN LATERAL (VALUES (token0, true), (token1, token1 <> token0)) AS side (token, counts)
  WHERE counts AND parts & CASE WHEN token = token_in THEN 2 ELSE 4 END = 0 GROUP BY chain_id, token, minute;

UPDATE lake_day SET is_changed = true WHERE chain_id = ANY ($1::int[]) AND day = ANY ($2::text[]::date[]);

-- fillOrderFlow

SELECT "public"."network"."chain_id", "public"."network"."flow_unknown_to" FROM "public"."network" WHERE ("public"."network"."chain_id" = $1 AND 1=1) LIMIT $2 OFFSET $3;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
    SELECT extract(epoch FROM minute)::bigint AS minute, pool_key::text AS key
    FROM (SELECT DISTINCT pool_key, date_trunc('minute', block_time) AS minute FROM (
  SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $2 AND block_number BETWEEN $3::bigint AND $4::bigint AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop) AS candle
    CROSS JOIN LATERAL (
      SELECT FROM pool_candle AS stored WHERE chain_id = $5 AND stored.pool_key = candle.pool_key
        AND stored.minute = candle.minute AND buys IS NULL LIMIT 1) AS old) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
    SELECT extract(epoch FROM volume.minute)::bigint AS minute, volume.token::text AS token
    FROM (SELECT DISTINCT side.token, date_trunc('minute', block_time) AS minute FROM (
  SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE chain_id = $2 AND block_number BETWEEN $3::bigint AND $4::bigint AND block_time >= coalesce(
  (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)) AS hop
      CROSS JOIN LATERAL (VALUES (token_in), (token_out)) AS side (token)) AS volume
    CROSS JOIN LATERAL (
      SELECT FROM token_volume AS stored WHERE chain_id = $5 AND stored.token = volume.token
        AND stored.minute = volume.minute AND buys IS NULL LIMIT 1) AS old) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
  SELECT min(block_number) AS "from", max(block_number) AS "to" FROM (
    SELECT block_number FROM swap WHERE chain_id = $2 AND block_number <= $3
      AND block_time >= coalesce(
(SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)
    ORDER BY block_number DESC LIMIT $4) AS newest) AS r))::text AS found;

UPDATE "public"."network" SET "flow_unknown_to" = $1 WHERE ("public"."network"."chain_id" = $2 AND 1=1) RETURNING "public"."network"."chain_id", "public"."network"."name", "public"."network"."active", "public"."network"."genesis_hash", "public"."network"."wrapped_native", "public"."network"."start_block", "public"."network"."start_time", "public"."network"."writer_epoch", "public"."network"."revision", "public"."network"."reorgs", "public"."network"."head_number", "public"."network"."head_hash", "public"."network"."head_time", "public"."network"."chain_head_number", "public"."network"."chain_head_time", "public"."network"."final_number", "public"."network"."degraded", "public"."network"."anchors", "public"."network"."unproven_since", "public"."network"."unproven_until", "public"."network"."budget_shortfall", "public"."network"."list_version", "public"."network"."stablecoins", "public"."network"."flow_unknown_to";

-- firstUnwrittenDay

SELECT min(t.day) - DATE '1970-01-01' AS day
FROM day_total t JOIN network n USING (chain_id) LEFT JOIN lake_day l USING (chain_id, day)
CROSS JOIN LATERAL (
  SELECT t.day::timestamp AT TIME ZONE 'UTC' AS begin, (t.day + 1)::timestamp AT TIME ZONE 'UTC' AS end
) span
WHERE n.active AND span.begin >= coalesce(
(SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz) AND (l.is_written AND NOT l.is_changed) IS NOT TRUE
  AND (n.start_time < span.begin OR n.start_block = 0 OR EXISTS (
    SELECT FROM covered_range c WHERE c.chain_id = n.chain_id AND (c.from_time < span.begin OR c.from_block = 0)
      AND (c.to_time >= span.end OR c.to_block >= n.start_block - 1)
  ));

-- lakeDays

SELECT complete.day - DATE '1970-01-01' AS day FROM (
SELECT known.day
FROM (SELECT generate_series(min(day), max(day), interval '1 day')::date AS day FROM day_total) known
CROSS JOIN LATERAL (
  SELECT known.day::timestamp AT TIME ZONE 'UTC' AS begin, (known.day + 1)::timestamp AT TIME ZONE 'UTC' AS end
) span
JOIN network n ON n.chain_id = $1
WHERE span.begin >= coalesce(
(SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)
  AND EXISTS (
    SELECT FROM covered_range c WHERE c.chain_id = $2 AND (c.from_time < span.begin OR c.from_block = 0)
      AND c.to_time >= span.end AND c.rules = $3
  )
  AND span.end <= (
    SELECT max(b.block_time) FROM block b WHERE b.chain_id = $4 AND b.number <= n.final_number
  )
  AND NOT EXISTS (
    SELECT FROM awaited_value v
    WHERE v.chain_id = $5 AND v.block_time >= span.begin AND v.block_time < span.end
  )) AS complete
WHERE NOT EXISTS (
  SELECT FROM lake_day l
  WHERE l.chain_id = $6 AND l.day = complete.day AND l.is_written AND NOT l.is_changed
)
ORDER BY 1;

SELECT day - DATE '1970-01-01' AS day, version, is_written AS "isWritten", is_changed AS "isChanged"
FROM lake_day WHERE chain_id = $1 ORDER BY lake_day.day;

-- buildSearchIndexes

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT to_date(right(relname, 8), 'YYYYMMDD') - DATE '1970-01-01' AS day, relname::text AS table,
  pg_stat_get_tuples_inserted(pg_class.oid)::float8 AS received,
  ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = pg_class.oid AND indisvalid) AS indexes
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
WHERE inhparent = 'swap'::regclass AND NOT inhdetachpending ORDER BY relname DESC) AS r))::text AS found;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r))::text AS found;

-- judgeWashDay

SELECT to_char(t.day, 'YYYY-MM-DD') AS day
FROM day_total t
CROSS JOIN LATERAL (
  SELECT t.day::timestamp AT TIME ZONE 'UTC' AS begin, (t.day + 1)::timestamp AT TIME ZONE 'UTC' AS end
) span
JOIN network n USING (chain_id)
LEFT JOIN wash_day w USING (chain_id, day)
WHERE t.chain_id = $1
  AND (w.day IS NULL OR w.swaps <> t.swaps OR w.volume_usd <> t.volume_usd OR w.thresholds <> $2)
  AND EXISTS (
    SELECT FROM covered_range c WHERE c.chain_id = $3 AND (c.from_time < span.begin OR c.from_block = 0)
      AND c.to_time >= span.end AND c.rules = $4
  )
  AND span.end <= (SELECT max(b.block_time) FROM block b WHERE b.chain_id = $5 AND b.number <= n.final_number)
  AND EXISTS (SELECT FROM swap s WHERE s.chain_id = $6 AND s.block_time >= span.begin AND s.block_time < span.end)
ORDER BY t.day DESC LIMIT 1;

-- lastWashDay

SELECT to_char(day, 'YYYY-MM-DD') AS day, flagged_pools::float8 AS "flaggedPools",
  flagged_volume_usd::text AS "flaggedVolumeUsd"
FROM wash_day WHERE chain_id = $1  ORDER BY wash_day.day DESC LIMIT 1;

-- setDegraded

UPDATE "public"."network" SET "degraded" = $1 WHERE ("public"."network"."chain_id" = $2 AND "public"."network"."writer_epoch" = $3);

-- setBudgetShortfall

UPDATE "public"."network" SET "budget_shortfall" = $1 WHERE ("public"."network"."chain_id" = $2 AND "public"."network"."writer_epoch" = $3);

-- reportUnproven

UPDATE network SET unproven_since = CASE WHEN unproven_until > now() THEN unproven_since ELSE now() END,
  unproven_until = now() + interval '2 minutes'
WHERE chain_id = $1 AND $2::boolean AND coalesce(unproven_until < now() + interval '1 minute', true);

UPDATE network SET unproven_since = NULL
WHERE chain_id = $1 AND unproven_since IS NOT NULL AND coalesce(unproven_until < now(), true);

-- noteUnknownHeaders

INSERT INTO unknown_header AS noted (chain_id, from_block, fields, since, until)
VALUES ($1, $2, $3::text[], now(), now() + interval '2 minutes')
ON CONFLICT (chain_id) DO UPDATE SET until = excluded.until, fields = excluded.fields,
  since = CASE WHEN noted.until > now() THEN noted.since ELSE excluded.since END,
  from_block = CASE WHEN noted.until > now() THEN least(noted.from_block, excluded.from_block)
    ELSE excluded.from_block END
WHERE noted.until < now() + interval '1 minute' OR noted.from_block > excluded.from_block;

-- setVenueCoverage

DELETE FROM "public"."unread_venue" WHERE "public"."unread_venue"."chain_id" = $1;

INSERT INTO "public"."unread_venue" ("chain_id","emitter","topic","receipts") VALUES ($1,$2,$3,$4);

INSERT INTO "public"."venue_coverage" ("chain_id","receipts","unread") VALUES ($1,$2,$3) ON CONFLICT ("chain_id") DO UPDATE SET "receipts" = $4, "unread" = $5 WHERE ("public"."venue_coverage"."chain_id" = $6 AND 1=1) RETURNING "public"."venue_coverage"."chain_id", "public"."venue_coverage"."receipts", "public"."venue_coverage"."unread";

-- venueCoverage

SELECT "public"."unread_venue"."chain_id", "public"."unread_venue"."emitter", "public"."unread_venue"."topic", "public"."unread_venue"."receipts" FROM "public"."unread_venue" WHERE 1=1 ORDER BY "public"."unread_venue"."receipts" DESC, "public"."unread_venue"."emitter" ASC, "public"."unread_venue"."topic" ASC OFFSET $1;

SELECT "public"."venue_coverage"."chain_id", "public"."venue_coverage"."receipts", "public"."venue_coverage"."unread" FROM "public"."venue_coverage" WHERE 1=1 OFFSET $1;

-- setActivity

INSERT INTO network_activity (chain_id, reported_at, endpoints, queue)
VALUES ($1, now(), $2::jsonb, $3::jsonb)
ON CONFLICT (chain_id) DO UPDATE
  SET reported_at = excluded.reported_at, endpoints = excluded.endpoints, queue = excluded.queue;

-- setBackfillRate

INSERT INTO backfill_rate (chain_id, blocks_per_s, measured_at) VALUES ($1, $2, now())
ON CONFLICT (chain_id) DO UPDATE SET blocks_per_s = excluded.blocks_per_s, measured_at = excluded.measured_at;

-- dropPoolStates

DELETE FROM "public"."block" WHERE ("public"."block"."chain_id" = $1 AND "public"."block"."number" > $2);

DELETE FROM "public"."covered_range" WHERE ("public"."covered_range"."chain_id" = $1 AND "public"."covered_range"."from_block" > $2);

DELETE FROM "public"."invalidated_pool" WHERE "public"."invalidated_pool"."chain_id" = $1;

DELETE FROM "public"."pool_state" WHERE ("public"."pool_state"."chain_id" = $1 AND "public"."pool_state"."block_number" > $2);

DELETE FROM "public"."pool_tick" WHERE ("public"."pool_tick"."chain_id" = $1 AND "public"."pool_tick"."block_number" > $2);

DELETE FROM "public"."unconfirmed_denial" WHERE ("public"."unconfirmed_denial"."chain_id" = $1 AND "public"."unconfirmed_denial"."from_block" >= $2 AND "public"."unconfirmed_denial"."to_block" <= $3);

DELETE FROM pool_creation WHERE chain_id = $1 AND block_number >= $2  RETURNING pool::text;

INSERT INTO network_rollback (chain_id, number, ancestor)
SELECT chain_id, reorgs, $1::bigint FROM network WHERE chain_id = $2;

SELECT "public"."covered_range"."chain_id", "public"."covered_range"."from_block", "public"."covered_range"."to_block", "public"."covered_range"."from_time", "public"."covered_range"."to_time", "public"."covered_range"."rules" FROM "public"."covered_range" WHERE ("public"."covered_range"."chain_id" = $1 AND "public"."covered_range"."to_block" > $2) LIMIT $3 OFFSET $4;

UPDATE "public"."covered_range" SET "to_block" = $1, "to_time" = $2 WHERE (("public"."covered_range"."chain_id" = $3 AND "public"."covered_range"."from_block" = $4) AND 1=1) RETURNING "public"."covered_range"."chain_id", "public"."covered_range"."from_block", "public"."covered_range"."to_block", "public"."covered_range"."from_time", "public"."covered_range"."to_time", "public"."covered_range"."rules";

UPDATE "public"."invalidated_pool" SET "trusted_from" = $1 WHERE ("public"."invalidated_pool"."chain_id" = $2 AND "public"."invalidated_pool"."trusted_from" > $3);

UPDATE "public"."network" SET "revision" = ("public"."network"."revision" + $1), "reorgs" = ("public"."network"."reorgs" + $2) WHERE "public"."network"."chain_id" = $3;

UPDATE liquidity_hour SET is_last = true WHERE chain_id = $1
AND time = (SELECT max(time) FROM liquidity_hour WHERE chain_id = $2);

WITH gone AS (
  UPDATE alert SET is_retracted = true WHERE chain_id = $1 AND block_number > $2 AND NOT is_retracted
  RETURNING *
)
INSERT INTO alert (chain_id, number, id, rule, condition, status, block_number, time, details, is_retracted, webhooks, pending)
SELECT chain_id, (SELECT coalesce(max(number), 0) FROM alert WHERE chain_id = $3) + row_number() OVER (ORDER BY number), id, rule, condition, 'retracted',
  block_number, time, details, true, webhooks, webhooks
FROM gone WHERE status = 'fired';

WITH listed AS MATERIALIZED (SELECT day, decode(trader, 'hex') AS trader
FROM unnest($1::date[], $2::text[]) AS listed (day, trader))
SELECT day - DATE '1970-01-01' AS day, '0x' || encode(trader, 'hex') AS trader FROM listed
WHERE NOT EXISTS (SELECT FROM swap WHERE chain_id = $3 AND trader = listed.trader
AND block_time >= listed.day::timestamp AT TIME ZONE 'UTC'
AND block_time < (listed.day + 1)::timestamp AT TIME ZONE 'UTC'
AND block_time >= to_timestamp($4)
AND block_time < to_timestamp($5) );

WITH locked AS MATERIALIZED (SELECT to_json(network) AS row FROM network WHERE chain_id = $1 FOR UPDATE)
SELECT row , pg_advisory_xact_lock($2::int, $3::int)::text AS lock FROM locked;

-- raiseStart

UPDATE "public"."network" SET "start_block" = $1, "start_time" = $2 WHERE ("public"."network"."chain_id" = $3 AND "public"."network"."start_block" < $4);

-- rollBackBelowFinal

DELETE FROM pool WHERE chain_id = $1 AND address IN (SELECT unnest($2::text[]::bytea[]))
RETURNING token0::text, token1::text;

DELETE FROM token WHERE chain_id = $1 AND address IN (SELECT unnest($2::text[]::bytea[]))
  AND NOT EXISTS (SELECT FROM listed_symbol AS listed
    WHERE listed.chain_id = token.chain_id AND listed.address = token.address)
  AND NOT EXISTS (SELECT FROM pool WHERE pool.chain_id = token.chain_id
    AND token.address = ANY (pool.coins || pool.underlying || pool.token0 || pool.token1));

UPDATE "public"."audit" SET "number" = $1 WHERE ("public"."audit"."chain_id" = $2 AND "public"."audit"."number" > $3);

UPDATE "public"."covered_range" SET "from_time" = $1 WHERE ("public"."covered_range"."chain_id" = $2 AND "public"."covered_range"."from_block" = $3);

UPDATE "public"."covered_range" SET "to_time" = $1 WHERE ("public"."covered_range"."chain_id" = $2 AND "public"."covered_range"."to_block" = $3);

UPDATE "public"."key_search" SET "from_block" = $1, "to_block" = $2 WHERE ("public"."key_search"."chain_id" = $3 AND "public"."key_search"."from_block" > $4);

UPDATE "public"."key_search" SET "to_block" = $1 WHERE ("public"."key_search"."chain_id" = $2 AND "public"."key_search"."to_block" > $3);

UPDATE "public"."network" SET "head_number" = $1, "head_hash" = $2, "head_time" = $3, "chain_head_number" = $4, "chain_head_time" = $5, "final_number" = $6, "degraded" = $7 WHERE "public"."network"."chain_id" = $8;

WITH gone AS (
  DELETE FROM liquidity_hour WHERE chain_id = $1 AND block_number > $2 RETURNING time
)
DELETE FROM pool_hour WHERE chain_id = $3 AND time >= (SELECT min(time) FROM gone);

-- dropDaysBefore

DELETE FROM "public"."awaited_value" WHERE "public"."awaited_value"."block_time" < $1;

DELETE FROM "public"."liquidity_event" WHERE ("public"."liquidity_event"."chain_id" IN ($1,$2,$3) AND "public"."liquidity_event"."block_time" < $4);

DELETE FROM "public"."liquidity_hour" WHERE "public"."liquidity_hour"."time" < $1;

DELETE FROM "public"."token_move" WHERE "public"."token_move"."block_time" < $1;

DELETE FROM alert AS old WHERE time < to_timestamp($1) AND EXISTS (
  SELECT FROM alert AS later WHERE later.chain_id = old.chain_id AND later.rule = old.rule
    AND later.condition = old.condition AND later.number > old.number AND NOT later.is_retracted
    AND later.time < to_timestamp($2)
);

DELETE FROM pool_hour AS old USING (
  SELECT chain_id, pool, max(time) AS time FROM pool_hour WHERE time <= $1 GROUP BY chain_id, pool
) AS kept
WHERE old.chain_id = kept.chain_id AND old.pool = kept.pool AND old.time < kept.time;

INSERT INTO kept_days AS stored (since) VALUES ($1::date)
ON CONFLICT (id) DO UPDATE SET since = greatest(stored.since, excluded.since);

SELECT MIN("start_time") AS "_min$start_time" FROM (SELECT "public"."network"."start_time" FROM "public"."network" WHERE "public"."network"."active" = $1 OFFSET $2) AS "sub";

SELECT pg_advisory_lock($1, 0);

SELECT relname::text AS name,
  CASE WHEN inhdetachpending THEN 'FINALIZE' WHEN inhparent IS NOT NULL THEN 'CONCURRENTLY' END AS detach
FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r'
  AND relname ~ ('^' || $1 || '_[0-9]{8}$') AND relname < $2
ORDER BY relname;

-- restoreDays

DELETE FROM "public"."covered_range" WHERE ("public"."covered_range"."chain_id" = $1 AND "public"."covered_range"."from_block" IN ($2));

DELETE FROM "public"."day_address_count" WHERE ("public"."day_address_count"."day" >= $1 AND "public"."day_address_count"."day" < $2);

DELETE FROM "public"."day_address_count" WHERE ("public"."day_address_count"."day" IN ($1) AND "public"."day_address_count"."addresses" = $2);

DELETE FROM "public"."day_total" WHERE ("public"."day_total"."day" >= $1 AND "public"."day_total"."day" < $2);

DELETE FROM "public"."hour_volume" WHERE ("public"."hour_volume"."chain_id" = $1 AND "public"."hour_volume"."hour" IN ($2) AND "public"."hour_volume"."trades" = $3);

DELETE FROM "public"."hour_volume" WHERE ("public"."hour_volume"."chain_id" IN ($1,$2,$3) AND "public"."hour_volume"."hour" >= $4 AND "public"."hour_volume"."hour" < $5);

DELETE FROM "public"."pool_day_wash" WHERE ("public"."pool_day_wash"."day" >= $1 AND "public"."pool_day_wash"."day" < $2);

DELETE FROM "public"."wash_day" WHERE ("public"."wash_day"."day" >= $1 AND "public"."wash_day"."day" < $2);

SELECT FROM network ORDER BY chain_id FOR UPDATE;

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (
SELECT block_number AS number, extract(epoch FROM block_time)::float8 AS timestamp FROM swap
WHERE chain_id = $2 AND block_time >= to_timestamp($3) ORDER BY block_number LIMIT 1) AS r))::text AS found;

UPDATE kept_days SET since = $1::date WHERE since > $2::date;

WITH without AS MATERIALIZED (SELECT day, decode(trader, 'hex') AS trader
  FROM unnest($1::date[], $2::text[]) AS listed (day, trader)), fewer AS (
    UPDATE day_trader AS stored SET networks = stored.networks - $3::int FROM without
    WHERE stored.day = without.day AND stored.trader = without.trader
      AND stored.networks & $4::int <> 0 AND stored.networks <> $5::int
    RETURNING stored.day, stored.networks
  ), gone AS (
    DELETE FROM day_trader AS stored USING without
    WHERE stored.day = without.day AND stored.trader = without.trader AND stored.networks = $6::int
    RETURNING stored.day
  ), moved AS MATERIALIZED (
    SELECT day, networks, sum(addresses) AS addresses FROM (
      SELECT day, networks, 1 AS addresses FROM fewer UNION ALL SELECT day, networks + $7::int, -1 FROM fewer
      UNION ALL SELECT day, $8::int, -1 FROM gone
    ) AS both_sides GROUP BY 1, 2
  )
INSERT INTO day_address_count AS stored (day, networks, addresses)
SELECT day, networks, greatest(addresses, 0) FROM moved WHERE networks > 0 AND addresses <> 0 ORDER BY day, networks
ON CONFLICT (day, networks) DO UPDATE SET addresses = stored.addresses + (
  SELECT moved.addresses FROM moved WHERE moved.day = stored.day AND moved.networks = stored.networks) RETURNING day, addresses;

-- keptSince
