-- States of pools that are quoted by a formula: its name, and the integers that it needs. Without values, the pool
-- changed since it was read. "fresh_until": unix seconds, for states that change with time alone.
ALTER TABLE "pool_state"
    ADD COLUMN "formula" TEXT,
    ADD COLUMN "formula_values" TEXT,
    ADD COLUMN "fresh_until" INTEGER,
    DROP CONSTRAINT "pool_state_kind",
    ADD CONSTRAINT "pool_state_kind" CHECK (
        num_nulls("reserve0", "reserve1") = 0
            AND num_nonnulls("sqrt_price_x96", "tick", "liquidity", "formula", "formula_values", "fresh_until") = 0
        OR num_nulls("sqrt_price_x96", "tick", "liquidity") = 0
            AND num_nonnulls("reserve0", "reserve1", "formula", "formula_values", "fresh_until") = 0
        OR "formula" IS NOT NULL
            AND num_nonnulls("reserve0", "reserve1", "sqrt_price_x96", "tick", "liquidity", "fee_exact") = 0
    );
