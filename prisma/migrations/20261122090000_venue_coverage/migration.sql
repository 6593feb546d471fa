-- How many receipts look like a swap, how many of these no venue explains that is read, and whose events they have:
-- counted by the follower over a part of the blocks that are read whole.
CREATE TABLE "venue_coverage" (
    "chain_id" INTEGER NOT NULL,
    "receipts" BIGINT NOT NULL,
    "unread" BIGINT NOT NULL,

    CONSTRAINT "venue_coverage_pkey" PRIMARY KEY ("chain_id"),
    CONSTRAINT "venue_coverage_counts" CHECK ("unread" >= 0 AND "receipts" >= "unread")
);

CREATE TABLE "unread_venue" (
    "chain_id" INTEGER NOT NULL,
    "emitter" BYTEA NOT NULL,
    "topic" BYTEA NOT NULL,
    "receipts" BIGINT NOT NULL,

    CONSTRAINT "unread_venue_pkey" PRIMARY KEY ("chain_id", "emitter", "topic"),
    CONSTRAINT "unread_venue_lengths" CHECK (octet_length("emitter") = 20 AND octet_length("topic") = 32)
);
