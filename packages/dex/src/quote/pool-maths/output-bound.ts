/**
 * A constant-product curve that a pool's output never lies above: output <= amount * rate / (1 + amount * depth).
 * Floating point on purpose: bounds only tell which pools cannot win, the amounts themselves are computed exactly.
 */
export interface OutputBound {
  /** Marginal rate, fee included. */
  rate: number
  /** How fast the rate falls with the amount; 0: not at all. */
  depth: number
}

/** Far more than all rounding of the few floating-point operations below. */
const SLACK = 1 + 1e-9

/** The bound of a pool with these (virtual) reserves, `kept` being what the fee leaves of the input, out of 1. */
export function boundOfReserves(reserveIn: number, reserveOut: number, kept: number): OutputBound {
  if (reserveIn === 0 || reserveOut === 0) return { rate: 0, depth: 0 }
  return { rate: (reserveOut / reserveIn) * kept, depth: kept / reserveIn }
}

/** An output that `amount` or less cannot exceed; infinite where floating point cannot tell. */
export function upperBound(rate: number, depth: number, amount: number): number {
  const bound = ((amount * rate) / (1 + amount * depth)) * SLACK
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound
}
