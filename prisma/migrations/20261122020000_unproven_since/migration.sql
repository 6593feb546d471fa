-- Since when a network's blocks are read without a proof; null while they are proven.
ALTER TABLE "network" ADD COLUMN "unproven_since" TIMESTAMPTZ(3);
