-- Up to which block the final blocks of a network were read a second time and compared with the rows.
CREATE TABLE "audit" (
    "chain_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("chain_id")
);

-- The first day whose rows are kept; without a row, all are. Days before it have no partitions and get none: their
-- totals stay as they are.
CREATE TABLE "kept_days" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "since" DATE NOT NULL,

    CONSTRAINT "kept_days_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "kept_days_one" CHECK ("id" = 1)
);
