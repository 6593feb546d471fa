-- What pools hold at full hours. The follower writes these rows once the hour is final; until then, pools have none.
CREATE TABLE "liquidity_hour" (
    "chain_id" INTEGER NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    "block_number" BIGINT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "is_last" BOOLEAN NOT NULL DEFAULT false,
    "anchors" BYTEA[] NOT NULL,
    -- USD per whole token, times 10^18.
    "prices" DECIMAL[] NOT NULL,

    CONSTRAINT "liquidity_hour_pkey" PRIMARY KEY ("chain_id", "time")
);

CREATE TABLE "pool_hour" (
    "time" TIMESTAMPTZ(3) NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    -- By coin of the pool; empty if unknown.
    "amounts" DECIMAL[] NOT NULL,

    CONSTRAINT "pool_hour_pkey" PRIMARY KEY ("chain_id", "pool", "time")
);

-- Finds the hours that are no longer kept. Rows are written in the order of time, so the index is tiny.
CREATE INDEX "pool_hour_time_idx" ON "pool_hour" USING BRIN ("time");
