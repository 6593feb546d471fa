-- How far the logs of a manager of pools were searched for those that made its pools: one range of final blocks, that
-- grows to both sides. `floor_block`: where the manager was found to be deployed, which is not proven.
CREATE TABLE "key_search" (
    "chain_id" INTEGER NOT NULL,
    "manager" BYTEA NOT NULL,
    "from_block" BIGINT,
    "to_block" BIGINT,
    "floor_block" BIGINT,
    "in_vain_at" BIGINT,
    "rounds" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "key_search_pkey" PRIMARY KEY ("chain_id", "manager"),
    CONSTRAINT "key_search_manager_length" CHECK (octet_length("manager") = 20),
    CONSTRAINT "key_search_range" CHECK (("from_block" IS NULL) = ("to_block" IS NULL) AND "from_block" <= "to_block" + 1)
);

-- Every key that was met on the way, each proven by the pool's id.
CREATE TABLE "pool_key" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "currency0" BYTEA NOT NULL,
    "currency1" BYTEA NOT NULL,
    "fee" INTEGER NOT NULL,
    "tick_spacing" INTEGER,
    "hooks" BYTEA NOT NULL,
    "parameters" BYTEA,

    CONSTRAINT "pool_key_pkey" PRIMARY KEY ("chain_id", "pool")
);
