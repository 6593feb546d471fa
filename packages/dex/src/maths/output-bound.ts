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
