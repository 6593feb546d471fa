-- Blocks whose headers have fields that this version does not know, by network: while there are some. "until": counts no longer.
CREATE TABLE "unknown_header" (
  "chain_id" INTEGER PRIMARY KEY,
  "from_block" BIGINT NOT NULL,
  "fields" TEXT[] NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  "until" TIMESTAMPTZ(3) NOT NULL
);
