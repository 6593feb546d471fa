-- Pools whose state the follower has still to read from the chain, each with its place by trades of the last day (null
-- without any): a network is ready once the first of them are read, and a quote that one might improve says so.
CREATE TABLE "unread_pool" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "place" INTEGER,

    CONSTRAINT "unread_pool_pkey" PRIMARY KEY ("chain_id", "pool"),
    CONSTRAINT "unread_pool_place" CHECK ("place" > 0)
);
