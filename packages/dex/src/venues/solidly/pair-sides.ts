import { MAX_UINT256 } from '../../abi/words.ts'
import { mul } from '../../maths/checked-words.ts'
import { type OutputBound, upperBound } from '../../maths/output-bound.ts'

/** A pair's fee as a share, taken off the input first, rounded down. */
export interface PairFee {
  part: bigint
  whole: bigint
}

/** Whether these can be reserves and a fee. */
export function isPair(reserves: readonly bigint[], { part, whole }: PairFee): boolean {
  return [...reserves, part, whole].every((value) => value >= 0n && value <= MAX_UINT256) && part < whole
}

export function keptOf(amountIn: bigint, { part, whole }: PairFee): bigint {
  return amountIn - mul(amountIn, part) / whole
}

/** Fees round down and outputs may round up: at most this share more is quoted. */
const ROUNDED_UP = 1 + 1e-4
/** With fewer units in a reserve, relevant amounts have fees of a few units. */
const MANY_UNITS = 1e10

/** Returns a bound from the marginal rate before the fee. */
export function boundOfRate(rate: number, depth: number, reserveIn: bigint, { part, whole }: PairFee): OutputBound {
  const kept = Number(reserveIn) < MANY_UNITS ? 1 : 1 - Number(part) / Number(whole)
  return Number.isFinite(rate) ? { rate: rate * kept * ROUNDED_UP, depth: depth * kept } : { rate: 0, depth: 0 }
}

/** Returns an output within its bound; a few units may exceed it by rounding. */
export function underBound(paid: bigint | null, { rate, depth }: OutputBound, amountIn: bigint): bigint | null {
  return paid !== null && Number(paid) <= upperBound(rate, depth, Number(amountIn)) ? paid : null
}
