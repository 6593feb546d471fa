-- Which of the anchors are stablecoins: by their pools the API knows the anchors' prices (docs/usd.md). The indexer fills
-- it in when it starts.
ALTER TABLE "network" ADD COLUMN "stablecoins" BYTEA[] NOT NULL DEFAULT '{}';
