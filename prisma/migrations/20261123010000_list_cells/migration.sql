-- By what a rendered list of swaps knows that rows which it holds have changed: whoever writes rows of blocks that are
-- not new at the head gives the cells of these blocks (32 each) another version, and the network one where all may have
-- changed. Versions are random, so that no other database has the same.
ALTER TABLE "network" ADD COLUMN "list_version" BIGINT NOT NULL DEFAULT floor(random() * 9007199254740992)::bigint;

CREATE TABLE "list_cell" (
    "chain_id" INTEGER NOT NULL,
    -- Block number / 32.
    "cell" BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    -- No row of the cell is younger; once it is older than any list the row goes.
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "list_cell_pkey" PRIMARY KEY ("chain_id", "cell")
);
