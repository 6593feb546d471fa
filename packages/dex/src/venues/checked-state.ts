import type { Hex } from '../chain/hex.ts'
import type { FormulaKind, PoolFormula } from '../maths/formula.ts'
import { type FormulaState, formulaState } from '../pool-state.ts'
import { present } from '../present.ts'
import type { EthCall, StateSteps } from './protocol.ts'

/** A view function of a contract that quotes exact inputs. */
export interface ContractQuote {
  call(from: number, to: number, amountIn: bigint): EthCall
  /** Returns null for no amount. */
  read(reply: Hex, sample: Sample): bigint | null
}

/** An amount that is sold. */
export interface Sample {
  from: number
  to: number
  amountIn: bigint
}

/** A state that may be the pool's, with its maths; null: no pool can be in it. */
export interface Candidate {
  state: FormulaState
  maths: PoolFormula | null
  /** The maths whose amounts the contract's view returns: some contracts quote and pay with different roundings. */
  viewed: PoolFormula | null
}

/** Returns the state that has these values. @param movesFrom as of `formulaState` */
export function candidate(formula: FormulaKind, values: readonly bigint[], movesFrom: number | null = null): Candidate {
  const maths = formula.of(values)
  return { state: formulaState(formula.name, values, movesFrom), maths, viewed: maths }
}

/** Shares of the balance that are sold: a small and a large part, which pools that limit a swap accept, too. */
const SHARES = [1_000n, 4n]
/** With further ones if the replies decide between candidates. */
const MORE_SHARES = [...SHARES, 7n, 60n]
/**
 * Ends the reading of a formula's state: returns it only if the contract itself, at the same block, quotes the same
 * amounts as the formula. So a pool of an unknown version, or with more rules than the formula knows, is not quoted.
 */
export function checkedState(candidate: Candidate, quote: ContractQuote): StateSteps {
  return firstCheckedState([candidate], quote)
}

/** Returns the first candidate whose view is the contract's, as `checkedState` does for one. */
export function* firstCheckedState(candidates: readonly Candidate[], quote: ContractQuote): StateSteps {
  const known = candidates.flatMap(({ state, maths, viewed }) =>
    maths === null || viewed === null ? [] : [{ state, maths: viewed }],
  )
  const [first] = known
  if (first === undefined) return null
  return yield* checkedAmounts(known, samplesOf(first.maths, known.length > 1 ? MORE_SHARES : SHARES), quote)
}

/** Returns the first state whose maths gives what the contract quotes for all samples; null without any quote. */
export function* checkedAmounts(
  known: readonly { state: FormulaState; maths: PoolFormula }[],
  samples: readonly Sample[],
  quote: ContractQuote,
): StateSteps {
  if (samples.length === 0) return null
  const replies = yield samples.map(({ from, to, amountIn }) => quote.call(from, to, amountIn))
  const quoted = samples.map((sample, index) => {
    const reply = replies[index]
    return reply ? quote.read(reply, sample) : null
  })
  // If all samples revert, nothing is shown.
  if (quoted.every((amount) => amount === null)) return null
  const isQuoted = (maths: PoolFormula) =>
    samples.every(({ from, to, amountIn }, index) => quoted[index] === maths.amountOut(from, to, amountIn))
  return known.find(({ maths }) => isQuoted(maths))?.state ?? null
}

/**
 * The same for quotes that keep what they change, like swaps, until the end of a call of Multicall3: one per round, and
 * few of them.
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

/** Returns each coin with the next one that it is exchanged for, in both directions: all coins, and few pairs. */
function pairsOf(maths: PoolFormula): { from: number; to: number }[] {
  const isExchanged = ({ from, to }: { from: number; to: number }) => maths.bound(from, to).rate > 0
  return maths.balances.flatMap((_, coin) => {
    const ways = (next: number) =>
      [
        { from: coin, to: next },
        { from: next, to: coin },
      ].filter(isExchanged)
    const next = maths.balances.findIndex((_, index) => index > coin && ways(index).length > 0)
    return next === -1 ? [] : ways(next)
  })
}
