-- Pools whose state was found to be wrong, as of this block: not quoted, and not trusted again before their state was
-- read from the chain at a later one. Not even a restart of the indexer forgets it.
CREATE TABLE "distrusted_pool" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,

    CONSTRAINT "distrusted_pool_pkey" PRIMARY KEY ("chain_id", "pool"),
    CONSTRAINT "distrusted_pool_block" CHECK ("block_number" >= 0)
);

-- The pool whose state was compared with the chain last, in the order of addresses.
CREATE TABLE "pool_check" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,

    CONSTRAINT "pool_check_pkey" PRIMARY KEY ("chain_id")
);
