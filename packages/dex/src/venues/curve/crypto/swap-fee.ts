import { larger, smaller, uint } from '../../../maths/integers.ts'
import { WAD } from './invariant.ts'

/** 100 %. */
export const FEE_UNIT = 10n ** 10n
const MIN_FEE = 10n ** 5n

/**
 * `reducing` applies up to Twocrypto 2.1.0, `weighted` in 2.1.0d, `limited` in 3.0.0. Stored states hold a rule's
 * position in this list.
 */
export const FEE_RULES = ['reducing', 'weighted', 'limited'] as const
export type FeeRule = (typeof FEE_RULES)[number]

export interface FeeTerms {
  rule: FeeRule
  /** The fee at equal balances. */
  midFee: bigint
  /** The fee far from equal balances. */
  outFee: bigint
  feeGamma: bigint
}

/** Returns the fee in units of 1e10: the contracts' `_fee` and `reduction_coefficient`. */
export function swapFee({ rule, midFee, outFee, feeGamma }: FeeTerms, balances: readonly bigint[]): bigint {
  const evenness = evennessOf(balances)
  let weight: bigint
  if (rule !== 'reducing') {
    const product = uint(feeGamma * evenness)
    weight = product / uint(product / WAD + WAD - evenness)
  } else if (feeGamma === 0n && balances.length === 3) {
    weight = evenness
  } else {
    weight = uint(feeGamma * WAD) / uint(feeGamma + WAD - evenness)
  }
  const fee = uint(midFee * weight + outFee * uint(WAD - weight)) / WAD
  return rule === 'limited' ? smaller(FEE_UNIT, larger(MIN_FEE, fee)) : fee
}

/** Returns the product of the balances divided by that of equal balances with the same sum; 1e18 if they are equal. */
function evennessOf(balances: readonly bigint[]): bigint {
  const [first = 0n, second = 0n, third] = balances
  if (third === undefined) {
    const sum = uint(first + second)
    return uint((uint(4n * WAD * first) / sum) * second) / sum
  }
  const sum = uint(first + second + third)
  const amount = uint(3n * WAD * first) / sum
  return uint((uint(amount * 3n * second) / sum) * 3n * third) / sum
}
