-- What trades are worth that are stored without a value because a token of theirs could not be asked for its decimals
-- yet. Once both tokens are known the value moves to the trade and its day, or is dropped where there are no decimals.
CREATE TABLE "awaited_value" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "transaction_index" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "volume_usd" DECIMAL NOT NULL,
    "usd_source" SMALLINT NOT NULL,
    "flags" SMALLINT NOT NULL,

    CONSTRAINT "awaited_value_pkey" PRIMARY KEY ("chain_id", "block_number", "transaction_index", "position"),
    CONSTRAINT "awaited_value_volume" CHECK ("volume_usd" >= 0 AND "volume_usd" < 'Infinity')
);
