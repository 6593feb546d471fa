-- Pairs whose fee a contract tells have it in their state, too.
ALTER TABLE "pool_state"
    DROP CONSTRAINT "pool_state_fee",
    ADD CONSTRAINT "pool_state_fee" CHECK (
        num_nulls("fee_zero_for_one", "fee_one_for_zero", "fee_exact") = 3
        OR num_nulls("fee_zero_for_one", "fee_one_for_zero", "fee_exact") = 0
            AND "fee_zero_for_one" BETWEEN 0 AND 999999 AND "fee_one_for_zero" BETWEEN 0 AND 999999
    );
