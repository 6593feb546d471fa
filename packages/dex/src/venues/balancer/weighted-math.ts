import { revert } from '../../maths/checked-words.ts'
import type { OutputBound } from '../../maths/output-bound.ts'
import { checked, complement, divDown, divUp, mulDown, ONE, powUp } from './fixed-point.ts'

/** Both values have 18 decimals. */
export interface WeightedCoin {
  balance: bigint
  weight: bigint
}

/** _MAX_IN_RATIO */
const MAX_IN_SHARE = (3n * ONE) / 10n

/**
 * Returns the output without fee, with 18 decimals: WeightedMath._calcOutGivenIn of V2, computeOutGivenExactIn of V3.
 * @param isExactForWhole see `powUp`
 * @throws if the contract reverts
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
 * Returns an upper bound for the output. Let t be the input as a share of the sold balance, B the bought balance and e
 * the weight ratio. By Bernoulli's inequality, B * (1 - (1 + t)^-e) is at most B * e * t / (1 + c * t), where c = e if
 * e < 1, else (e + 1) / 2. The contract rounds in the pool's favour. `kept` is the share of the input left after the
 * fee; balances are in base units.
 */
export function weightedBound(balances: { from: number; to: number }, weightRatio: number, kept: number): OutputBound {
  if (balances.from === 0) return { rate: 0, depth: 0 }
  const share = kept / balances.from
  return { rate: balances.to * weightRatio * share, depth: Math.min(weightRatio, (weightRatio + 1) / 2) * share }
}
