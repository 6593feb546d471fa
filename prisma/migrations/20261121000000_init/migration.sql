-- Amounts are base units in numeric; every check that says "< 2^256" also keeps NaN and Infinity out, because
-- Postgres sorts both above every number.

CREATE TABLE "network" (
    "chain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    -- False once the indexer is started without this network: its rows stay, the API no longer serves it.
    "active" BOOLEAN NOT NULL DEFAULT true,
    -- Another chain under the same id is refused.
    "genesis_hash" BYTEA NOT NULL,
    "wrapped_native" BYTEA NOT NULL,
    -- First block that is meant to be covered.
    "start_block" BIGINT NOT NULL,
    "start_time" TIMESTAMPTZ(3) NOT NULL,
    -- Fence: a commit of the follower must carry the epoch of its own lease.
    "writer_epoch" BIGINT NOT NULL DEFAULT 0,
    -- Counts the commits that changed pool state; rows of pool_state and pool_tick carry the revision that wrote them.
    "revision" BIGINT NOT NULL DEFAULT 0,
    -- Counts the rollbacks; a reader that sees it change reads pool state anew.
    "reorgs" BIGINT NOT NULL DEFAULT 0,
    -- The last block that the follower committed.
    "head_number" BIGINT,
    "head_hash" BYTEA,
    "head_time" TIMESTAMPTZ(3),
    -- The chain's own head when that block was committed.
    "chain_head_number" BIGINT,
    "chain_head_time" TIMESTAMPTZ(3),
    "final_number" BIGINT,
    -- Why this network stands still; null while it is well.
    "degraded" TEXT,

    CONSTRAINT "network_pkey" PRIMARY KEY ("chain_id"),
    CONSTRAINT "network_hash_length" CHECK (octet_length("genesis_hash") = 32 AND octet_length("head_hash") = 32),
    CONSTRAINT "network_wrapped_length" CHECK (octet_length("wrapped_native") = 20)
);
CREATE UNIQUE INDEX "network_name_key" ON "network"("name");

CREATE TABLE "token" (
    "chain_id" INTEGER NOT NULL,
    "address" BYTEA NOT NULL,
    "symbol" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    -- Null: the contract does not tell a usable value.
    "decimals" SMALLINT,

    CONSTRAINT "token_pkey" PRIMARY KEY ("chain_id", "address"),
    CONSTRAINT "token_address_length" CHECK (octet_length("address") = 20),
    CONSTRAINT "token_text_length" CHECK (char_length("symbol") <= 255 AND char_length("name") <= 255),
    CONSTRAINT "token_decimals_range" CHECK ("decimals" BETWEEN 0 AND 77)
);

-- Symbols that a request may use, upper case. Two addresses under one symbol make it ambiguous.
CREATE TABLE "listed_symbol" (
    "chain_id" INTEGER NOT NULL,
    "symbol" TEXT NOT NULL,
    "address" BYTEA NOT NULL,

    CONSTRAINT "listed_symbol_pkey" PRIMARY KEY ("chain_id", "symbol", "address")
);

CREATE TABLE "pool" (
    "chain_id" INTEGER NOT NULL,
    "address" BYTEA NOT NULL,
    "dex" TEXT NOT NULL,
    "factory" BYTEA NOT NULL,
    "token0" BYTEA NOT NULL,
    "token1" BYTEA NOT NULL,
    -- Millionths.
    "fee" INTEGER NOT NULL,
    "tick_spacing" INTEGER,

    CONSTRAINT "pool_pkey" PRIMARY KEY ("chain_id", "address"),
    CONSTRAINT "pool_address_length" CHECK (
        octet_length("address") IN (20, 32) AND octet_length("factory") = 20
        AND octet_length("token0") = 20 AND octet_length("token1") = 20
    ),
    CONSTRAINT "pool_fee_range" CHECK ("fee" BETWEEN 0 AND 1000000)
);

-- Versions of a pool's state, one per block that changed it: the newest is the state at the indexed head, a rollback
-- deletes the newer ones. Versions below the newest final one are pruned.
CREATE TABLE "pool_state" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "revision" BIGINT NOT NULL,
    "reserve0" DECIMAL(78,0),
    "reserve1" DECIMAL(78,0),
    "sqrt_price_x96" DECIMAL(78,0),
    "tick" INTEGER,
    "liquidity" DECIMAL(78,0),

    CONSTRAINT "pool_state_pkey" PRIMARY KEY ("chain_id", "pool", "block_number"),
    CONSTRAINT "pool_state_kind" CHECK (
        ("reserve0" IS NOT NULL AND "reserve1" IS NOT NULL
            AND "sqrt_price_x96" IS NULL AND "tick" IS NULL AND "liquidity" IS NULL)
        OR ("reserve0" IS NULL AND "reserve1" IS NULL
            AND "sqrt_price_x96" IS NOT NULL AND "tick" IS NOT NULL AND "liquidity" IS NOT NULL)
    ),
    CONSTRAINT "pool_state_range" CHECK (
        "reserve0" >= 0 AND "reserve0" < 2::numeric ^ 256 AND "reserve1" >= 0 AND "reserve1" < 2::numeric ^ 256
        AND "sqrt_price_x96" >= 0 AND "sqrt_price_x96" < 2::numeric ^ 160
        AND "liquidity" >= 0 AND "liquidity" < 2::numeric ^ 128
    )
);
CREATE INDEX "pool_state_revision_idx" ON "pool_state"("chain_id", "revision");
CREATE INDEX "pool_state_block_idx" ON "pool_state"("chain_id", "block_number");

