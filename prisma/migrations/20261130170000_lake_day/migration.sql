-- Days that were written to the lake, or whose writing has begun (docs/internals/database.md).
CREATE TABLE "lake_day" (
    "chain_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    -- Increases with every attempt to write the day.
    "version" INTEGER NOT NULL,
    -- All blocks of the day are within these.
    "from_block" BIGINT NOT NULL,
    "to_block" BIGINT NOT NULL,
    -- Whether the files and the manifest of this version are complete.
    "is_written" BOOLEAN NOT NULL,
    -- Whether rows of the day have changed since this version was begun.
    "is_changed" BOOLEAN NOT NULL,

    CONSTRAINT "lake_day_pkey" PRIMARY KEY ("chain_id", "day")
);
