-- Until when it counts that blocks are read without a proof: each process that reads some says so again and again.
ALTER TABLE "network" ADD COLUMN "unproven_until" TIMESTAMPTZ(3);
