-- Uniswap V4: the protocol's share of what is paid in, in millionths: 12 bits for either direction. Null: nothing.
ALTER TABLE "pool_state"
    ADD COLUMN "protocol_fee" INTEGER,
    ADD CONSTRAINT "pool_state_protocol_fee" CHECK (
        "protocol_fee" > 0 AND "protocol_fee" < 16777216 AND "sqrt_price_x96" IS NOT NULL
    );
