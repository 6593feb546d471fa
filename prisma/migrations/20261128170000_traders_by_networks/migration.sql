-- A trader of a day as the set of networks (1 eth, 2 bsc, 4 polygon) instead of counts: further trades write nothing.
ALTER TABLE "day_trader" DROP CONSTRAINT "day_trader_swaps_range";
ALTER TABLE "day_trader" ALTER COLUMN "swaps" TYPE INTEGER USING
    (coalesce("swaps"[1], 0) > 0)::int + 2 * (coalesce("swaps"[2], 0) > 0)::int + 4 * (coalesce("swaps"[3], 0) > 0)::int;
ALTER TABLE "day_trader" RENAME COLUMN "swaps" TO "networks";
ALTER TABLE "day_trader" ADD CONSTRAINT "day_trader_networks" CHECK ("networks" > 0);
