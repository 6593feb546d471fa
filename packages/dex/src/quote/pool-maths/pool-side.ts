import type { Address } from '../../chain.ts'
import { inverseBound, lowerBound, type OutputBound, upperBound } from '../../maths/formula.ts'
import type { QuotablePool } from '../../pool.ts'
import { type ConcentratedState, FEE_UNITS } from '../../pool-state.ts'
import { type QuoteWork, WORK } from '../quote-work.ts'
import { pairMinInput, solveMinInput } from './min-input.ts'
import { OutputSketch } from './output-sketch.ts'
import { balanceOf, boundOf, feeOf, formulaOutput, type PoolInState } from './pool-in-state.ts'
import { type LadderCache, SwapLadder } from './swap-ladder.ts'
import type { TickList } from './tick-list.ts'

/** This many additional rungs cost no more than a closer bound. */
const FEW_RUNGS = 2

/** One direction of a pool. Reads the pool's state in place, so `changed` must be called after every change. */
export class PoolSide {
  readonly current: PoolInState
  readonly zeroForOne: boolean
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly #ladders: LadderCache
  /** In millionths. */
  #fee: bigint
  #bound: OutputBound
  #sketch: OutputSketch | null = null

  constructor(current: PoolInState, zeroForOne: boolean, ladders: LadderCache) {
    const { token0, token1 } = current.pool
    this.current = current
    this.zeroForOne = zeroForOne
    this.tokenIn = zeroForOne ? token0 : token1
    this.tokenOut = zeroForOne ? token1 : token0
    this.#ladders = ladders
    this.#fee = BigInt(feeOf(current, zeroForOne))
    this.#bound = boundOf(current, zeroForOne)
  }

  get pool(): QuotablePool {
    return this.current.pool
  }

  get bound(): OutputBound {
    return this.#bound
  }

  /** Returns whether a swap in one of the pools changes what the other pays. */
  isMovedBy({ current: other }: PoolSide): boolean {
    const { pool, formula } = this.current
    if (formula === null && other.formula === null) return false
    const { address } = pool
    const otherAddress = other.pool.address
    return address === otherAddress || formula?.maths.basis === otherAddress || other.formula?.maths.basis === address
  }

  changed(): void {
    this.#fee = BigInt(feeOf(this.current, this.zeroForOne))
    this.#bound = boundOf(this.current, this.zeroForOne)
    this.forget()
  }

  forget(): void {
    this.#sketch = null
    this.#ladders.forget(this)
  }