-- Versions of an initialised tick, as in pool_state. Gross 0: no longer initialised.
CREATE TABLE "pool_tick" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "tick" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "revision" BIGINT NOT NULL,
    "gross" DECIMAL(78,0) NOT NULL,
    "net" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "pool_tick_pkey" PRIMARY KEY ("chain_id", "pool", "tick", "block_number"),
    CONSTRAINT "pool_tick_range" CHECK (
        "gross" >= 0 AND "gross" < 2::numeric ^ 128 AND "net" >= -(2::numeric ^ 127) AND "net" < 2::numeric ^ 127
    )
);
CREATE INDEX "pool_tick_revision_idx" ON "pool_tick"("chain_id", "revision");
CREATE INDEX "pool_tick_block_idx" ON "pool_tick"("chain_id", "block_number");

-- One row per trade. Partitioned by UTC day of the block time (partition swap_YYYYMMDD), so that old days leave by a
-- drop. The primary key serves the reads of a network in block order, the deletes of a rollback, and uniqueness.
CREATE TABLE "swap" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "transaction_index" INTEGER NOT NULL,
    -- Ordinal of the trade within its transaction.
    "position" INTEGER NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "trader" BYTEA,
    "sell_token" BYTEA NOT NULL,
    "sell_native" BOOLEAN NOT NULL,
    "sell_amount" DECIMAL(78,0) NOT NULL,
    "buy_token" BYTEA NOT NULL,
    "buy_native" BOOLEAN NOT NULL,
    "buy_amount" DECIMAL(78,0) NOT NULL,
    -- Eight fractional digits; null when unpriced.
    "volume_usd" DECIMAL,
    "usd_source" SMALLINT,
    "flags" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "swap_pkey" PRIMARY KEY ("chain_id", "block_number", "transaction_index", "position", "block_time"),
    CONSTRAINT "swap_lengths" CHECK (
        octet_length("tx_hash") = 32 AND octet_length("trader") = 20
        AND octet_length("sell_token") = 20 AND octet_length("buy_token") = 20
    ),
    CONSTRAINT "swap_amounts" CHECK (
        "sell_amount" >= 0 AND "sell_amount" < 2::numeric ^ 256
        AND "buy_amount" >= 0 AND "buy_amount" < 2::numeric ^ 256
    ),
    CONSTRAINT "swap_volume" CHECK (
        "volume_usd" >= 0 AND "volume_usd" < 'Infinity' AND scale("volume_usd") = 8
        AND ("volume_usd" IS NULL) = ("usd_source" IS NULL)
    )
) PARTITION BY RANGE ("block_time");

-- What the rows of a day add up to. Stays when the rows leave.
CREATE TABLE "day_total" (
    "day" DATE NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "swaps" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "flagged" BIGINT NOT NULL,
    "volume_usd" DECIMAL NOT NULL,

    CONSTRAINT "day_total_pkey" PRIMARY KEY ("day", "chain_id"),
    CONSTRAINT "day_total_range" CHECK (
        "swaps" >= 0 AND "unpriced" >= 0 AND "flagged" >= 0 AND "volume_usd" >= 0 AND "volume_usd" < 'Infinity'
    )
);

-- How many trades an address made on a day, over all networks: a row that appears or disappears moves the count of
-- day_address_count by one, so that an address active on two networks counts once. Partitioned by day like swap.
CREATE TABLE "day_trader" (
    "day" DATE NOT NULL,
    "trader" BYTEA NOT NULL,
    "swaps" BIGINT NOT NULL,

    CONSTRAINT "day_trader_pkey" PRIMARY KEY ("day", "trader"),
    CONSTRAINT "day_trader_trader_length" CHECK (octet_length("trader") = 20),
    -- A row without trades would count its trader.
    CONSTRAINT "day_trader_swaps_range" CHECK ("swaps" > 0)
) PARTITION BY RANGE ("day");

CREATE TABLE "day_address_count" (
    "day" DATE NOT NULL,
    "addresses" BIGINT NOT NULL,

    CONSTRAINT "day_address_count_pkey" PRIMARY KEY ("day"),
    CONSTRAINT "day_address_count_range" CHECK ("addresses" >= 0)
);

-- Headers of the blocks that the chain may still take back; they form one chain.
CREATE TABLE "block" (
    "chain_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "parent_hash" BYTEA NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "block_pkey" PRIMARY KEY ("chain_id", "number"),
    CONSTRAINT "block_hash_length" CHECK (octet_length("hash") = 32 AND octet_length("parent_hash") = 32)
);

-- Block ranges whose rows are committed. Adjacent ranges are merged, none overlap.
CREATE TABLE "covered_range" (
    "chain_id" INTEGER NOT NULL,
    "from_block" BIGINT NOT NULL,
    "to_block" BIGINT NOT NULL,
    "from_time" TIMESTAMPTZ(3) NOT NULL,
    "to_time" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "covered_range_pkey" PRIMARY KEY ("chain_id", "from_block"),
    CONSTRAINT "covered_range_order" CHECK ("from_block" >= 0 AND "from_block" <= "to_block")
);
