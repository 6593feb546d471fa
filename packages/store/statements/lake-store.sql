-- dueDays

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

-- beginDay

INSERT INTO lake_day AS stored (chain_id, day, version, from_block, to_block, is_written, is_changed)
SELECT $1, $2::date, $3::int + 1,
  coalesce((SELECT max(block_number) FROM swap
    WHERE chain_id = $4 AND block_time >= $5::date::timestamp AT TIME ZONE 'UTC' - interval '1 day'
      AND block_time < $6::date::timestamp AT TIME ZONE 'UTC' - make_interval(secs => $7)) + 1, 0),
  coalesce((SELECT min(block_number) FROM swap
    WHERE chain_id = $8 AND block_time >= ($9::date + 1)::timestamp AT TIME ZONE 'UTC' + make_interval(secs => $10)
      AND block_time < ($11::date + 1)::timestamp AT TIME ZONE 'UTC' + interval '1 day') - 1,
    $12::bigint),
  false, false
ON CONFLICT (chain_id, day) DO UPDATE SET version = greatest(stored.version + 1, excluded.version),
  from_block = excluded.from_block, to_block = excluded.to_block, is_written = false, is_changed = false
RETURNING version;

SELECT pg_advisory_xact_lock($1::int, id) FROM unnest($2::int[]) AS id;

-- confirmDay

UPDATE lake_day SET is_written = true
WHERE chain_id = $1 AND day = $2::date AND version = $3 AND NOT is_changed;

-- forgetDay

UPDATE lake_day SET is_written = false
WHERE chain_id = $1 AND day = $2::date;

-- keptSince

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT since FROM kept_days) AS r))::text AS found;

-- lakeDays

SELECT day - DATE '1970-01-01' AS day, version, is_written AS "isWritten", is_changed AS "isChanged"
FROM lake_day WHERE chain_id = $1 ORDER BY lake_day.day;

-- networks

SELECT json_build_object($1::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM network WHERE active) AS r),$2::text, (SELECT coalesce(json_agg(r), '[]') FROM (SELECT * FROM covered_range ORDER BY chain_id, from_block) AS r))::text AS found;

-- lockWriter

SELECT pg_try_advisory_lock($1, 0) AS held;

-- rowsOfDay

