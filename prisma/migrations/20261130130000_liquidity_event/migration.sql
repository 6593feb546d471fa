-- What accounts added to pools and removed from them, a row per event: it comes and goes with its block, like a trade.
-- Stored blocks get theirs when their rows are derived again.
CREATE TABLE "liquidity_event" (
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "block_number" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "log_index" INTEGER NOT NULL,
    "transaction_index" INTEGER NOT NULL,
    "tick_lower" INTEGER,
    "tick_upper" INTEGER,
    "added" BOOLEAN NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "account" BYTEA,
    "pool" BYTEA NOT NULL,
    -- By coin of the pool; empty if unknown.
    "amounts" DECIMAL[] NOT NULL,
    "liquidity" DECIMAL,
    "value_usd" DECIMAL,

    CONSTRAINT "liquidity_event_pkey" PRIMARY KEY ("chain_id", "block_number", "log_index"),
    CONSTRAINT "liquidity_event_tx_hash_length" CHECK (octet_length("tx_hash") = 32),
    CONSTRAINT "liquidity_event_account_length" CHECK (octet_length("account") = 20),
    CONSTRAINT "liquidity_event_range" CHECK (
        ("liquidity" IS NULL) = ("tick_lower" IS NULL) AND ("liquidity" IS NULL) = ("tick_upper" IS NULL))
);

-- In the order of lists: of a network, of a pool, of an account. The first also finds the days that are no longer kept.
CREATE INDEX "liquidity_event_time_idx" ON "liquidity_event" ("chain_id", "block_time", "block_number", "log_index");
CREATE INDEX "liquidity_event_pool_idx" ON "liquidity_event" ("pool", "block_time", "block_number", "log_index");
CREATE INDEX "liquidity_event_account_idx" ON "liquidity_event" ("account", "block_time", "block_number", "log_index");
