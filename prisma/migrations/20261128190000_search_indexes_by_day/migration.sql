-- Each row written to a day paid for two entries that only searches by trader or transaction read. From now on the
-- indexer builds these indexes day by day, once history has filled the day (packages/store, build-search-indexes.ts).
DROP INDEX "swap_trader_idx", "swap_tx_idx";
