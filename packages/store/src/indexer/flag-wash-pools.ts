/** Bits of pool_day_wash.flags. */
export const WASH_ROUND_TRIPS = 1
export const WASH_FEW_TRADERS = 2
export const WASH_MATCHED = 4

/**
 * Writes the flagged pools of one network ($1) and day ($2), from the rows of the day alone (its partition of `swap`).
 * $3 least volume, $4 least swaps, $5 how many are the busiest; the least percents: $6 of round trips, $7 of the
 * busiest, $8 of matched amounts. A route counts for the pool that it enters first; trades without a value for none.
 *
 * A round trip is what an address traded in both directions between two tokens: twice the smaller of both volumes.
 * Matched is what was bought of a token and sold again by others in the very same amount, counted likewise, of the
 * token where that is the most (the amounts of the other one mostly match too). Both are what F. Victor and A. M.
 * Weintraud look for in "Detecting and Quantifying Wash Trading on Decentralized Cryptocurrency Exchanges" (WWW 2021,
 * arXiv 2102.07001), without their search for larger circles.
 */
export const FLAG_POOLS = `
  WITH trade AS MATERIALIZED (
    SELECT pool_key, trader, sell_token, sell_amount, buy_token, buy_amount, volume_usd FROM swap
    WHERE chain_id = $1 AND block_time >= $2::date::timestamp AT TIME ZONE 'UTC'
      AND block_time < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'
      AND volume_usd IS NOT NULL AND pool_key IS NOT NULL AND trader IS NOT NULL
  ), busy AS (
    SELECT pool_key, count(*) AS swaps, sum(volume_usd) AS volume FROM trade GROUP BY pool_key
    HAVING count(*) >= $4 AND sum(volume_usd) >= $3 AND sum(volume_usd) > 0
  ), direction AS (
    SELECT pool_key, trader, coalesce(sum(volume_usd) FILTER (WHERE sell_token < buy_token), 0) AS forth,
      coalesce(sum(volume_usd) FILTER (WHERE sell_token > buy_token), 0) AS back
    FROM trade JOIN busy USING (pool_key)
    GROUP BY pool_key, trader, least(sell_token, buy_token), greatest(sell_token, buy_token)
  ), by_trader AS (
    SELECT pool_key, trader, sum(forth + back) AS volume, sum(2 * least(forth, back)) AS round_trip,
      row_number() OVER (PARTITION BY pool_key ORDER BY sum(forth + back) DESC, trader) AS place
    FROM direction GROUP BY pool_key, trader
  ), traders AS (
    SELECT pool_key, count(*) AS traders, sum(round_trip) AS round_trip,
      sum(volume) FILTER (WHERE place <= $5) AS top
    FROM by_trader GROUP BY pool_key
  ), leg AS (
    SELECT pool_key, buy_token AS token, buy_amount AS amount, trader, volume_usd AS bought, 0 AS sold
    FROM trade JOIN busy USING (pool_key)
    UNION ALL
    SELECT pool_key, sell_token, sell_amount, trader, 0, volume_usd FROM trade JOIN busy USING (pool_key)
  ), equal AS (
    SELECT pool_key, token, 2 * least(sum(bought), sum(sold)) AS matched FROM leg
    GROUP BY pool_key, token, amount
    HAVING count(DISTINCT trader) > 1 AND sum(bought) > 0 AND sum(sold) > 0
  ), matches AS (
    SELECT pool_key, max(matched) AS matched
    FROM (SELECT pool_key, token, sum(matched) AS matched FROM equal GROUP BY pool_key, token) AS of_token
    GROUP BY pool_key
  ), judged AS (
    SELECT pool_key, swaps, traders, volume, round_trip, top, least(coalesce(matched, 0), volume) AS matched,
      (round_trip * 100 >= volume * $6)::int + 2 * (top * 100 >= volume * $7)::int
        + 4 * (least(coalesce(matched, 0), volume) * 100 >= volume * $8)::int AS flags
    FROM busy JOIN traders USING (pool_key) LEFT JOIN matches USING (pool_key)
  ), named AS (
    SELECT ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint AS pool_key, (array_agg(address ORDER BY address))[1] AS pool
    FROM pool
    WHERE chain_id = $1 GROUP BY 1
  )
  INSERT INTO pool_day_wash
  SELECT $1, $2::date, pool, swaps, traders, volume, round_trip, top, matched, flags
  FROM judged JOIN named USING (pool_key) WHERE flags <> 0`
