import type { PoolSide } from '../pool-maths/pool-side.ts'

/** Why a value cannot pass a pool: only a smaller value may pass, or only a greater one. */
export type Refusal = 'too great' | 'too small'

/** How a value travels along a route: an amount for an exact quote, a rate for a marginal one. */
export interface Valuation<V> {
  /** Whether the search visits pools from the last to the first. */
  readonly isBackward: boolean
  readonly start: V
  /**
   * Returns the value after `side`, in the direction of the search. A greater input value must not give a smaller
   * result.
   */
  through(side: PoolSide, value: V): V | Refusal
  compare(a: V, b: V): number
  /** Converts to floating point, to compare with bounds. */
  approximate(value: V): number
  /** Returns an upper bound after pools with this bound, for all values up to `value` (see OutputBound). */
  bound(rate: number, depth: number, value: number): number
  closeBound(side: PoolSide, value: number): number
  /** Returns whether `through` costs no more than `closeBound`. */
  isCheap(side: PoolSide, value: number): boolean
}

export interface Step<V> {
  value: V
  side: PoolSide
  before: Step<V> | null
}

export function stepsOf<V>(end: Step<V>): Step<V>[] {
  const steps: Step<V>[] = []
  for (let step: Step<V> | null = end; step !== null; step = step.before) steps.unshift(step)
  return steps
}

/**
 * Returns a negative number if `a` is preferred: for its greater value, or on a tie for its lower pool addresses,
 * starting from the first pool.
 */
export function compareSteps<V>(a: Step<V>, b: Step<V>, valuation: Valuation<V>): number {
  const byValue = valuation.compare(b.value, a.value)
  return byValue !== 0 ? byValue : compareAddresses(a, b)
}

/**
 * Returns the step through a pool after another step, or after the start if that is null. A swap moves the other pairs
 * of a pool with several coins, and the pools that take a rate from it, so a route uses only one of them.
 */
export function stepThrough<V>(side: PoolSide, before: Step<V> | null, valuation: Valuation<V>): Step<V> | Refusal {
  for (let step = before; step !== null; step = step.before) if (side.isMovedBy(step.side)) return 'too great'
  const value = valuation.through(side, before === null ? valuation.start : before.value)
  return isRefusal(value) ? value : { value, side, before }
}

export function allowing<V>(valuation: Valuation<V>, allows: (side: PoolSide) => boolean): Valuation<V> {
  return {
    ...valuation,
    through: (side, value) => (allows(side) ? valuation.through(side, value) : 'too small'),
    closeBound: (side, value) => (allows(side) ? valuation.closeBound(side, value) : -1),
  }
}

export function isRefusal(value: unknown): value is Refusal {
  return value === 'too great' || value === 'too small'
}

function compareAddresses<V>(a: Step<V>, b: Step<V>): number {
  if (a.before !== null && b.before !== null) {
    const earlier = compareAddresses(a.before, b.before)
    if (earlier !== 0) return earlier
  }
  const addressA = a.side.pool.address
  const addressB = b.side.pool.address
  return addressA < addressB ? -1 : addressA > addressB ? 1 : 0
}
