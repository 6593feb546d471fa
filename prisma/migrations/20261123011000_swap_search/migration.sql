-- What trades are searched by. Each index is on one value alone, without the block: rows of one value then share their
-- entry (12 bytes a row where tokens repeat), where an entry a block would be 70 bytes. A day's partition is searched at
-- a time, and its rows are put in order when they are found (docs/api.md).
CREATE INDEX "swap_trader_idx" ON "swap"("trader");
CREATE INDEX "swap_sell_token_idx" ON "swap"("sell_token");
CREATE INDEX "swap_buy_token_idx" ON "swap"("buy_token");
-- Four bytes find a transaction: some three others of a day share them.
CREATE INDEX "swap_tx_idx" ON "swap"((substring("tx_hash" from 1 for 4)));
CREATE INDEX "swap_hop_pool_idx" ON "swap_hop"("pool_key");
-- From a hop to its pool, and from a token to the pools that trade it.
CREATE INDEX "pool_short_key_idx" ON "pool"("chain_id", (('x' || right(encode("address", 'hex'), 16))::bit(64)::bigint));
