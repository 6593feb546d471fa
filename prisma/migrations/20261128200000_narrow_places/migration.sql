-- Postgres fills the pages of an index in ascending order only if an entry has at most 16 bytes (_bt_afternewitemoff in
-- nbtsplitloc.c). Wider ones leave each page half empty. So a place has four integers, and each partition has its key:
-- that of the parent would have to contain the time. All rows of a block have the same time.
ALTER TABLE "swap" DROP CONSTRAINT "swap_pkey";
ALTER TABLE "swap_hop" DROP CONSTRAINT "swap_hop_pkey";
ALTER TABLE "swap" ALTER COLUMN "block_number" TYPE INTEGER;
ALTER TABLE "swap_hop" ALTER COLUMN "block_number" TYPE INTEGER;

DO $$
DECLARE
    day regclass;
BEGIN
    FOR day IN SELECT inhrelid FROM pg_inherits WHERE inhparent = '"swap"'::regclass LOOP
        EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY ("chain_id", "block_number", "transaction_index", "position")', day);
    END LOOP;
    FOR day IN SELECT inhrelid FROM pg_inherits WHERE inhparent = '"swap_hop"'::regclass LOOP
        EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY ("chain_id", "block_number", "transaction_index", "log_index")', day);
    END LOOP;
END $$;
