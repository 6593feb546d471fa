/** 1.0 in Curve's crypto fixed point. */
export const WAD = 10n ** 18n
/** The contracts multiply A by this and n ** n. */
export const A_MULTIPLIER = 10_000n

export interface Shape {
  /** `A()` of the pool. */
  readonly A: bigint
  readonly gamma: bigint
}

/**
 * One version's curve. `balances` are in coin 0, 18 digits (`xp` of the contracts). Both functions throw a RangeError
 * where the contract reverts.
 */
export interface Invariant {
  readonly coins: 2 | 3
  /** Returns the balance of coin `index` that the invariant needs, ignoring the current one. */
  balanceOf(shape: Shape, balances: readonly bigint[], D: bigint, index: number): bigint
  /** Returns D, which the contracts recompute while A and gamma move. */
  invariantOf(shape: Shape, balances: readonly bigint[]): bigint
  /** Returns the marginal rate of coin `from` for `to`, in the units of `balances`; floating point. */
  rate(shape: Shape, balances: readonly bigint[], D: bigint, from: number, to: number): number
  /** The contract may use this curve instead; an amount is quoted only if both pay it. */
  readonly orElse?: Invariant
}

/** Returns all balances but one coin's. */
export function others(balances: readonly bigint[], index: number): bigint[] {
  return balances.filter((_, each) => each !== index)
}

export function descending(balances: readonly bigint[]): bigint[] {
  return balances.toSorted((a, b) => (a < b ? 1 : -1))
}
