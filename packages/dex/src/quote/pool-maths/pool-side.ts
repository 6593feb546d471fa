import type { Address } from '../../chain/hex.ts'
import type { QuotablePool } from '../../pool.ts'
import { type ConcentratedState, FEE_UNITS } from '../../pool-state.ts'
import { type QuoteWork, WORK } from '../quote-work.ts'
import type { LadderCache } from './ladder-cache.ts'
import { boundOf, type OutputBound, upperBound } from './output-bound.ts'
import { OutputSketch } from './output-sketch.ts'
import { feeOf, type PoolInState } from './pool-in-state.ts'
import { SwapLadder } from './swap-ladder.ts'
import type { TickList } from './tick-list.ts'

/** This number of further rungs costs no more than a bound that is closer than the curve's. */
const FEW_RUNGS = 2

/** One direction of a pool. It reads the pool's state in place; call `changed` after every change. */
export class PoolSide {
  readonly #current: PoolInState
  readonly #zeroForOne: boolean
  readonly #ladders: LadderCache
  /** Millionths. */
  #fee: bigint
  #bound: OutputBound
  #sketch: OutputSketch | null = null

  constructor(current: PoolInState, zeroForOne: boolean, ladders: LadderCache) {
    this.#current = current
    this.#zeroForOne = zeroForOne
    this.#ladders = ladders
    this.#fee = BigInt(feeOf(current, zeroForOne))
    this.#bound = boundOf(current, zeroForOne)
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

  /** A curve that `quote` never exceeds, with (almost) `rate` as its marginal rate. */
  get bound(): OutputBound {
    return this.#bound
  }

  /** Call it after every change of the pool's state, ticks or fee. */
  changed(): void {
    this.#fee = BigInt(feeOf(this.#current, this.#zeroForOne))
    this.#bound = boundOf(this.#current, this.#zeroForOne)
    this.forget()
  }

  /** Releases what was computed for quotes. */
  forget(): void {
    this.#sketch = null
    this.#ladders.forget(this)
  }

  /** Returns the exact output in base units, rounded down as in the contract; null if the pool cannot take it. */
  quote(amountIn: bigint, work: QuoteWork): bigint | null {
    work.spend(WORK.quote)
    const { state, ticks } = this.#current
    if (state === null) return null
    if (state.kind === 'pair') {
      return this.#zeroForOne
        ? pairAmountOut(amountIn, state.reserve0, state.reserve1, this.#fee)
        : pairAmountOut(amountIn, state.reserve1, state.reserve0, this.#fee)
    }
    if (ticks === null) return null
    return this.#climbing(state, ticks, (ladder) => ladder.quote(amountIn, work))
  }

  #climbing<T>(state: ConcentratedState, ticks: TickList, climb: (ladder: SwapLadder) => T): T {
    const ladder = this.#ladders.ladder(this, () => new SwapLadder(state, ticks, this.#fee, this.#zeroForOne))
    const before = ladder.length
    try {
      return climb(ladder)
    } finally {
      if (ladder.length > before) this.#ladders.grew(ladder.length - before)
    }
  }

  /** Returns whether the exact output for about `amount` costs no more than a bound of it. */
  isCheap(amount: number, work: QuoteWork): boolean {
    const { state, ticks } = this.#current
    if (state?.kind !== 'concentrated' || ticks === null) return true
    return this.#climbing(state, ticks, (ladder) => ladder.isNear(amount, FEW_RUNGS, work))
  }

  /**
   * Returns an output, in floating point, that `amount` or less cannot exceed. It is close if the exact output needs a
   * long ladder, because only then is it worth its cost.
   */
  mostFor(amount: number, work: QuoteWork): number {
    const { state, ticks } = this.#current
    const curve = upperBound(this.#bound.rate, this.#bound.depth, amount)
    if (state === null || state.kind === 'pair' || ticks === null) return curve
    const [isNear, limit] = this.#climbing(state, ticks, (ladder) => [
      ladder.isNear(amount, FEW_RUNGS, work),
      ladder.limit(),
    ])
    if (limit !== null) return Math.min(curve, upperBound(Number(limit), 0, 1))
    if (isNear) return curve
    const kept = 1 - Number(this.#fee) / Number(FEE_UNITS)
    this.#sketch ??= new OutputSketch(state, ticks, kept, this.#zeroForOne)
    return this.#sketch.bound(amount, work)
  }

  /** Returns the exact marginal rate, fee included; null without liquidity at the current price. */
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
}

export function comparePoolAddresses(a: PoolSide, b: PoolSide): number {
  return a.pool.address < b.pool.address ? -1 : a.pool.address > b.pool.address ? 1 : 0
}

/**
 * Returns what a Uniswap V2 style pair pays for `amountIn`, in base units, rounded down:
 * `UniswapV2Library.getAmountOut` with the fee in millionths. 3000 equals Uniswap's 997/1000, and 2500 PancakeSwap's
 * 9975/10000. Null if the contract reverts: the input or a reserve is 0.
 */
export function pairAmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint, fee: bigint): bigint | null {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) return null
  const lessFee = amountIn * (FEE_UNITS - fee)
  return (lessFee * reserveOut) / (reserveIn * FEE_UNITS + lessFee)
}

/** An exact positive rate in base units: units of the token bought for one unit of the token sold. */
export interface Rate {
  numerator: bigint
  denominator: bigint
}

export function compareRates(a: Rate, b: Rate): number {
  const left = a.numerator * b.denominator
  const right = b.numerator * a.denominator
  return left > right ? 1 : left < right ? -1 : 0
}
