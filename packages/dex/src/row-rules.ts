/**
 * The version of the rules that make rows, which covered ranges carry; 0: before it was stored. Raise it in each
 * release in which a stored block can get other rows. The indexer then derives older rows again
 * (docs/internals/repair.md).
 */
export const ROW_RULES = 1
