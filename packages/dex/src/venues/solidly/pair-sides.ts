import { MAX_UINT256 } from '../../abi/words.ts'
import { mul } from '../../maths/checked-words.ts'
import { type OutputBound, upperBound } from '../../maths/output-bound.ts'

/** A pair's fee, `part` / `whole` of the input, rounded down and deducted first. */
export interface PairFee {
  part: bigint
  whole: bigint
}

export function isPair(reserves: readonly bigint[], { part, whole }: PairFee): boolean {
  return [...reserves, part, whole].every((value) => value >= 0n && value <= MAX_UINT256) && part < whole
}

export function keptOf(amountIn: bigint, { part, whole }: PairFee): bigint {
  return amountIn - mul(amountIn, part) / whole
}

/** Fees round down and outputs may round up, so outputs are quoted up to this factor above the curve. */
const ROUNDED_UP = 1 + 1e-4
/** With a smaller reserve, fees are only a few units and may round down to nothing. */
const MANY_UNITS = 1e10

export function boundOfRate(rate: number, depth: number, reserveIn: bigint, { part, whole }: PairFee): OutputBound {
  const kept = Number(reserveIn) < MANY_UNITS ? 1 : 1 - Number(part) / Number(whole)
  return Number.isFinite(rate) ? { rate: rate * kept * ROUNDED_UP, depth: depth * kept } : { rate: 0, depth: 0 }
}

/**
 * Returns the output if it is within its bound, else null. Rounding may lift an output of a few units above the bound.
 */
export function underBound(paid: bigint | null, { rate, depth }: OutputBound, amountIn: bigint): bigint | null {
  return paid !== null && Number(paid) <= upperBound(rate, depth, Number(amountIn)) ? paid : null
}
