import { BinFormula } from '../maths/bins/bin-formula.ts'
import { type Candidate, type ContractQuote, checkedAmounts } from './checked-state.ts'
import type { StateSteps } from './protocol.ts'

/** Bins read on each side of the active one; swaps beyond are not quoted. */
export const BINS_EACH_SIDE = 40

/** Divisors of what the known bins take. */
const SHARES = [1_000n, 3n, 1n]

/**
 * Returns the state if the contract quotes the same at this block. Unlike `checkedState`, it stays within the known
 * bins.
 */
export function* checkedBins({ state, maths }: Candidate, quote: ContractQuote): StateSteps {
  if (!(maths instanceof BinFormula)) return null
  const samples = ([0, 1] as const)
    .flatMap((from) => SHARES.map((share) => ({ from, to: 1 - from, amountIn: maths.capacity(from) / share })))
    .filter(({ amountIn }) => amountIn > 0n)
  // Without bins there is nothing to compare or buy.
  return samples.length === 0 ? state : yield* checkedAmounts([{ state, maths }], samples, quote)
}