  /** Returns the exact output, rounded down as in the contract, or null if the pool cannot accept the input. */
  quote(amountIn: bigint, work: QuoteWork): bigint | null {
    work.spend(WORK.quote)
    const { state, ticks, formula } = this.current
    if (state === null) return null
    if (state.kind === 'formula') {
      if (formula === null) return null
      work.spend(formula.work)
      return formulaOutput(formula, this.zeroForOne, amountIn)
    }
    if (state.kind === 'pair') {
      return this.zeroForOne
        ? pairAmountOut(amountIn, state.reserve0, state.reserve1, this.#fee)
        : pairAmountOut(amountIn, state.reserve1, state.reserve0, this.#fee)
    }
    if (ticks === null) return null
    return this.#climbing(state, ticks, (ladder) => ladder.quote(amountIn, work))
  }

  /**
   * Returns the least input with at least this output, or null if the pool cannot pay it. For formulas, see
   * solveMinInput; `isRough` takes a tenth of the work.
   */
  minInput(amountOut: bigint, work: QuoteWork, isRough = false): bigint | null {
    work.spend(WORK.quote)
    const { state, ticks, formula } = this.current
    if (state === null || amountOut <= 0n) return null
    if (state.kind === 'formula') {
      if (formula === null || amountOut > balanceOf(formula, this.zeroForOne ? 1 : 0)) return null
      const inverse = inverseBound(this.#bound.rate, this.#bound.depth, 1 / Number(amountOut))
      const guess = Math.ceil(1 / inverse)
      if (inverse < 0 || !Number.isFinite(guess)) return null
      return solveMinInput((amountIn) => this.quote(amountIn, work), amountOut, BigInt(guess), isRough)
    }
    if (state.kind === 'pair') {
      return this.zeroForOne
        ? pairMinInput(amountOut, state.reserve0, state.reserve1, this.#fee)
        : pairMinInput(amountOut, state.reserve1, state.reserve0, this.#fee)
    }
    if (ticks === null) return null
    return this.#climbing(state, ticks, (ladder) => ladder.minInput(amountOut, work))
  }

  /** Returns the fee on an input, rounded up, or null if the pool's formula does not show it. */
  feeOn(amountIn: bigint): bigint | null {
    if (this.current.formula !== null) return null
    return amountIn - (amountIn * (FEE_UNITS - this.#fee)) / FEE_UNITS
  }

  /** Returns whether computing an exact output (or input, if `side` is `output`) costs no more than a bound. */
  isCheap(amount: number, work: QuoteWork, side: 'input' | 'output' = 'input'): boolean {
    const { state, ticks } = this.current
    if (state?.kind === 'formula') return false
    if (state?.kind !== 'concentrated' || ticks === null) return true
    return this.#climbing(state, ticks, (ladder) => ladder.isNear(amount, side, FEW_RUNGS, work))
  }

  /**
   * Returns an output that no input up to `amount` can exceed. It is a close bound if the exact output would need a
   * long ladder.
   */
  outputBound(amount: number, work: QuoteWork): number {
    const { state, ticks, formula } = this.current
    const curve = upperBound(this.#bound.rate, this.#bound.depth, amount)
    if (formula !== null) {
      return Math.min(curve, upperBound(Number(balanceOf(formula, this.zeroForOne ? 1 : 0)), 0, 1))
    }
    if (state?.kind !== 'concentrated' || ticks === null) return curve
    const [isNear, limit] = this.#climbing(state, ticks, (ladder) => [
      ladder.isNear(amount, 'input', FEW_RUNGS, work),
      ladder.limit(),
    ])
    if (limit !== null) return Math.min(curve, upperBound(Number(limit), 0, 1))
    return isNear ? curve : this.#sketchOf(state, ticks).outputBound(amount, work)
  }

  /** Returns an input below which the output is less than `amountOut`; as close as `outputBound`. */
  inputBound(amountOut: number, work: QuoteWork): number {
    const { state, ticks, formula } = this.current
    const inverse = inverseBound(this.#bound.rate, this.#bound.depth, 1 / amountOut)
    const curve = inverse < 0 ? Number.POSITIVE_INFINITY : 1 / inverse
    const exceeds = (limit: bigint) => lowerBound(amountOut) > Number(limit)
    if (formula !== null) {
      return exceeds(balanceOf(formula, this.zeroForOne ? 1 : 0)) ? Number.POSITIVE_INFINITY : curve
    }
    if (state?.kind !== 'concentrated' || ticks === null) return curve
    const [isNear, limit] = this.#climbing(state, ticks, (ladder) => [
      ladder.isNear(amountOut, 'output', FEW_RUNGS, work),
      ladder.limit(),
    ])
    if (limit !== null && exceeds(limit)) return Number.POSITIVE_INFINITY
    return isNear ? curve : this.#sketchOf(state, ticks).inputBound(amountOut, work)
  }

  #climbing<T>(state: ConcentratedState, ticks: TickList, climb: (ladder: SwapLadder) => T): T {
    const ladder = this.#ladders.ladder(this, () => new SwapLadder(state, ticks, this.#fee, this.zeroForOne))
    const before = ladder.length
    try {
      return climb(ladder)
    } finally {
      if (ladder.length > before) this.#ladders.grew(ladder.length - before)
    }
  }

  #sketchOf(state: ConcentratedState, ticks: TickList): OutputSketch {
    const kept = 1 - Number(this.#fee) / Number(FEE_UNITS)
    this.#sketch ??= new OutputSketch(state, ticks, kept, this.zeroForOne)
    return this.#sketch
  }
}

/**
 * Returns what a pair in the style of Uniswap V2 pays for `amountIn`, in base units, rounded down. This is
 * `UniswapV2Library.getAmountOut` with the fee in millionths: 3000 is Uniswap's 997/1000, and 2500 PancakeSwap's
 * 9975/10000. Returns null if the contract reverts because the input or a reserve is 0.
 */
export function pairAmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint, fee: bigint): bigint | null {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) return null
  const lessFee = amountIn * (FEE_UNITS - fee)
  return (lessFee * reserveOut) / (reserveIn * FEE_UNITS + lessFee)
}
