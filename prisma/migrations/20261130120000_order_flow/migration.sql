-- How many hops of a minute buy the token (in pool_candle the first one), and their value (docs/internals/candles.md).
-- Null in rows from before, and in those of an older indexer that still runs: the indexer fills them in.

-- A partition that is being dropped can be altered neither alone nor with its parent.
DO $$
DECLARE
    day regclass;
BEGIN
    FOR day IN SELECT inhrelid FROM pg_inherits WHERE inhdetachpending
        AND inhparent IN ('"pool_candle"'::regclass, '"token_volume"'::regclass) LOOP
        EXECUTE format('DROP TABLE %s', day);
    END LOOP;
END $$;

ALTER TABLE "pool_candle" ADD COLUMN "buys" INTEGER, ADD COLUMN "buy_volume_usd" DECIMAL;
ALTER TABLE "token_volume" ADD COLUMN "buys" INTEGER, ADD COLUMN "buy_volume_usd" DECIMAL;

-- Rows of blocks up to this one may lack them; null if none do. Stored networks begin with the highest number.
ALTER TABLE "network" ADD COLUMN "flow_unknown_to" INTEGER;
UPDATE "network" SET "flow_unknown_to" = 2147483647;
