/** 1.0 in the fixed point of Curve's crypto pools. */
export const WAD = 10n ** 18n
/** A of the contracts is multiplied by this, and by n ** n. */
export const A_MULTIPLIER = 10_000n

export interface Shape {
  /** `A()` of the pool. */
  readonly A: bigint
  readonly gamma: bigint
}

/**
 * The curve of one version of the contracts. `balances` are in units of coin 0 with 18 digits (`xp` of the contracts).
 * Both functions throw a RangeError where the contract reverts.
 */
export interface Invariant {
  readonly coins: 2 | 3
  /** Returns the balance of coin `index` that the invariant needs. The pool's own of that coin is not used. */
  balanceOf(shape: Shape, balances: readonly bigint[], D: bigint, index: number): bigint
  /** Returns D of these balances: the contracts compute it again while A and gamma move. */
  invariantOf(shape: Shape, balances: readonly bigint[]): bigint
  /** Returns the marginal rate of coin `from` for coin `to`, in the units of `balances`; floating point. */
  rate(shape: Shape, balances: readonly bigint[], D: bigint, from: number, to: number): number
  /** The contract may use this curve instead: an amount is known only if both pay it. */
  readonly orElse?: Invariant
}

/** Returns the balances other than that of one coin. */
export function others(balances: readonly bigint[], index: number): bigint[] {
  return balances.filter((_, each) => each !== index)
}

/** Returns balances from high to low. */
export function descending(balances: readonly bigint[]): bigint[] {
  return balances.toSorted((a, b) => (a < b ? 1 : -1))
}
