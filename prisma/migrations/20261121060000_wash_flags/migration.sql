-- The pool that a trade's route enters first, as the last eight bytes of what it is known by: enough to tell pools apart
-- (their addresses and ids are hashes), and a third of a whole address. Null: stored before this column was there.
ALTER TABLE "swap" ADD COLUMN "pool_key" BIGINT;

-- Days of a network whose pools were judged, with what they were judged by. Another total or other thresholds: again.
CREATE TABLE "wash_day" (
    "chain_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    -- Of the day's total when it was judged.
    "swaps" BIGINT NOT NULL,
    "volume_usd" DECIMAL NOT NULL,
    "thresholds" TEXT NOT NULL,
    "flagged_pools" BIGINT NOT NULL,
    "flagged_volume_usd" DECIMAL NOT NULL,

    CONSTRAINT "wash_day_pkey" PRIMARY KEY ("chain_id", "day")
);

-- Pools with the marks of wash trading, by day. What they are worth stays in every total.
CREATE TABLE "pool_day_wash" (
    "chain_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "pool" BYTEA NOT NULL,
    "swaps" BIGINT NOT NULL,
    "traders" BIGINT NOT NULL,
    "volume_usd" DECIMAL NOT NULL,
    -- Of that: by addresses that traded back what they had traded, by the busiest addresses, and in amounts that were
    -- bought and sold to the unit.
    "round_trip_usd" DECIMAL NOT NULL,
    "top_traders_usd" DECIMAL NOT NULL,
    "matched_usd" DECIMAL NOT NULL,
    "flags" SMALLINT NOT NULL,

    CONSTRAINT "pool_day_wash_pkey" PRIMARY KEY ("chain_id", "day", "pool"),
    CONSTRAINT "pool_day_wash_flags" CHECK ("flags" BETWEEN 1 AND 7)
);
