-- Roll-ups of the hops by minute, from which candles and volumes are read, and of the trades and hops by hour
-- (docs/candles.md). Those of the rows that are there are made here, which takes some minutes for a hundred million.

-- Bits of swap.flags that speak against a price by the hop's value: 2 disagreement, 4 capped.
ALTER TABLE "swap_hop" ADD COLUMN "flags" SMALLINT NOT NULL DEFAULT 0;
UPDATE "swap_hop" h SET "flags" = s."flags" & 6
FROM "swap" s
WHERE s."flags" & 6 <> 0 AND s."chain_id" = h."chain_id" AND s."block_number" = h."block_number"
    AND s."transaction_index" = h."transaction_index" AND s."position" = h."position" AND s."block_time" = h."block_time";

-- Partitioned by UTC day of the minute. Prices are USD per base unit times 10^42.
CREATE TABLE "pool_candle" (
    "pool_key" BIGINT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    -- The last eight bytes of the addresses of two of the pool's tokens, the lower address first.
    "token0_key" BIGINT NOT NULL,
    "token1_key" BIGINT NOT NULL,
    -- 0: what the follower merges; else the place of the first hop.
    "part" BIGINT NOT NULL,
    -- Places (block times 2^20 plus log index) of the first and the last hop that set a price.
    "open_at" BIGINT,
    "close_at" BIGINT,
    "chain_id" INTEGER NOT NULL,
    "trades" INTEGER NOT NULL,
    "unpriced" INTEGER NOT NULL,
    "volume_usd" DECIMAL NOT NULL,
    "open0" DECIMAL,
    "high0" DECIMAL,
    "low0" DECIMAL,
    "close0" DECIMAL,
    "open1" DECIMAL,
    "high1" DECIMAL,
    "low1" DECIMAL,
    "close1" DECIMAL,

    CONSTRAINT "pool_candle_pkey" PRIMARY KEY ("chain_id", "pool_key", "minute", "token0_key", "token1_key", "part")
) PARTITION BY RANGE ("minute");

CREATE TABLE "token_candle" (
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "part" BIGINT NOT NULL,
    "open_at" BIGINT,
    "close_at" BIGINT,
    "chain_id" INTEGER NOT NULL,
    "trades" INTEGER NOT NULL,
    "unpriced" INTEGER NOT NULL,
    "token" BYTEA NOT NULL,
    "volume_usd" DECIMAL NOT NULL,
    "open" DECIMAL,
    "high" DECIMAL,
    "low" DECIMAL,
    "close" DECIMAL,

    CONSTRAINT "token_candle_pkey" PRIMARY KEY ("chain_id", "token", "minute", "part")
) PARTITION BY RANGE ("minute");

-- What the trades of an hour add up to (protocol ''), and the hops of each protocol. Stays when the rows leave.
CREATE TABLE "hour_volume" (
    "chain_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "protocol" TEXT NOT NULL,
    "trades" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "volume_usd" DECIMAL NOT NULL,

    CONSTRAINT "hour_volume_pkey" PRIMARY KEY ("chain_id", "hour", "protocol"),
    CONSTRAINT "hour_volume_range" CHECK ("trades" >= 0 AND "unpriced" >= 0 AND "volume_usd" >= 0 AND "volume_usd" < 'Infinity')
);

-- The pools of two tokens.
CREATE INDEX "pool_tokens_idx" ON "pool" ("chain_id", "token0", "token1");

DO $$
DECLARE
    suffix TEXT;
