-- What the process that follows a network did in the last minute: requests by endpoint, and the jobs in its queue.
CREATE TABLE "network_activity" (
    "chain_id" INTEGER NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,
    "endpoints" JSONB NOT NULL,
    "queue" JSONB,

    CONSTRAINT "network_activity_pkey" PRIMARY KEY ("chain_id")
);
