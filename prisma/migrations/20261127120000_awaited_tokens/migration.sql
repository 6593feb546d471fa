-- A value names the tokens that it waits for, so that finding what can be settled reads no trades.
ALTER TABLE "awaited_value" ADD COLUMN "sell_token" BYTEA, ADD COLUMN "buy_token" BYTEA;

UPDATE "awaited_value" AS value SET "sell_token" = swap."sell_token", "buy_token" = swap."buy_token"
FROM "swap" WHERE swap."chain_id" = value."chain_id" AND swap."block_number" = value."block_number"
    AND swap."transaction_index" = value."transaction_index" AND swap."position" = value."position"
    AND swap."block_time" = value."block_time";

-- Their trades are no longer kept.
DELETE FROM "awaited_value" WHERE "sell_token" IS NULL;

ALTER TABLE "awaited_value" ALTER COLUMN "sell_token" SET NOT NULL, ALTER COLUMN "buy_token" SET NOT NULL;
