import type { Address } from '../../chain/hex.ts'
import type { QuotablePool } from '../../pool.ts'
import { FEE_UNITS } from '../../pool-state.ts'
import type { OutputBound } from './output-bound.ts'
import { pairAmountOut } from './pair-amount-out.ts'
import { boundOf } from './pool-bound.ts'
import { feeOf, type PoolInState } from './pool-in-state.ts'
import type { Rate } from './rate.ts'
import { SwapLadder } from './swap-ladder.ts'

/** One direction of a pool. It reads the pool's state where it lies and must be told of every change. */
export class PoolSide {
  readonly #current: PoolInState
  readonly #zeroForOne: boolean
  /** Millionths. */
  #fee: bigint
  #ladder: SwapLadder | null = null

  constructor(current: PoolInState, zeroForOne: boolean) {
    this.#current = current
    this.#zeroForOne = zeroForOne
    this.#fee = BigInt(feeOf(current, zeroForOne))
  }

  get pool(): QuotablePool {
    return this.#current.pool
  }

  get tokenIn(): Address {
    return this.#zeroForOne ? this.#current.pool.token0 : this.#current.pool.token1
  }

  get tokenOut(): Address {
    return this.#zeroForOne ? this.#current.pool.token1 : this.#current.pool.token0
  }

  /** To be called after every change of the pool's state, ticks or fee. */
  changed(): void {
    this.#fee = BigInt(feeOf(this.#current, this.#zeroForOne))
    this.#ladder = null
  }

  /** Exact output for `amountIn`, in base units, rounded down as the contract does; null when the pool cannot take it. */
  quote(amountIn: bigint): bigint | null {
    const { state, ticks } = this.#current
    if (state === null) return null
    if (state.kind === 'pair') {
      return this.#zeroForOne
        ? pairAmountOut(amountIn, state.reserve0, state.reserve1, this.#fee)
        : pairAmountOut(amountIn, state.reserve1, state.reserve0, this.#fee)
    }
    if (ticks === null) return null
    this.#ladder ??= new SwapLadder(state, ticks, this.#fee, this.#zeroForOne)
    return this.#ladder.quote(amountIn)
  }

  /** The most that `quote` ever gives; null when there is no such limit or no quote has met it yet. */
  limit(): bigint | null {
    return this.#ladder === null ? null : this.#ladder.limit()
  }

  /** Exact marginal rate, fee included; null without liquidity at the current price. */
  rate(): Rate | null {
    const { state } = this.#current
    if (state === null) return null
    const kept = FEE_UNITS - this.#fee
    if (state.kind === 'pair') {
      const reserveIn = this.#zeroForOne ? state.reserve0 : state.reserve1
      const reserveOut = this.#zeroForOne ? state.reserve1 : state.reserve0
      if (reserveIn <= 0n || reserveOut <= 0n) return null
      return { numerator: reserveOut * kept, denominator: reserveIn * FEE_UNITS }
    }
    if (state.liquidity <= 0n || state.sqrtPriceX96 <= 0n) return null
    const price = state.sqrtPriceX96 * state.sqrtPriceX96
    return this.#zeroForOne
      ? { numerator: price * kept, denominator: FEE_UNITS << 192n }
      : { numerator: kept << 192n, denominator: price * FEE_UNITS }
  }

  /** A curve that `quote` never lies above, with (almost) `rate` as its marginal rate. */
  bound(): OutputBound {
    return boundOf(this.#current, this.#zeroForOne)
  }
}

export function comparePoolAddresses(a: PoolSide, b: PoolSide): number {
  return a.pool.address < b.pool.address ? -1 : a.pool.address > b.pool.address ? 1 : 0
}
