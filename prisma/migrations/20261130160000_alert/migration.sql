-- Alerts of the rules in ALERTS_CONFIG (docs/internals/alerts.md).
CREATE TABLE "alert" (
    "chain_id" INTEGER NOT NULL,
    -- Counts the network's rows, in the order in which they are sent.
    "number" BIGINT NOT NULL,
    "id" BYTEA NOT NULL,
    "rule" TEXT NOT NULL,
    -- What the rule said, so that a rule that was changed begins anew.
    "condition" TEXT NOT NULL,
    -- fired, cleared or retracted. `cleared` is not sent.
    "status" TEXT NOT NULL,
    -- The block with the cause; null if no reorg can remove it.
    "block_number" BIGINT,
    "time" TIMESTAMPTZ(3) NOT NULL,
    -- A JSON object: what the alert says.
    "details" TEXT NOT NULL,
    "is_retracted" BOOLEAN NOT NULL,
    "webhooks" TEXT[] NOT NULL,
    -- Those of the webhooks to whose queues the row has not been added yet.
    "pending" TEXT[] NOT NULL,

    CONSTRAINT "alert_pkey" PRIMARY KEY ("chain_id", "number")
);

CREATE INDEX "alert_condition_idx" ON "alert" ("chain_id", "rule", "condition", "number");

CREATE INDEX "alert_block_idx" ON "alert" ("chain_id", "block_number");

-- Beside the indices of schema.prisma, which cannot describe a partial one.
CREATE INDEX "alert_pending_idx" ON "alert" ("chain_id", "number") WHERE cardinality("pending") > 0;
