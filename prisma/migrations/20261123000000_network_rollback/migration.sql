-- Up to which block each of a network's last rollbacks left its rows (-1: no pool state was left), by the number that
-- the rollback has in "network"."reorgs". By this a reader that holds pool states finds the ones that are gone.
CREATE TABLE "network_rollback" (
    "chain_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "ancestor" BIGINT NOT NULL,

    CONSTRAINT "network_rollback_pkey" PRIMARY KEY ("chain_id", "number"),
    CONSTRAINT "network_rollback_ancestor" CHECK ("ancestor" >= -1)
);
