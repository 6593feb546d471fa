-- Distinct addresses of any networks, so that one that is switched off no longer counts: a row of day_trader counts an
-- address's trades network by network (1 eth, 2 bsc, 3 polygon; new ones behind them), a row of day_address_count the
-- addresses of a day that traded on just the networks of a set (bits 1, 2, 4 and so on).
TRUNCATE "day_trader";
ALTER TABLE "day_trader"
    DROP CONSTRAINT "day_trader_swaps_range",
    ALTER COLUMN "swaps" TYPE INTEGER[] USING ARRAY["swaps"::int],
    -- A row without trades would count its trader.
    ADD CONSTRAINT "day_trader_swaps_range" CHECK (0 < ANY ("swaps") AND 0 <= ALL ("swaps"));

INSERT INTO "day_trader" ("day", "trader", "swaps")
SELECT ("block_time" AT TIME ZONE 'UTC')::date, "trader", ARRAY[
    count(*) FILTER (WHERE "chain_id" = 1), count(*) FILTER (WHERE "chain_id" = 56),
    count(*) FILTER (WHERE "chain_id" = 137)]::int[]
FROM "swap" WHERE "trader" IS NOT NULL GROUP BY 1, 2;

-- Of days whose rows have left it is not known which networks an address traded on: all of the day's.
ALTER TABLE "day_address_count" ADD COLUMN "networks" INTEGER;
UPDATE "day_address_count" SET "networks" = coalesce((
    SELECT bit_or(CASE "chain_id" WHEN 1 THEN 1 WHEN 56 THEN 2 WHEN 137 THEN 4 ELSE 0 END)
    FROM "day_total" WHERE "day_total"."day" = "day_address_count"."day"), 7);
DELETE FROM "day_address_count" WHERE "day" IN (SELECT "day" FROM "day_trader");
ALTER TABLE "day_address_count"
    ALTER COLUMN "networks" SET NOT NULL,
    DROP CONSTRAINT "day_address_count_pkey",
    ADD CONSTRAINT "day_address_count_pkey" PRIMARY KEY ("day", "networks"),
    ADD CONSTRAINT "day_address_count_networks" CHECK ("networks" > 0);
INSERT INTO "day_address_count" ("day", "networks", "addresses")
SELECT "day", ("swaps"[1] > 0)::int + 2 * ("swaps"[2] > 0)::int + 4 * ("swaps"[3] > 0)::int, count(*)
FROM "day_trader" GROUP BY 1, 2;

-- Values that waited for trades which were replaced or rolled back.
DELETE FROM "awaited_value" AS "v" WHERE NOT EXISTS (
    SELECT FROM "swap" AS "s" WHERE "s"."chain_id" = "v"."chain_id" AND "s"."block_number" = "v"."block_number"
        AND "s"."transaction_index" = "v"."transaction_index" AND "s"."position" = "v"."position"
        AND "s"."block_time" = "v"."block_time");
