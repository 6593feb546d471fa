import type { PoolAddress } from '../pool.ts'

/**
 * A curve that a pool's output never exceeds: output <= amount * rate / (1 + amount * depth). Uses floating point on
 * purpose: bounds only show which pools cannot win; the amounts are computed exactly.
 */
export interface OutputBound {
  /** Marginal rate, including the fee. */
  rate: number
  /** How fast the rate falls with the amount; 0 if it does not fall. */
  depth: number
}

export const NO_OUTPUT: OutputBound = { rate: 0, depth: 0 }

/** Far more than the rounding errors of the few operations below. */
const SLACK = 1 + 1e-9

/** @param kept fraction of the input that remains after the fee */
export function boundOfReserves(reserveIn: number, reserveOut: number, kept: number): OutputBound {
  if (reserveIn === 0 || reserveOut === 0) return NO_OUTPUT
  return { rate: (reserveOut / reserveIn) * kept, depth: kept / reserveIn }
}

/** Returns an output that no input up to `amount` can exceed, or infinity if floating point cannot decide. */
export function upperBound(rate: number, depth: number, amount: number): number {
  const bound = ((amount * rate) / (1 + amount * depth)) * SLACK
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound
}

/** Returns a value that does not exceed the exact amount, however it was rounded. */
export function lowerBound(amount: number): number {
  return amount / SLACK
}

/**
 * Returns an upper bound of 1 / input for outputs of at least 1 / `inverseOutput`; negative if no input pays that much.
 */
export function inverseBound(rate: number, depth: number, inverseOutput: number): number {
  const bound = rate * inverseOutput * SLACK - depth
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound > 0 ? bound : -1
}

/** The exact maths of one pool in one state. Coins are numbered as in `Pool.coins`. */
export interface PoolFormula {
  /** The most that the pool can pay of each coin, in base units. */
  readonly balances: readonly bigint[]
  /** Another pool whose swaps also change this pool, such as a metapool's base pool. */
  readonly basis?: PoolAddress
  /**
   * Returns what the contract pays, in base units, including its fees and rounding. Returns null if the contract
   * reverts, or if the state does not determine the amount. A larger input never returns less.
   */
  amountOut(from: number, to: number, amountIn: bigint): bigint | null
  /**
   * Returns a curve that `amountOut` never exceeds and that starts at nearly the marginal rate. The rate is 0 if these
   * coins are not exchanged.
   */
  bound(from: number, to: number): OutputBound
}

export interface FormulaKind {
  /** Stored with each state, so it must never change. */
  name: string
  /** Reads `values` in the kind's own layout; returns null if no pool can have them. */
  of(values: readonly bigint[]): PoolFormula | null
  /** Units of work for one exact amount (see QuoteWork). */
  work: number
  /** Gas units in a router's transaction, rounded from published figures. */
  gas: number
}

/** Reads coins of `length` values each; null if there are fewer than two or more than `max`, or if one is impossible. */
export function coinsIn<Coin>(
  values: readonly bigint[],
  { length, max }: { length: number; max: number },
  read: (values: readonly bigint[]) => Coin | null,
): Coin[] | null {
  const count = values.length / length
  if (!Number.isInteger(count) || count < 2 || count > max) return null
  const coins: Coin[] = []
  for (let start = 0; start < values.length; start += length) {
    const coin = read(values.slice(start, start + length))
    if (coin === null) return null
    coins.push(coin)
  }
  return coins
}
