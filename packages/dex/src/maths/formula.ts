import type { PoolAddress } from '../pool.ts'
import type { OutputBound } from './output-bound.ts'

/** The exact maths of one pool in one state. Coins are numbered as in `Pool.coins`. */
export interface PoolFormula {
  /** What the pool can pay of each coin at most, in base units. */
  readonly balances: readonly bigint[]
  /** The pool whose swaps change this pool, too: a metapool's base pool. */
  readonly basis?: PoolAddress
  /**
   * Returns what the contract pays, in base units, with its fees and rounding; null if it reverts, or the state does
   * not determine the amount. A greater input does not return less.
   */
  amountOut(from: number, to: number, amountIn: bigint): bigint | null
  /**
   * Returns a curve that `amountOut` never exceeds, with almost its marginal rate. Rate 0: these coins are not
   * exchanged.
   */
  bound(from: number, to: number): OutputBound
}

export interface FormulaKind {
  /** Stored with each state: never changes. */
  name: string
  /** By the kind's own layout of `values`; null if no pool can have them. */
  of(values: readonly bigint[]): PoolFormula | null
  /** Units of work of one exact amount (see QuoteWork). */
  work: number
  /** Units of gas in a router's transaction, rounded from public figures. */
  gas: number
}
