import type { Hex } from '../chain.ts'
import { BinFormula } from '../maths/bins/bin-formula.ts'
import type { FormulaKind, PoolFormula } from '../maths/formula.ts'
import { type FormulaState, formulaState } from '../pool-state.ts'
import { present } from '../present.ts'
import type { EthCall, StateSteps } from './protocol.ts'

export interface ContractQuote {
  call(from: number, to: number, amountIn: bigint): EthCall
  read(reply: Hex, sample: Sample): bigint | null
}

export interface Sample {
  from: number
  to: number
  amountIn: bigint
}

/** A state that the pool may be in, with its maths; `maths` is null if no pool can be in that state. */
export interface Candidate {
  state: FormulaState
  maths: PoolFormula | null
  /** The maths of the contract's quote function, which may round differently from its swap. */
  viewed: PoolFormula | null
}

/** @param movesFrom see `formulaState` */
export function candidate(formula: FormulaKind, values: readonly bigint[], movesFrom: number | null = null): Candidate {
  const maths = formula.of(values)
  return { state: formulaState(formula.name, values, movesFrom), maths, viewed: maths }
}

/** Divisors of the balance: a small and a large sale, within pools' swap limits. */
const SHARES = [1_000n, 4n]
const MORE_SHARES = [...SHARES, 7n, 60n]
/**
 * Returns the state only if the contract's quotes at the same block equal the formula's amounts. So pools with unknown
 * versions or extra rules are not quoted.
 */
export function checkedState(candidate: Candidate, quote: ContractQuote): StateSteps {
  return firstCheckedState([candidate], quote)
}

export function* firstCheckedState(candidates: readonly Candidate[], quote: ContractQuote): StateSteps {
  const viewable = candidates.flatMap(({ state, maths, viewed }) =>
    maths === null || viewed === null ? [] : [{ state, maths: viewed }],
  )
  const [first] = viewable
  if (first === undefined) return null
  return yield* checkedAmounts(viewable, samplesOf(first.maths, viewable.length > 1 ? MORE_SHARES : SHARES), quote)
}

function* checkedAmounts(
  candidates: readonly { state: FormulaState; maths: PoolFormula }[],
  samples: readonly Sample[],
  quote: ContractQuote,
): StateSteps {
  if (samples.length === 0) return null
  const replies = yield samples.map(({ from, to, amountIn }) => quote.call(from, to, amountIn))
  const quoted = samples.map((sample, index) => {
    const reply = replies[index]
    return reply ? quote.read(reply, sample) : null
  })
  // If every quote fails, nothing is proven.
  if (quoted.every((amount) => amount === null)) return null
  const isQuoted = (maths: PoolFormula) =>
    samples.every(({ from, to, amountIn }, index) => quoted[index] === maths.amountOut(from, to, amountIn))
  return candidates.find(({ maths }) => isQuoted(maths))?.state ?? null
}

/**
 * Like `checkedState`, for quote functions that change storage as swaps do. Such a change lasts until the Multicall3
 * call ends, so each round asks for a single quote.
 */
export function* checkedOneByOne({ state, maths }: Candidate, quote: ContractQuote): StateSteps {
  if (maths === null) return null
  let isShown = false
  for (const sample of samplesOf(maths, SHARES.slice(-1))) {
    const { from, to, amountIn } = sample
    const [reply] = yield [quote.call(from, to, amountIn)]
    const quoted = reply ? quote.read(reply, sample) : null
    if (quoted !== maths.amountOut(from, to, amountIn)) return null
    isShown ||= quoted !== null
  }
  return isShown ? state : null
}

function samplesOf(maths: PoolFormula, shares: readonly bigint[]): Sample[] {
  return pairsOf(maths).flatMap(({ from, to }) =>
    shares.map((share) => ({ from, to, amountIn: present(maths.balances[from]) / share + 1n })),
  )
}

function pairsOf(maths: PoolFormula): { from: number; to: number }[] {
  const isExchanged = ({ from, to }: { from: number; to: number }) => maths.bound(from, to).rate > 0
  return maths.balances.flatMap((_, coin) => {
    const directionsTo = (next: number) =>
      [
        { from: coin, to: next },
        { from: next, to: coin },
      ].filter(isExchanged)
    const next = maths.balances.findIndex((_, index) => index > coin && directionsTo(index).length > 0)
    return next === -1 ? [] : directionsTo(next)
  })
}

/** Bins read on each side of the active bin. Swaps that go further are not quoted. */
export const BINS_EACH_SIDE = 40

const BIN_SHARES = [1_000n, 3n, 1n]

/**
 * Returns the state if the contract quotes the same amounts at this block, else null. Samples only amounts that the
 * known bins can take.
 */
export function* checkedBins({ state, maths }: Candidate, quote: ContractQuote): StateSteps {
  if (!(maths instanceof BinFormula)) return null
  const samples = ([0, 1] as const)
    .flatMap((from) => BIN_SHARES.map((share) => ({ from, to: 1 - from, amountIn: maths.capacity(from) / share })))
    .filter(({ amountIn }) => amountIn > 0n)
  // If the known bins are empty, nothing can be bought, so there is nothing to compare.
  return samples.length === 0 ? state : yield* checkedAmounts([{ state, maths }], samples, quote)
}
