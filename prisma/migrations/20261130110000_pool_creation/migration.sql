-- Where pools were created. Blocks that are already covered get theirs from `npm run verify -- --network … --repair`.
CREATE TABLE "pool_creation" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "transaction_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    -- The signer of the transaction; null if the chain reports none.
    "creator" BYTEA,

    CONSTRAINT "pool_creation_pkey" PRIMARY KEY ("chain_id", "pool")
);

CREATE INDEX "pool_creation_block_idx" ON "pool_creation" ("chain_id", "block_number");
