-- The version of the rules that made the rows of a range. Rows from before, and those of an older indexer that still
-- runs, are of version 0.
ALTER TABLE "covered_range" ADD COLUMN "rules" INTEGER NOT NULL DEFAULT 0;
