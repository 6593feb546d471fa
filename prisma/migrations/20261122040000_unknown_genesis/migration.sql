-- Null where no endpoint kept block 0.
ALTER TABLE "network" ALTER COLUMN "genesis_hash" DROP NOT NULL;
