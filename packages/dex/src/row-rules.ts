/**
 * Version of the rules that produce rows. Covered ranges store it; 0 means that they were stored before it existed.
 * Raise it in each release in which a stored block can get different rows. The indexer then derives older rows again
 * (docs/internals/repair.md).
 */
export const ROW_RULES = 1
