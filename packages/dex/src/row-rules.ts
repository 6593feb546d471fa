/**
 * The version of the rules that make rows from blocks; covered ranges carry it. Raise it in each release in which a
 * stored block can get other rows: other trades, ends, amounts, hops, values or flags. The indexer then derives the rows
 * of older rules again (docs/internals/repair.md). Rows from before this number was stored are of version 0.
 */
export const ROW_RULES = 1
