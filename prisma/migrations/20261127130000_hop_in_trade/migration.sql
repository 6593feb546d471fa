-- A trade of one hop with the same tokens, amounts, value and flags holds that hop itself.
ALTER TABLE "swap" ADD COLUMN "hop_log_index" INTEGER;
CREATE INDEX "swap_pool_idx" ON "swap"("pool_key") WHERE "hop_log_index" IS NOT NULL;
