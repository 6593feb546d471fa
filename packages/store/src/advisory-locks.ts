/**
 * First halves of our two-part advisory lock keys (of one database, "df" and a number). The order is the order in
 * which a transaction may take them, so that no two wait for each other.
 */
export const ADVISORY_LOCKS = {
  /** Session lock around migrations; second half 0. */
  migration: 0x6466_0001,
  /** Session lock of a network's follower; second half: chain id. */
  writer: 0x6466_0002,
  /** Making day partitions; second half 0. */
  partitions: 0x6466_0003,
  /** Rows of a network: shared by commits that add, exclusive for one that takes back; second half: chain id. */
  rows: 0x6466_0004,
  /** Counters of a day over all networks: shared and exclusive as above; second half: days since 1970. */
  day: 0x6466_0005,
  /** Covered ranges of a network; second half: chain id. */
  coverage: 0x6466_0006,
} as const
