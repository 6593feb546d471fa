-- Pools by both tokens, in the order of their addresses.
CREATE INDEX "pool_pair_idx" ON "pool"("chain_id", "token0", "token1", "address");
