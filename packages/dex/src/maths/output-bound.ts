/**
 * A constant-product curve that a pool's output never exceeds: output <= amount * rate / (1 + amount * depth). Floating
 * point on purpose: bounds only show which pools cannot win, and the amounts themselves are computed exactly.
 */
export interface OutputBound {
  /** Marginal rate, fee included. */
  rate: number
  /** How fast the rate falls with the amount; 0: not at all. */
  depth: number
}

/** The bound of a pool that pays nothing. */
export const NO_OUTPUT: OutputBound = { rate: 0, depth: 0 }

/** Far more than all rounding of the few floating-point operations below. */
const SLACK = 1 + 1e-9

/** Returns the bound of a pool with these (virtual) reserves; `kept` is what the fee leaves of the input, out of 1. */
export function boundOfReserves(reserveIn: number, reserveOut: number, kept: number): OutputBound {
  if (reserveIn === 0 || reserveOut === 0) return NO_OUTPUT
  return { rate: (reserveOut / reserveIn) * kept, depth: kept / reserveIn }
}

/** Returns an output that `amount` or less cannot exceed; infinite if floating point cannot decide. */
export function upperBound(rate: number, depth: number, amount: number): number {
  const bound = ((amount * rate) / (1 + amount * depth)) * SLACK
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound
}

/** Returns a slightly smaller amount: not above the exact one, whatever was rounded. */
export function lowerBound(amount: number): number {
  return amount / SLACK
}

/** Returns what 1 / input cannot exceed if the output is at least 1 / `inverseOutput`; negative if no input pays it. */
export function inverseBound(rate: number, depth: number, inverseOutput: number): number {
  const bound = rate * inverseOutput * SLACK - depth
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound > 0 ? bound : -1
}
