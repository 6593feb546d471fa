-- What tokens and pools are searched by: beginnings of symbols and names in any case; tokens and protocols of pools, in
-- the order of the pools' addresses. Both tables grow with new tokens and pools alone.
CREATE INDEX "token_symbol_idx" ON "token"("chain_id", (lower("symbol") COLLATE "C"));
CREATE INDEX "token_name_idx" ON "token"("chain_id", (lower("name") COLLATE "C"));
CREATE INDEX "listed_symbol_address_idx" ON "listed_symbol"("chain_id", "address");
CREATE INDEX "pool_token0_idx" ON "pool"("chain_id", "token0", "address");
CREATE INDEX "pool_token1_idx" ON "pool"("chain_id", "token1", "address");
-- Pools of more tokens than two are few.
CREATE INDEX "pool_coins_idx" ON "pool"("chain_id", "address") WHERE cardinality("coins") + cardinality("underlying") > 0;
CREATE INDEX "pool_dex_idx" ON "pool"("chain_id", "dex", "address");
