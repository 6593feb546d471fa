/** One row per swap, a primary key and three indexes. */
export const FLOOR_TABLE = `
  DROP TABLE IF EXISTS floor_swap;
  CREATE TABLE floor_swap (
    block_number bigint NOT NULL,
    log_index int NOT NULL,
    block_time timestamptz NOT NULL,
    tx_hash bytea NOT NULL,
    trader bytea NOT NULL,
    pool bytea NOT NULL,
    amount0 numeric NOT NULL,
    amount1 numeric NOT NULL,
    PRIMARY KEY (block_number, log_index)
  );
  CREATE INDEX ON floor_swap (block_time);
  CREATE INDEX ON floor_swap (trader);
  CREATE INDEX ON floor_swap (pool)`
