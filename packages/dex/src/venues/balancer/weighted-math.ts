import { revert } from '../../maths/checked-words.ts'
import type { OutputBound } from '../../maths/output-bound.ts'
import { checked, complement, divDown, divUp, mulDown, ONE, powUp } from './fixed-point.ts'

/** A coin of a weighted pool, with 18 decimals. */
export interface WeightedCoin {
  balance: bigint
  weight: bigint
}

/** _MAX_IN_RATIO */
const MAX_IN_SHARE = (3n * ONE) / 10n

/**
 * Returns what a weighted pool pays for an input without its fee, all with 18 decimals: WeightedMath._calcOutGivenIn of
 * Balancer V2, computeOutGivenExactIn of V3. @param isExactForWhole see `powUp` @throws if the contract reverts
 */
export function weightedOutput(
  from: WeightedCoin,
  to: WeightedCoin,
  amountIn: bigint,
  isExactForWhole: boolean,
): bigint {
  if (amountIn > mulDown(from.balance, MAX_IN_SHARE)) revert()
  const base = divUp(from.balance, checked(from.balance + amountIn))
  const power = powUp(base, divDown(from.weight, to.weight), isExactForWhole)
  return mulDown(to.balance, complement(power))
}

/**
 * Returns the bound of a weighted pool: its output is B * (1 - (1 + t)^-e), with t the share of the input in the
 * balance and e the ratio of the weights. By Bernoulli's inequality that is at most B * e * t / (1 + c * t), with c = e
 * if e is less than 1, else (e + 1) / 2. All roundings of the contract favour the pool. `kept` is what the fee leaves
 * of the input; balances are in base units.
 */
export function weightedBound(balances: { from: number; to: number }, weightRatio: number, kept: number): OutputBound {
  if (balances.from === 0) return { rate: 0, depth: 0 }
  const share = kept / balances.from
  return { rate: balances.to * weightRatio * share, depth: Math.min(weightRatio, (weightRatio + 1) / 2) * share }
}
