-- A pool is known by its contract's address (20 bytes), or inside a vault or pool manager by that contract's address
-- followed by the pool's own address (40) or id (52) there. The zero address among tokens is the native coin.
ALTER TABLE "pool"
    -- Of kinds whose pools hold any number of tokens: all of them, by index; empty where token0 and token1 are all.
    ADD COLUMN "coins" BYTEA[] NOT NULL DEFAULT '{}',
    -- Of pools of pools: the tokens behind, by the index that underlying exchanges count.
    ADD COLUMN "underlying" BYTEA[] NOT NULL DEFAULT '{}',
    -- A contract that may change amounts and fees of every swap; a pool with one is not quoted.
    ADD COLUMN "hooks" BYTEA,
    DROP CONSTRAINT "pool_address_length",
    ADD CONSTRAINT "pool_address_length" CHECK (
        octet_length("address") IN (20, 40, 52) AND octet_length("factory") = 20
        AND octet_length("token0") = 20 AND octet_length("token1") = 20 AND octet_length("hooks") = 20
    );
