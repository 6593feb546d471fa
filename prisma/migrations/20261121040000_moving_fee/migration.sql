-- The fee of pools whose fee moves (Algebra), in millionths, as of the version; null: it is the pool's own.
ALTER TABLE "pool_state"
    ADD COLUMN "fee_zero_for_one" INTEGER,
    ADD COLUMN "fee_one_for_zero" INTEGER,
    -- False: more than liquidity and fee decides what a swap gives, so the pool is not quoted.
    ADD COLUMN "fee_exact" BOOLEAN,
    ADD CONSTRAINT "pool_state_fee" CHECK (
        num_nulls("fee_zero_for_one", "fee_one_for_zero", "fee_exact") = 3
        OR num_nulls("fee_zero_for_one", "fee_one_for_zero", "fee_exact", "sqrt_price_x96") = 0
            AND "fee_zero_for_one" BETWEEN 0 AND 999999 AND "fee_one_for_zero" BETWEEN 0 AND 999999
    );
