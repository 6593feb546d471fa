import type { PoolAddress } from '../pool.ts'
import type { OutputBound } from './output-bound.ts'

/** The exact maths of one pool in one state. Coins are numbered as in `Pool.coins`. */
export interface PoolFormula {
  /** The most that the pool can pay of each coin, in base units. */
  readonly balances: readonly bigint[]
  /** Another pool whose swaps also change this pool, such as a metapool's base pool. */
  readonly basis?: PoolAddress
  /**
   * Returns what the contract pays, in base units, including its fees and rounding. Returns null if the contract
   * reverts, or if the state does not determine the amount. A larger input never returns less.
   */
  amountOut(from: number, to: number, amountIn: bigint): bigint | null
  /**
   * Returns a curve that `amountOut` never exceeds and that starts at nearly the marginal rate. The rate is 0 if these
   * coins are not exchanged.
   */
  bound(from: number, to: number): OutputBound
}

export interface FormulaKind {
  /** Stored with each state, so it must never change. */
  name: string
  /** Reads `values` in the kind's own layout; returns null if no pool can have them. */
  of(values: readonly bigint[]): PoolFormula | null
  /** Units of work for one exact amount (see QuoteWork). */
  work: number
  /** Gas units in a router's transaction, rounded from published figures. */
  gas: number
}

/** Reads coins of `length` values each; null if there are fewer than two or more than `max`, or if one is impossible. */
export function coinsIn<Coin>(
  values: readonly bigint[],
  { length, max }: { length: number; max: number },
  read: (values: readonly bigint[]) => Coin | null,
): Coin[] | null {
  const count = values.length / length
  if (!Number.isInteger(count) || count < 2 || count > max) return null
  const coins: Coin[] = []
  for (let start = 0; start < values.length; start += length) {
    const coin = read(values.slice(start, start + length))
    if (coin === null) return null
    coins.push(coin)
  }
  return coins
}