COPY (SELECT block_number,transaction_index,position,(extract(epoch FROM block_time) * 1000000)::bigint,encode(tx_hash, 'hex'),encode(trader, 'hex'),encode(settled_for, 'hex'),encode(sell_token, 'hex'),sell_native,sell_amount,CASE WHEN sell_amount >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(sell_amount, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(sell_amount, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(sell_amount, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(sell_amount, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(sell_amount, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(sell_amount, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(sell_amount, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(sell_amount, 1), 4294967296)::bigint), 8, '0') END,encode(buy_token, 'hex'),buy_native,buy_amount,CASE WHEN buy_amount >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(buy_amount, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(buy_amount, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(buy_amount, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(buy_amount, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(buy_amount, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(buy_amount, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(buy_amount, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(buy_amount, 1), 4294967296)::bigint), 8, '0') END,volume_usd,usd_source,flags FROM (SELECT * FROM (SELECT * FROM swap WHERE block_time >= current_setting('dexfeed.day')::date::timestamp AT TIME ZONE 'UTC'
AND block_time < (current_setting('dexfeed.day')::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day WHERE chain_id = current_setting('dexfeed.chain_id')::int
ORDER BY block_number, transaction_index, position) AS copied) TO STDOUT;

COPY (SELECT encode(address, 'hex'),encode(convert_to(symbol, 'UTF8'), 'hex'),encode(convert_to(name, 'UTF8'), 'hex'),decimals FROM (SELECT * FROM token WHERE chain_id = current_setting('dexfeed.chain_id')::int) AS copied) TO STDOUT;

COPY (SELECT encode(address, 'hex'),pool_key,encode(convert_to(dex, 'UTF8'), 'hex'),encode(factory, 'hex'),encode(token0, 'hex'),encode(token1, 'hex'),fee,tick_spacing,array_to_string(ARRAY(SELECT encode(item, 'hex') FROM unnest(coins) WITH ORDINALITY AS list (item, n) ORDER BY n), ','),array_to_string(ARRAY(SELECT encode(item, 'hex') FROM unnest(underlying) WITH ORDINALITY AS list (item, n) ORDER BY n), ','),encode(hooks, 'hex') FROM (SELECT * FROM (SELECT *, ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint AS pool_key FROM pool
    WHERE chain_id = current_setting('dexfeed.chain_id')::int) AS keyed WHERE pool_key IN (
SELECT pool_key FROM (
SELECT * FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= current_setting('dexfeed.day')::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < (current_setting('dexfeed.day')::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day WHERE chain_id = current_setting('dexfeed.chain_id')::int) AS hop UNION SELECT ('x' || right(encode(pool, 'hex'), 16))::bit(64)::bigint FROM (SELECT * FROM liquidity_event
  WHERE chain_id = current_setting('dexfeed.chain_id')::int AND block_time >= current_setting('dexfeed.day')::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < (current_setting('dexfeed.day')::date + 1)::timestamp AT TIME ZONE 'UTC') AS event)) AS copied) TO STDOUT;

COPY (SELECT encode(pool, 'hex'),block_number,transaction_index,log_index,(extract(epoch FROM block_time) * 1000000)::bigint,encode(tx_hash, 'hex'),encode(account, 'hex'),added,array_to_string(amounts, ','),array_to_string(ARRAY(SELECT lpad(to_hex(mod(div(item, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(item, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(item, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(item, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(item, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(item, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(item, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(item, 1), 4294967296)::bigint), 8, '0') FROM unnest(amounts) WITH ORDINALITY AS list (item, n) ORDER BY n), ','),liquidity,CASE WHEN liquidity >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(liquidity, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(liquidity, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(liquidity, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(liquidity, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(liquidity, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(liquidity, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(liquidity, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(liquidity, 1), 4294967296)::bigint), 8, '0') END,tick_lower,tick_upper,value_usd FROM (SELECT * FROM liquidity_event
WHERE chain_id = current_setting('dexfeed.chain_id')::int AND block_time >= current_setting('dexfeed.day')::date::timestamp AT TIME ZONE 'UTC'
AND block_time < (current_setting('dexfeed.day')::date + 1)::timestamp AT TIME ZONE 'UTC') AS copied) TO STDOUT;

COPY (SELECT encode(token, 'hex') FROM (SELECT DISTINCT unnest(anchors || wrapped_native) AS token FROM network WHERE chain_id = current_setting('dexfeed.chain_id')::int) AS copied) TO STDOUT;

COPY (SELECT pool_key,block_number,transaction_index,log_index,position,(extract(epoch FROM block_time) * 1000000)::bigint,encode(token_in, 'hex'),amount_in,CASE WHEN amount_in >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(amount_in, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_in, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_in, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_in, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_in, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_in, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_in, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_in, 1), 4294967296)::bigint), 8, '0') END,encode(token_out, 'hex'),amount_out,CASE WHEN amount_out >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(amount_out, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_out, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_out, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_out, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_out, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_out, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_out, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(amount_out, 1), 4294967296)::bigint), 8, '0') END,volume_usd,flags,sets_price FROM (SELECT *, coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
        AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price FROM (
SELECT * FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= current_setting('dexfeed.day')::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < (current_setting('dexfeed.day')::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day WHERE chain_id = current_setting('dexfeed.chain_id')::int) AS hop
  ORDER BY pool_key, block_number, log_index) AS copied) TO STDOUT;

COPY (SELECT pool_key,encode(token0, 'hex'),encode(token1, 'hex'),(extract(epoch FROM minute) * 1000000)::bigint,trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,CASE WHEN open0 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(open0, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open0, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open0, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open0, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open0, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open0, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open0, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open0, 1), 4294967296)::bigint), 8, '0') END,high0,CASE WHEN high0 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(high0, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high0, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high0, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high0, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high0, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high0, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high0, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high0, 1), 4294967296)::bigint), 8, '0') END,low0,CASE WHEN low0 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(low0, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low0, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low0, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low0, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low0, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low0, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low0, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low0, 1), 4294967296)::bigint), 8, '0') END,close0,CASE WHEN close0 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(close0, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close0, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close0, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close0, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close0, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close0, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close0, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close0, 1), 4294967296)::bigint), 8, '0') END,open1,CASE WHEN open1 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(open1, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open1, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open1, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open1, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open1, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open1, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open1, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(open1, 1), 4294967296)::bigint), 8, '0') END,high1,CASE WHEN high1 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(high1, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high1, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high1, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high1, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high1, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high1, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high1, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(high1, 1), 4294967296)::bigint), 8, '0') END,low1,CASE WHEN low1 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(low1, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low1, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low1, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low1, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low1, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low1, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low1, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(low1, 1), 4294967296)::bigint), 8, '0') END,close1,CASE WHEN close1 >= 340282366920938463463374607431768211456 THEN lpad(to_hex(mod(div(close1, 26959946667150639794667015087019630673637144422540572481103610249216), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close1, 6277101735386680763835789423207666416102355444464034512896), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close1, 1461501637330902918203684832716283019655932542976), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close1, 340282366920938463463374607431768211456), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close1, 79228162514264337593543950336), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close1, 18446744073709551616), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close1, 4294967296), 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(div(close1, 1), 4294967296)::bigint), 8, '0') END FROM (
  SELECT pool_key, token0, token1, minute, trades,unpriced,volume_usd,buys,buy_volume_usd,open_at,close_at,open0,open1,nullif(high0, open0) AS high0,nullif(low0, open0) AS low0,nullif(close0, open0) AS close0,nullif(high1, open1) AS high1,nullif(low1, open1) AS low1,nullif(close1, open1) AS close1
  FROM (
    SELECT pool_key, minute, token0, token1, count(*) AS trades,count(*) - count(volume_usd) AS unpriced,coalesce(sum(volume_usd), 0.00000000) AS volume_usd,count(*) FILTER (WHERE token_out = token0) AS buys,coalesce(sum(volume_usd) FILTER (WHERE token_out = token0), 0.00000000) AS buy_volume_usd,min(at) FILTER (WHERE price0 IS NOT NULL) AS open_at,max(at) FILTER (WHERE price0 IS NOT NULL) AS close_at,(array_agg(price0) FILTER (WHERE price0 IS NOT NULL))[1] AS open0,max(price0) AS high0,min(price0) AS low0,(array_agg(price0) FILTER (WHERE price0 IS NOT NULL))[count(price0)] AS close0,(array_agg(price1) FILTER (WHERE price0 IS NOT NULL))[1] AS open1,max(price1) AS high1,min(price1) AS low1,(array_agg(price1) FILTER (WHERE price0 IS NOT NULL))[count(price1)] AS close1
    FROM (
      SELECT pool_key, minute, token0, token1, at, token_out, volume_usd, price0, price1
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
SELECT * FROM (SELECT * FROM (SELECT * FROM (
  SELECT chain_id,block_number,transaction_index,log_index,position,block_time,pool_key,token_in,amount_in,token_out,amount_out,volume_usd,flags, 0::smallint AS parts FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
volume_usd, flags & 182::smallint AS flags, parts FROM swap
) AS row WHERE log_index IS NOT NULL) AS hop WHERE block_time >= current_setting('dexfeed.day')::date::timestamp AT TIME ZONE 'UTC'
  AND block_time < (current_setting('dexfeed.day')::date + 1)::timestamp AT TIME ZONE 'UTC') AS of_day WHERE chain_id = current_setting('dexfeed.chain_id')::int) AS hop
  ) AS ruled) AS ruled ORDER BY pool_key, minute, token0, token1, at
    ) AS hop GROUP BY pool_key, minute, token0, token1
  ) AS counted) AS copied) TO STDOUT;

COPY (SELECT swaps,unpriced,flagged,volume_usd FROM (SELECT * FROM day_total WHERE chain_id = current_setting('dexfeed.chain_id')::int AND day = current_setting('dexfeed.day')::date) AS copied) TO STDOUT;

SELECT;

SELECT FROM (
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
  )) AS complete WHERE day = $6::date;

SELECT pg_backend_pid() AS backend;

SELECT set_config($1, $2, true);