BEGIN
    FOR suffix IN
        SELECT right(relname, 8) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'swap_hop'::regclass
    LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF "pool_candle" FOR VALUES FROM (%L) TO (%L)', 'pool_candle_' || suffix,
            to_date(suffix, 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC',
            (to_date(suffix, 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC');
        EXECUTE format('CREATE TABLE %I PARTITION OF "token_candle" FOR VALUES FROM (%L) TO (%L)', 'token_candle_' || suffix,
            to_date(suffix, 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC',
            (to_date(suffix, 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC');
    END LOOP;
END
$$;

CREATE VIEW "ruled_hop" AS
SELECT "chain_id", "pool_key", "minute", "at", "token0", "token1", "volume_usd",
    CASE WHEN "sets_price" THEN div("volume_usd" * 1e42, "amount0") END AS "price0",
    CASE WHEN "sets_price" THEN div("volume_usd" * 1e42, "amount1") END AS "price1"
FROM (
    SELECT "chain_id", "pool_key", "volume_usd", date_trunc('minute', "block_time") AS "minute",
        "block_number" * 1048576 + least("log_index", 1048575) AS "at",
        least("token_in", "token_out") AS "token0", greatest("token_in", "token_out") AS "token1",
        CASE WHEN "token_in" <= "token_out" THEN "amount_in" ELSE "amount_out" END AS "amount0",
        CASE WHEN "token_in" <= "token_out" THEN "amount_out" ELSE "amount_in" END AS "amount1",
        coalesce("flags" = 0 AND "token_in" <> "token_out" AND "volume_usd" >= 0.01 AND least("amount_in", "amount_out") >= 1000
            AND "volume_usd" * 1e39 >= greatest("amount_in", "amount_out"), false) AS "sets_price"
    FROM "swap_hop"
) AS "ruled";

INSERT INTO "pool_candle" ("chain_id", "pool_key", "minute", "token0_key", "token1_key", "part", "trades", "unpriced",
    "volume_usd", "open_at", "close_at", "open0", "high0", "low0", "close0", "open1", "high1", "low1", "close1")
SELECT "chain_id", "pool_key", "minute", ('x' || right(encode("token0", 'hex'), 16))::bit(64)::bigint,
    ('x' || right(encode("token1", 'hex'), 16))::bit(64)::bigint, min("at"), count(*), count(*) - count("volume_usd"),
    coalesce(sum("volume_usd"), 0.00000000), min("at") FILTER (WHERE "price0" IS NOT NULL), max("at") FILTER (WHERE "price0" IS NOT NULL),
    (array_agg("price0" ORDER BY "at") FILTER (WHERE "price0" IS NOT NULL))[1], max("price0"), min("price0"),
    (array_agg("price0" ORDER BY "at" DESC) FILTER (WHERE "price0" IS NOT NULL))[1],
    (array_agg("price1" ORDER BY "at") FILTER (WHERE "price1" IS NOT NULL))[1], max("price1"), min("price1"),
    (array_agg("price1" ORDER BY "at" DESC) FILTER (WHERE "price1" IS NOT NULL))[1]
FROM "ruled_hop" GROUP BY "chain_id", "pool_key", "minute", "token0", "token1";

INSERT INTO "token_candle" ("chain_id", "token", "minute", "part", "trades", "unpriced", "volume_usd", "open_at",
    "close_at", "open", "high", "low", "close")
SELECT "chain_id", "token", "minute", min("at"), count(*), count(*) - count("volume_usd"), coalesce(sum("volume_usd"), 0.00000000),
    min("at") FILTER (WHERE "price" IS NOT NULL), max("at") FILTER (WHERE "price" IS NOT NULL),
    (array_agg("price" ORDER BY "at") FILTER (WHERE "price" IS NOT NULL))[1], max("price"), min("price"),
    (array_agg("price" ORDER BY "at" DESC) FILTER (WHERE "price" IS NOT NULL))[1]
FROM "ruled_hop"
CROSS JOIN LATERAL (VALUES ("token0", "price0", true), ("token1", "price1", "token1" <> "token0"))
    AS "side" ("token", "price", "counts")
WHERE "counts" GROUP BY "chain_id", "token", "minute";

INSERT INTO "hour_volume" ("chain_id", "hour", "protocol", "trades", "unpriced", "volume_usd")
SELECT "chain_id", date_trunc('hour', "block_time"), '', count(*), count(*) - count("volume_usd"), coalesce(sum("volume_usd"), 0.00000000)
FROM "swap" GROUP BY 1, 2
UNION ALL
SELECT h."chain_id", h."hour", p."dex", sum(h."trades"), sum(h."unpriced"), sum(h."volume_usd")
FROM (
    SELECT "chain_id", "pool_key", date_trunc('hour', "block_time") AS "hour", count(*) AS "trades",
        count(*) - count("volume_usd") AS "unpriced", coalesce(sum("volume_usd"), 0.00000000) AS "volume_usd"
    FROM "swap_hop" GROUP BY 1, 2, 3
) h
JOIN "pool" p ON p."chain_id" = h."chain_id"
    AND ('x' || right(encode(p."address", 'hex'), 16))::bit(64)::bigint = h."pool_key"
GROUP BY 1, 2, 3;

DROP VIEW "ruled_hop";
