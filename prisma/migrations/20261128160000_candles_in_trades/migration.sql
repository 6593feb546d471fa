-- A trade that holds its hop can be a part of candles itself: of its pool's (1), of the sold token's (2), of the bought
-- token's (4). Rows of one token and the same bits share their entry in an index.
ALTER TABLE "swap" ADD COLUMN "parts" SMALLINT NOT NULL DEFAULT 0,
    ADD CONSTRAINT "swap_parts" CHECK ("parts" = 0 OR ("parts" BETWEEN 1 AND 7 AND "hop_log_index" IS NOT NULL));
DROP INDEX "swap_pool_idx", "swap_sell_token_idx", "swap_buy_token_idx";
CREATE INDEX "swap_pool_idx" ON "swap"("pool_key", "parts") WHERE "hop_log_index" IS NOT NULL;
CREATE INDEX "swap_sell_token_idx" ON "swap"("sell_token", "parts");
CREATE INDEX "swap_buy_token_idx" ON "swap"("buy_token", "parts");
