-- What buyers of a token paid into a pool in an hour, less what sellers got, in USD: it weighs the pools whose median is
-- the token's price (docs/internals/candles.md). Partitioned by UTC day of the hour. That of stored rows is made here,
-- day by day, which takes some minutes for a hundred million.
CREATE TABLE "token_flow" (
    -- The last eight bytes of the token's and the pool's address.
    "token_key" BIGINT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "pool_key" BIGINT NOT NULL,
    -- 0: what the follower merges; else the place of the first hop.
    "part" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    -- Hops that set a price.
    "hops" INTEGER NOT NULL,
    "net_usd" DECIMAL NOT NULL,

    CONSTRAINT "token_flow_pkey" PRIMARY KEY ("chain_id", "token_key", "hour", "pool_key", "part")
) PARTITION BY RANGE ("hour");

DO $$
DECLARE
    suffix TEXT;
    day_start TIMESTAMPTZ;
    day_end TIMESTAMPTZ;
BEGIN
    FOR suffix IN
        SELECT right(relname, 8) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = '"swap"'::regclass AND NOT inhdetachpending AND relname ~ '^swap_[0-9]{8}$' ORDER BY relname
    LOOP
        day_start := to_date(suffix, 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC';
        day_end := (to_date(suffix, 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC';
        EXECUTE format('CREATE TABLE %I PARTITION OF "token_flow" FOR VALUES FROM (%L) TO (%L)', 'token_flow_' || suffix,
            day_start, day_end);
        INSERT INTO "token_flow" ("chain_id", "token_key", "hour", "pool_key", "part", "hops", "net_usd")
        SELECT hop."chain_id", ('x' || right(encode(side."token", 'hex'), 16))::bit(64)::bigint,
            date_trunc('hour', hop."block_time", 'UTC'), hop."pool_key", 0, count(*), sum(side."usd")
        FROM (
            SELECT "chain_id", "block_time", "pool_key", "token_in", "token_out", "amount_in", "amount_out", "volume_usd",
                "flags"
            FROM "swap_hop" WHERE "block_time" >= day_start AND "block_time" < day_end
            UNION ALL
            -- The flags that exclude a value from prices; the others (1, 8, 64, 256) are of the trade.
            SELECT "chain_id", "block_time", "pool_key", "sell_token", "buy_token", "sell_amount", "buy_amount", "volume_usd",
                "flags" & 182
            FROM "swap" WHERE "hop_log_index" IS NOT NULL AND "block_time" >= day_start AND "block_time" < day_end
        ) AS hop
        JOIN "network" ON "network"."chain_id" = hop."chain_id"
        CROSS JOIN LATERAL (VALUES (hop."token_in", hop."token_out", -hop."volume_usd"),
            (hop."token_out", hop."token_in", hop."volume_usd")) AS side ("token", "other", "usd")
        WHERE hop."flags" = 0 AND hop."token_in" <> hop."token_out" AND hop."volume_usd" >= 0.01
            AND least(hop."amount_in", hop."amount_out") >= 1000
            AND hop."volume_usd" * 1e39 >= greatest(hop."amount_in", hop."amount_out")
            -- A pool of one anchor says nothing of it.
            AND (side."token" <> ALL ("network"."anchors" || "network"."wrapped_native")
                OR side."other" = ANY ("network"."anchors" || "network"."wrapped_native"))
        GROUP BY 1, 2, 3, 4;
    END LOOP;
END
$$;
