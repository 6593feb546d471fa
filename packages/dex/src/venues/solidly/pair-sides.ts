import { MAX_UINT256 } from '../../abi/words.ts'
import { mul } from '../../maths/checked-words.ts'
import { type OutputBound, upperBound } from '../../maths/output-bound.ts'

/** The fee of a pair, as a share. It is taken of the input first, rounded down. */
export interface PairFee {
  part: bigint
  whole: bigint
}

/** Returns whether these can be reserves and a fee. */
export function isPair(reserves: readonly bigint[], { part, whole }: PairFee): boolean {
  return [...reserves, part, whole].every((value) => value >= 0n && value <= MAX_UINT256) && part < whole
}

/** Returns what the fee leaves of an input. */
export function keptOf(amountIn: bigint, { part, whole }: PairFee): bigint {
  return amountIn - mul(amountIn, part) / whole
}

/** The contract rounds the fee down, and may round the output up: at most this share more is quoted. */
const ROUNDED_UP = 1 + 1e-4
/** With fewer units than this in a reserve, amounts that matter have fees of a few units. */
const MANY_UNITS = 1e10

/** Returns a bound from the marginal rate before the fee. */
export function boundOfRate(rate: number, depth: number, reserveIn: bigint, { part, whole }: PairFee): OutputBound {
  const kept = Number(reserveIn) < MANY_UNITS ? 1 : 1 - Number(part) / Number(whole)
  return Number.isFinite(rate) ? { rate: rate * kept * ROUNDED_UP, depth: depth * kept } : { rate: 0, depth: 0 }
}

/** Returns an output unless it exceeds its bound. That happens for a few units, where roundings outweigh the curve. */
export function underBound(paid: bigint | null, { rate, depth }: OutputBound, amountIn: bigint): bigint | null {
  return paid !== null && Number(paid) <= upperBound(rate, depth, Number(amountIn)) ? paid : null
}
