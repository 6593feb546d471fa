-- Which tokens transactions carried from one pool into another, and whether they arrived whole: a quote's route leads
-- only through tokens that do. A row per transaction and token, so that it comes and goes with its block; tokens that
-- the configuration names need none.
CREATE TABLE "token_move" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "transaction_index" INTEGER NOT NULL,
    "token" BYTEA NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "trader" BYTEA,
    "whole" BOOLEAN NOT NULL,

    CONSTRAINT "token_move_pkey" PRIMARY KEY ("chain_id", "block_number", "transaction_index", "token"),
    CONSTRAINT "token_move_token_length" CHECK (octet_length("token") = 20),
    CONSTRAINT "token_move_trader_length" CHECK (octet_length("trader") = 20)
);

-- The last week of a network, and the days that are no longer kept.
CREATE INDEX "token_move_time_idx" ON "token_move" ("chain_id", "block_time");

-- Stablecoins and further tokens with a trusted price, as configured.
ALTER TABLE "network" ADD COLUMN "anchors" BYTEA[] NOT NULL DEFAULT '{}';
