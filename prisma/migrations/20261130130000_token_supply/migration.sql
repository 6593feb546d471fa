-- What a token's contract last reported as its supply; null if it reports none. The time is null until it is read.
ALTER TABLE "token" ADD COLUMN "supply" NUMERIC(78,0), ADD COLUMN "supply_time" TIMESTAMPTZ(3);

CREATE INDEX "token_unread_supply_idx" ON "token" ("chain_id", "address") WHERE "supply_time" IS NULL;
