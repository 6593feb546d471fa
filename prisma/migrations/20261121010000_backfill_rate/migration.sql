-- How fast history is being filled in, as the follower's process last measured it over all workers.
CREATE TABLE "backfill_rate" (
    "chain_id" INTEGER NOT NULL,
    "blocks_per_s" DECIMAL NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "backfill_rate_pkey" PRIMARY KEY ("chain_id"),
    CONSTRAINT "backfill_rate_range" CHECK ("blocks_per_s" >= 0 AND "blocks_per_s" < 'Infinity')
);
