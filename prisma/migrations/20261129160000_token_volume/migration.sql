-- A token's prices come from the candles of its pools (docs/internals/candles.md). What remains is its volume. Stored rows
-- keep their place on disk until they leave: this changes the catalog alone.

-- A partition that is being dropped can be altered neither alone nor with its parent.
DO $$
DECLARE
    day regclass;
BEGIN
    FOR day IN SELECT inhrelid FROM pg_inherits WHERE inhdetachpending AND inhparent = '"token_candle"'::regclass LOOP
        EXECUTE format('DROP TABLE %s', day);
    END LOOP;
END $$;

ALTER TABLE "token_candle" DROP COLUMN "open_at", DROP COLUMN "close_at", DROP COLUMN "open", DROP COLUMN "high",
    DROP COLUMN "low", DROP COLUMN "close";
ALTER TABLE "token_candle" RENAME CONSTRAINT "token_candle_pkey" TO "token_volume_pkey";
ALTER TABLE "token_candle" RENAME TO "token_volume";

-- Also those that are detached, but not dropped yet.
DO $$
DECLARE
    day TEXT;
BEGIN
    FOR day IN
        SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^token_candle_[0-9]{8}$'
            AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO %I', day, 'token_volume_' || right(day, 8));
    END LOOP;
END $$;
