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
  )
  AND NOT EXISTS (
    SELECT FROM swap s WHERE s.chain_id = $6 AND s.block_time >= span.begin AND s.block_time < span.end
      AND s.block_number <= n.flow_unknown_to
  )) AS complete
WHERE NOT EXISTS (
  SELECT FROM lake_day l
  WHERE l.chain_id = $7 AND l.day = complete.day AND l.is_written AND NOT l.is_changed
)
ORDER BY 1;

-- beginDay

INSERT INTO lake_day AS stored (chain_id, day, version, from_block, to_block, is_written, is_changed)
SELECT $1, $2::date, $3::int + 1,
  coalesce((SELECT max(block_number) FROM swap
    WHERE chain_id = $4 AND block_time >= $5::date::timestamp AT TIME ZONE 'UTC' - interval '1 day' AND block_time < $6::date::timestamp AT TIME ZONE 'UTC') + 1, 0),
  coalesce((SELECT min(block_number) FROM swap
    WHERE chain_id = $7 AND block_time >= ($8::date + 1)::timestamp AT TIME ZONE 'UTC' AND block_time < ($9::date + 1)::timestamp AT TIME ZONE 'UTC' + interval '1 day') - 1,
    $10::bigint),
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

-- lakeDays

SELECT day - DATE '1970-01-01' AS day, version, is_written AS "isWritten", is_changed AS "isChanged"
FROM lake_day WHERE chain_id = $1 ORDER BY lake_day.day;
