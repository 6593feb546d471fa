import { BinFormula } from '../maths/bins/bin-formula.ts'
import { type Candidate, type ContractQuote, checkedAmounts } from './checked-state.ts'
import type { StateSteps } from './protocol.ts'

/** Bins are read up to this number on each side of the active one. A swap beyond them is not quoted. */
export const BINS_EACH_SIDE = 40

/** Parts of what the known bins take: a small one, a large one, and all. */
const SHARES = [1_000n, 3n, 1n]

/**
 * Ends the reading of a pool of bins: returns its state only if the contract itself, at the same block, quotes the same
 * amounts. Unlike `checkedState`, it requests no amounts beyond the known bins.
 */
export function* checkedBins({ state, maths }: Candidate, quote: ContractQuote): StateSteps {
  if (!(maths instanceof BinFormula)) return null
  const samples = ([0, 1] as const)
    .flatMap((from) => SHARES.map((share) => ({ from, to: 1 - from, amountIn: maths.capacity(from) / share })))
    .filter(({ amountIn }) => amountIn > 0n)
  // Without bins there is nothing to compare, and nothing to buy.
  return samples.length === 0 ? state : yield* checkedAmounts([{ state, maths }], samples, quote)
}
