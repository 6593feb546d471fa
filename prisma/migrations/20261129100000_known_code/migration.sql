-- Pools whose code, or the contract that sets their rate, may not be known are read again: see "not-quoted" in
-- docs/internals/protocols.md. Until then no quote uses them.
WITH gone AS (
    DELETE FROM "pool_state" WHERE "formula" IN (
        'balancer-v2-weighted', 'balancer-v2-stable', 'balancer-v3-weighted', 'balancer-v3-stable', 'curve-stable', 'dodo'
    ) RETURNING "chain_id", "pool"
)
INSERT INTO "unread_pool" ("chain_id", "pool", "place")
SELECT DISTINCT "chain_id", "pool", NULL::int FROM gone ON CONFLICT DO NOTHING;
