-- What went through the pools, a row a hop: a trade's own ends are what the trader gave and got. Partitioned by day like
-- swap, whose partitions it has. Trades that were stored before have no hops, and the pools' amounts for their ends,
-- until `verify --repair` has read them again.
CREATE TABLE "swap_hop" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "transaction_index" INTEGER NOT NULL,
    "log_index" INTEGER NOT NULL,
    -- Of its trade within the transaction.
    "position" INTEGER NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    -- The last eight bytes of what the pool is known by, as swap's.
    "pool_key" BIGINT NOT NULL,
    "token_in" BYTEA NOT NULL,
    "amount_in" DECIMAL(78,0) NOT NULL,
    "token_out" BYTEA NOT NULL,
    "amount_out" DECIMAL(78,0) NOT NULL,
    -- Eight fractional digits; null when unknown.
    "volume_usd" DECIMAL,

    CONSTRAINT "swap_hop_pkey" PRIMARY KEY ("chain_id", "block_number", "transaction_index", "log_index", "block_time"),
    CONSTRAINT "swap_hop_lengths" CHECK (octet_length("token_in") = 20 AND octet_length("token_out") = 20),
    CONSTRAINT "swap_hop_amounts" CHECK (
        "amount_in" >= 0 AND "amount_in" < 2::numeric ^ 256 AND "amount_out" >= 0 AND "amount_out" < 2::numeric ^ 256
    ),
    CONSTRAINT "swap_hop_volume" CHECK ("volume_usd" >= 0 AND "volume_usd" < 'Infinity' AND scale("volume_usd") = 8)
) PARTITION BY RANGE ("block_time");
