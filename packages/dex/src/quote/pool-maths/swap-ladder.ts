import { type ConcentratedState, FEE_UNITS } from '../../pool-state.ts'
import { QuoteWork, WORK } from '../quote-work.ts'
import { getAmount0Delta, getAmount1Delta, getNextSqrtPriceFromInput } from './sqrt-price-math.ts'
import type { TickList } from './tick-list.ts'
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from './tick-math.ts'

/** Compressed ticks in one word of the pool's tick bitmap. */
const WORD_BITS = 8

/** A place where a swap step ends: the input taken and the output paid up to there, and what lies behind it. */
interface Rung {
  input: bigint
  output: bigint
  sqrtPriceX96: bigint
  liquidity: bigint
}

/**
 * Swaps of exact input through one concentrated-liquidity pool, in one direction from one state, to the wei.
 *
 * Uniswap V3 `swap` goes from one step end to the next: the next initialised tick within one word of the tick bitmap,
 * or else the end of that word (Algebra V1 alike; its later versions go from tick to tick). Ends and amounts up to an end follow from the state alone (see swap-step.ts), so they
 * are computed once, as far as a swap went, and a later swap only looks up its rung and computes its last step.
 * A ladder is valid until the pool's state, ticks or fee change.
 */
export class SwapLadder {
  readonly #ticks: TickList
  readonly #fee: bigint
  readonly #zeroForOne: boolean
  readonly #rungs: Rung[]
  /** The tick that the last rung stands at, as the contract's `slot0.tick` would have it. */
  #tick: number
  /** Next initialised tick in the direction of the swap. */
  #nextIndex: number
  #ended = false

  /** `fee` in millionths. `ticks` must be the pool's complete list; it is read lazily. */
  constructor(state: ConcentratedState, ticks: TickList, fee: bigint, zeroForOne: boolean) {
    this.#ticks = ticks
    this.#fee = fee
    this.#zeroForOne = zeroForOne
    this.#tick = state.tick
    const above = ticks.firstAbove(state.tick)
    this.#nextIndex = zeroForOne ? above - 1 : above
    this.#rungs = [{ input: 0n, output: 0n, sqrtPriceX96: state.sqrtPriceX96, liquidity: state.liquidity }]
  }

  /** Rungs so far. */
  get length(): number {
    return this.#rungs.length
  }

