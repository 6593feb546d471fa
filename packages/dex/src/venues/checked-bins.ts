import { BinFormula } from '../maths/bins/bin-formula.ts'
import { type Candidate, type ContractQuote, checkedAmounts } from './checked-state.ts'
import type { StateSteps } from './protocol.ts'

/** Bins read on each side of the active bin. Swaps that go further are not quoted. */
export const BINS_EACH_SIDE = 40

const SHARES = [1_000n, 3n, 1n]

/**
 * Returns the state if the contract quotes the same amounts at this block, else null. Samples only amounts that the
 * known bins can take.
 */
export function* checkedBins({ state, maths }: Candidate, quote: ContractQuote): StateSteps {
  if (!(maths instanceof BinFormula)) return null
  const samples = ([0, 1] as const)
    .flatMap((from) => SHARES.map((share) => ({ from, to: 1 - from, amountIn: maths.capacity(from) / share })))
    .filter(({ amountIn }) => amountIn > 0n)
  // If the known bins are empty, nothing can be bought, so there is nothing to compare.
  return samples.length === 0 ? state : yield* checkedAmounts([{ state, maths }], samples, quote)
}
