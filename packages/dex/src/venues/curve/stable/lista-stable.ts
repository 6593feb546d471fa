import type { FormulaKind, OutputBound, PoolFormula } from '../../../maths/formula.ts'
import { present } from '../../../present.ts'
import { StableFormula, type StablePool, stablePoolOf, stableValues } from './curve-stable.ts'

export interface OracleGuard {
  /** The administrator's share of the fee, in units of 10^-10. */
  adminFee: bigint
  /** In dollars, with 18 decimals. */
  prices: readonly bigint[]
  /** Accepted deviations from the prices, with 18 decimals. */
  thresholds: readonly bigint[]
}

const UNITS = 10n ** 18n
const FEE_UNITS = 10n ** 10n
/** The pool's price is that of a swap worth 100 dollars. */
const SAMPLE_VALUE = 100n * UNITS
const COINS = 2

export function listaValues(pool: StablePool, { adminFee, prices, thresholds }: OracleGuard): bigint[] {
  return [...stableValues(pool), adminFee, ...prices, ...thresholds]
}

/**
 * Lista's StableSwap (moolah `src/dex/StableSwapPool.sol`): a swap reverts if the prices after it differ too much from
 * an oracle's (`checkPriceDiff`). Pools whose prices differ before any swap are not quoted.
 */
class ListaFormula implements PoolFormula {
  readonly balances: readonly bigint[]
  readonly #stable: StableFormula
  readonly #guard: OracleGuard
  #isOpen: boolean | undefined

  constructor(stable: StableFormula, guard: OracleGuard) {
    this.balances = stable.balances
    this.#stable = stable
    this.#guard = guard
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    const swap = this.#opened() ? this.#stable.swap(from, to, amountIn) : null
    const rate = this.#stable.pool.rates[to]
    if (swap === null || rate === undefined) return null
    const { amountOut, feeSize } = swap
    const kept = (((feeSize * this.#guard.adminFee) / FEE_UNITS) * UNITS) / rate
    const after = this.balances.map((balance, coin) => balance + (coin === from ? amountIn : -amountOut - kept))
    return this.#isNearOracle(after) ? amountOut : null
  }

  bound(from: number, to: number): OutputBound {
    return this.#opened() ? this.#stable.bound(from, to) : { rate: 0, depth: 0 }
  }

  #opened(): boolean {
    this.#isOpen ??= this.#isNearOracle(this.balances)
    return this.#isOpen
  }

  /** `checkPriceDiff`: measures each coin's price by a small swap without fee that pays out the coin. */
  #isNearOracle(balances: readonly bigint[]): boolean {
    const { pool } = this.#stable
    const { prices, thresholds } = this.#guard
    const maths = balances.every((balance) => balance >= 0n) ? StableFormula.of({ ...pool, balances, fee: 0n }) : null
    if (maths === null) return false
    return [0, 1].every((coin) => {
      const other = 1 - coin
      const [price = 0n, otherPrice = 0n] = [prices[coin], prices[other]]
      const [rate = UNITS, otherRate = UNITS] = [pool.rates[coin], pool.rates[other]]
      const sold = otherPrice === 0n ? 0n : (SAMPLE_VALUE * ((UNITS * UNITS) / otherRate)) / otherPrice
      const bought = maths.amountOut(other, coin, sold)
      if (!bought) return false
      const shown = (sold * (otherRate / UNITS) * otherPrice) / (bought * (rate / UNITS))
      const difference = shown > price ? shown - price : price - shown
      return difference * UNITS <= price * present(thresholds[coin])
    })
  }
}

export const LISTA_STABLE: FormulaKind = {
  name: 'lista-stable',
  of(values) {
    const parsed = stablePoolOf(values)
    const [adminFee, ...others] = parsed?.rest ?? []
    if (parsed === null || adminFee === undefined || others.length !== 2 * COINS) return null
    if (parsed.pool.balances.length !== COINS || parsed.pool.rates.some((rate) => rate < UNITS)) return null
    const stable = StableFormula.of(parsed.pool)
    const guard = { adminFee, prices: others.slice(0, COINS), thresholds: others.slice(COINS) }
    return stable === null ? null : new ListaFormula(stable, guard)
  },
  work: 400,
  gas: 130_000,
}
