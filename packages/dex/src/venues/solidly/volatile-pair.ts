import { add, mul, orNull } from '../../maths/checked-words.ts'
import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { NO_OUTPUT, type OutputBound } from '../../maths/output-bound.ts'
import { boundOfRate, isPair, keptOf, type PairFee, underBound } from './pair-sides.ts'

/** Volatile pairs of Solidly and forks (`_getAmountOut`): a constant product after the fee. */
export const volatilePair: FormulaKind = {
  name: 'volatile-pair',
  of(values) {
    const [reserve0 = 0n, reserve1 = 0n, part = 0n, whole = 0n] = values
    const fee = { part, whole }
    return values.length === 4 && isPair([reserve0, reserve1], fee) ? new VolatilePair([reserve0, reserve1], fee) : null
  },
  work: 15,
  gas: 90_000,
}

class VolatilePair implements PoolFormula {
  readonly balances: readonly [bigint, bigint]
  readonly #fee: PairFee

  constructor(reserves: readonly [bigint, bigint], fee: PairFee) {
    this.balances = reserves
    this.#fee = fee
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    const reserveIn = this.balances[from]
    const reserveOut = this.balances[to]
    if (from === to || reserveIn === undefined || reserveOut === undefined || amountIn <= 0n) return null
    const paid = orNull(() => {
      const kept = keptOf(amountIn, this.#fee)
      // The pair compares the products before and after the swap, so both must fit a word.
      mul(add(reserveIn, amountIn), reserveOut)
      return kept === 0n ? 0n : mul(kept, reserveOut) / add(reserveIn, kept)
    })
    return paid === 0n ? null : underBound(paid, this.bound(from, to), amountIn)
  }

  bound(from: number, to: number): OutputBound {
    const reserveIn = this.balances[from]
    const reserveOut = this.balances[to]
    if (from === to || !reserveIn || !reserveOut) return NO_OUTPUT
    return boundOfRate(Number(reserveOut) / Number(reserveIn), 1 / Number(reserveIn), reserveIn, this.#fee)
  }
}
