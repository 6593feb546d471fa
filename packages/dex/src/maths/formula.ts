import type { PoolAddress } from '../pool.ts'
import type { OutputBound } from './output-bound.ts'

/** The exact maths of one pool in one state. Coins are numbered as in `Pool.coins`, or token0 and token1. */
export interface PoolFormula {
  /** What the pool can pay of each coin at most, in base units. */
  readonly balances: readonly bigint[]
  /** The pool whose swaps change this pool's amounts, too: the base pool of a metapool. */
  readonly basis?: PoolAddress
  /**
   * Returns the base units of coin `to` that the contract pays for exactly `amountIn` base units of coin `from`: fees
   * included, rounded as in the contract. Null if the contract reverts, or if the state does not determine the amount.
   * A greater input does not return less.
   */
  amountOut(from: number, to: number, amountIn: bigint): bigint | null
  /**
   * Returns a curve that `amountOut` never exceeds, with almost its marginal rate. Rate 0: the pool does not exchange
   * these coins.
   */
  bound(from: number, to: number): OutputBound
}

/** One kind of exact pool maths. */
export interface FormulaKind {
  /** Stored with each state that it is the maths of: never changes. */
  name: string
  /** Returns the maths of a state, by the kind's own layout of `values`; null if no pool can have these values. */
  of(values: readonly bigint[]): PoolFormula | null
  /** The cost of one exact amount, in units of work (see QuoteWork). */
  work: number
  /** What a swap adds to a router's transaction, in units of gas: rounded from public figures of routers. */
  gas: number
}
