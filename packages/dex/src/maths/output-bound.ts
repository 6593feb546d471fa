/**
 * A curve that a pool's output never exceeds: output <= amount * rate / (1 + amount * depth). Floating point on
 * purpose: bounds only show which pools cannot win; the amounts are computed exactly.
 */
export interface OutputBound {
  /** Marginal rate, fee included. */
  rate: number
  /** How fast the rate falls with the amount; 0: not at all. */
  depth: number
}

export const NO_OUTPUT: OutputBound = { rate: 0, depth: 0 }

/** Far more than the rounding of the few operations below. */
const SLACK = 1 + 1e-9

/** @param kept what the fee leaves of the input, out of 1 */
export function boundOfReserves(reserveIn: number, reserveOut: number, kept: number): OutputBound {
  if (reserveIn === 0 || reserveOut === 0) return NO_OUTPUT
  return { rate: (reserveOut / reserveIn) * kept, depth: kept / reserveIn }
}

/** Returns an output that `amount` or less cannot exceed; infinite if floating point cannot decide. */
export function upperBound(rate: number, depth: number, amount: number): number {
  const bound = ((amount * rate) / (1 + amount * depth)) * SLACK
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound
}

/** Not above the exact amount, whatever was rounded. */
export function lowerBound(amount: number): number {
  return amount / SLACK
}

/** Returns what 1 / input cannot exceed for an output of at least 1 / `inverseOutput`; negative if no input pays it. */
export function inverseBound(rate: number, depth: number, inverseOutput: number): number {
  const bound = rate * inverseOutput * SLACK - depth
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound > 0 ? bound : -1
}
