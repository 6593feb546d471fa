-- Blocks that were left out because keys of pools are still looked for, and since when each key is awaited: whoever
-- covers a block takes its rows away, a rollback takes them with it.
CREATE TABLE "awaited_key" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "awaited_key_pkey" PRIMARY KEY ("chain_id", "pool", "block_number")
);

CREATE INDEX "awaited_key_block_idx" ON "awaited_key" ("chain_id", "block_number");
