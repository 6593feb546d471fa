/** 1.0 in Curve's crypto fixed point. */
export const WAD = 10n ** 18n
/** The contracts multiply A by this and by n ** n. */
export const A_MULTIPLIER = 10_000n

export interface Shape {
  readonly A: bigint
  readonly gamma: bigint
}

/**
 * The curve of one contract version. `balances` are in units of coin 0, with 18 decimals (`xp`). `balanceOf` and
 * `invariantOf` throw a RangeError where the contract reverts.
 */
export interface Invariant {
  readonly coins: 2 | 3
  balanceOf(shape: Shape, balances: readonly bigint[], D: bigint, index: number): bigint
  invariantOf(shape: Shape, balances: readonly bigint[]): bigint
  /** Returns the marginal rate in the units of `balances`; floating point. */
  rate(shape: Shape, balances: readonly bigint[], D: bigint, from: number, to: number): number
  /** Another curve that the contract may use; amounts are quoted only if both curves pay them. */
  readonly orElse?: Invariant
}

export function others(balances: readonly bigint[], index: number): bigint[] {
  return balances.filter((_, each) => each !== index)
}

export function descending(balances: readonly bigint[]): bigint[] {
  return balances.toSorted((a, b) => (a < b ? 1 : -1))
}