  /**
   * Output for `amountIn` (fee included), in base units; null when the pool cannot take all of it or it is not positive.
   *
   * @throws QuoteOverBudget; the rungs that there are by then stay
   */
  quote(amountIn: bigint, work = new QuoteWork()): bigint | null {
    if (amountIn <= 0n) return null
    const rung = this.#rungBelow(amountIn, work)
    if (rung === null) return null
    const rest = amountIn - rung.input
    if (rest === 0n) return rung.output
    return rung.output + outputWithin(rung.sqrtPriceX96, rung.liquidity, rest, this.#fee, this.#zeroForOne)
  }

  /** Whether an amount ends before the last rung, or would after so few more. */
  isNear(amountIn: number, rungs: number, work: QuoteWork): boolean {
    let last = this.#rungs[this.#rungs.length - 1] as Rung
    for (let added = 0; added < rungs && !(Number(last.input) > amountIn) && !this.#ended; added++) {
      work.spend(WORK.rung)
      last = this.#climb(last)
    }
    return Number(last.input) > amountIn || this.#ended
  }

  /** The most that comes out at all; null while no swap has gone beyond the end. */
  limit(): bigint | null {
    return this.#ended ? (this.#rungs[this.#rungs.length - 1] as Rung).output : null
  }

  /** The last rung that `amountIn` reaches; null when it goes beyond the end. */
  #rungBelow(amountIn: bigint, work: QuoteWork): Rung | null {
    const rungs = this.#rungs
    let last = rungs[rungs.length - 1] as Rung
    while (last.input <= amountIn && !this.#ended) {
      work.spend(WORK.rung)
      last = this.#climb(last)
    }
    if (last.input <= amountIn) return last.input === amountIn ? last : null
    let low = 0
    let high = rungs.length - 1
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((rungs[middle] as Rung).input <= amountIn) low = middle
      else high = middle
    }
    return rungs[low] as Rung
  }

  /** Adds the next rung, or finds that there is none. Past the last initialised tick there is no liquidity. */
  #climb(from: Rung): Rung {
    const nextTick = this.#ticks.tickAt(this.#nextIndex)
    if (nextTick === undefined || from.liquidity < 0n) {
      this.#ended = true
      return from
    }
    const end = this.#stepEnd(nextTick, from.liquidity)
    const crosses = end === nextTick
    const price = crosses ? this.#ticks.ratioAt(this.#nextIndex) : this.#ticks.ratioAtBoundary(end)
    const target = this.#limited(price)
    const rung = {
      input: from.input + inputToTarget(from.sqrtPriceX96, target, from.liquidity, this.#fee, this.#zeroForOne),
      output: from.output + outputBetween(from.sqrtPriceX96, target, from.liquidity, this.#zeroForOne),
      sqrtPriceX96: target,
      liquidity: from.liquidity,
    }
    if (target !== price) this.#ended = true
    else if (crosses) this.#cross(rung)
    this.#tick = this.#zeroForOne ? end - 1 : end
    this.#rungs.push(rung)
    return rung
  }

  #cross(rung: Rung): void {
    const net = this.#ticks.netAt(this.#nextIndex)
    rung.liquidity += this.#zeroForOne ? -net : net
    this.#nextIndex += this.#zeroForOne ? -1 : 1
  }

  /**
   * `TickBitmap.nextInitializedTickWithinOneWord`. Without liquidity a step moves nothing, so words are skipped; pools
   * without a fixed spacing (Algebra's list of ticks) have no ends at words.
   */
  #stepEnd(nextTick: number, liquidity: bigint): number {
    if (liquidity === 0n || this.#ticks.spacing === 0) return nextTick
    const compressed = Math.floor(this.#tick / this.#ticks.spacing)
    if (this.#zeroForOne) {
      const wordStart = (compressed >> WORD_BITS) << WORD_BITS
      return Math.max(nextTick, wordStart * this.#ticks.spacing)
    }
    const wordEnd = (compressed + 1) | ((1 << WORD_BITS) - 1)
    return Math.min(nextTick, wordEnd * this.#ticks.spacing)
  }

  /** The price limits that routers and quoters set where the caller gives none. */
  #limited(price: bigint): bigint {
    if (this.#zeroForOne) return price > MIN_SQRT_RATIO ? price : MIN_SQRT_RATIO + 1n
    return price < MAX_SQRT_RATIO ? price : MAX_SQRT_RATIO - 1n
  }
}

// Uniswap V3 `SwapMath.computeSwapStep` for exact input, in its two outcomes. It reaches the target when the input
// less its fee, floor(input * (1e6 - fee) / 1e6), covers `amountIn`, which is the same as input >= the input that it
// then takes, amountIn + ceil(amountIn * fee / (1e6 - fee)) = ceil(amountIn * 1e6 / (1e6 - fee)). So what a step takes
// to reach its target does not depend on the swap, only on the pool's state.

/** Input, fee included and rounded up, that moves the price from `start` to `target` (Q64.96). */
function inputToTarget(start: bigint, target: bigint, liquidity: bigint, fee: bigint, zeroForOne: boolean): bigint {
  const amountIn = zeroForOne
    ? getAmount0Delta(target, start, liquidity, true)
    : getAmount1Delta(start, target, liquidity, true)
  const kept = FEE_UNITS - fee
  return (amountIn * FEE_UNITS + kept - 1n) / kept
}

/** Output, rounded down, of moving the price from `start` to `end` (Q64.96). */
function outputBetween(start: bigint, end: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? getAmount1Delta(end, start, liquidity, false) : getAmount0Delta(start, end, liquidity, false)
}

/** Output, rounded down, of a step whose `input` (fee included) ends before the target. */
function outputWithin(start: bigint, liquidity: bigint, input: bigint, fee: bigint, zeroForOne: boolean): bigint {
  const lessFee = (input * (FEE_UNITS - fee)) / FEE_UNITS
  const end = getNextSqrtPriceFromInput(start, liquidity, lessFee, zeroForOne)
  return outputBetween(start, end, liquidity, zeroForOne)
}
