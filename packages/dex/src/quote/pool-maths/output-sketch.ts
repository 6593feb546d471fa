import { boundOfReserves, inverseBound, lowerBound, upperBound } from '../../maths/formula.ts'
import type { ConcentratedState } from '../../pool-state.ts'
import { type QuoteWork, WORK } from '../quote-work.ts'
import type { TickList } from './tick-list.ts'

const Q96 = 2 ** 96

interface Stretch {
  input: number
  output: number
  rate: number
  depth: number
}

/**
 * A close bound on what a concentrated-liquidity pool pays in one direction, in floating point. Valid until the pool's
 * state, ticks or fee change.
 *
 * The contract rounds in the pool's favour, so no swap pays more than the curve without rounding, which is a single
 * piece between two initialised ticks. Price differences are exact before they become floating point; the error of the
 * rest is far below the slack of `upperBound`.
 */
export class OutputSketch {
  readonly #ticks: TickList
  readonly #kept: number
  readonly #zeroForOne: boolean
  readonly #stretches: Stretch[] = []
  #price: bigint
  #liquidity: bigint
  #nextIndex: number
  #ended = false

  /** @param kept fraction of the input that remains after the fee */
  constructor(state: ConcentratedState, ticks: TickList, kept: number, zeroForOne: boolean) {
    this.#ticks = ticks
    this.#kept = kept
    this.#zeroForOne = zeroForOne
    this.#price = state.sqrtPriceX96
    this.#liquidity = state.liquidity
    const above = ticks.firstAbove(state.tick)
    this.#nextIndex = zeroForOne ? above - 1 : above
    this.#begin(0, 0)
  }

  outputBound(amount: number, work: QuoteWork): number {
    const stretch = this.#stretchAt(amount, 'input', work)
    const { input, output, rate, depth } = stretch
    if (this.#ended && stretch === this.#stretches.at(-1)) return upperBound(output, 0, 1)
    return upperBound(output, 0, 1) + upperBound(rate, depth, amount - input)
  }

  /** Returns an input below which the output is less than `amountOut`, or infinity if no input pays that much. */
  inputBound(amountOut: number, work: QuoteWork): number {
    const output = lowerBound(amountOut)
    const stretch = this.#stretchAt(output, 'output', work)
    if (this.#ended && stretch === this.#stretches.at(-1)) {
      return output > stretch.output ? Number.POSITIVE_INFINITY : lowerBound(stretch.input)
    }
    const rest = output - stretch.output
    return lowerBound(stretch.input) + (rest > 0 ? 1 / inverseBound(stretch.rate, stretch.depth, 1 / rest) : 0)
  }

  #stretchAt(amount: number, side: 'input' | 'output', work: QuoteWork): Stretch {
    const stretches = this.#stretches
    let last = stretches[stretches.length - 1] as Stretch
    while (last[side] <= amount && !this.#ended) {
      work.spend(WORK.tick)
      last = this.#walk(last)
    }
    if (this.#ended && last[side] <= amount) return last
    let low = 0
    let high = stretches.length - 1
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((stretches[middle] as Stretch)[side] <= amount) low = middle
      else high = middle
    }
    return stretches[low] as Stretch
  }

  /** Beyond the last initialised tick, the pool pays nothing. */
  #walk(from: Stretch): Stretch {
    const nextTick = this.#ticks.tickAt(this.#nextIndex)
    if (nextTick === undefined || this.#liquidity < 0n) {
      this.#ended = true
      return from
    }
    const target = this.#ticks.ratioOf(nextTick)
    const difference = this.#zeroForOne ? this.#price - target : target - this.#price
    const distance = difference > 0n ? Number(difference) : 0
    const liquidity = Number(this.#liquidity)
    const amount0 = ((liquidity * distance) / Number(this.#price)) * (Q96 / Number(target))
    const amount1 = (liquidity * distance) / Q96
    const [input, output] = this.#zeroForOne ? [amount0, amount1] : [amount1, amount0]
    const net = this.#ticks.netAt(this.#nextIndex)
    this.#liquidity += this.#zeroForOne ? -net : net
    this.#nextIndex += this.#zeroForOne ? -1 : 1
    this.#price = target
    return this.#begin(from.input + input / this.#kept, from.output + output)
  }

  #begin(input: number, output: number): Stretch {
    const liquidity = Math.max(0, Number(this.#liquidity))
    const price = Number(this.#price) / Q96
    const reserve0 = liquidity / price
    const reserve1 = liquidity * price
    const { rate, depth } = this.#zeroForOne
      ? boundOfReserves(reserve0, reserve1, this.#kept)
      : boundOfReserves(reserve1, reserve0, this.#kept)
    const stretch = { input, output, rate, depth }
    this.#stretches.push(stretch)
    return stretch
  }
}
