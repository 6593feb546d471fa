import { divideUp, larger, smaller } from '../maths/integers.ts'
import type { Rate } from './pool-maths/pool-in-state.ts'

/** Base units. */
export interface Exchange {
  amountIn: bigint
  amountOut: bigint
}

/** The accuracy of the result: an input greater by a thousandth is too much. */
const NEAR = { numerator: 1_001n, denominator: 1_000n }
/** A guess aims this far beyond or below what it expects, so that two of them close the bracket. */
const BEYOND = 1.0004
const BELOW = 0.9996
/** While the amount is unknown, each try is at most this many times larger or smaller than the last. */
const MAX_FACTOR = 64
/** One try in this many bisects the bracket, because guesses may approach from one end only. */
const BISECTION = 4
const MAX_INPUT = 1n << 255n

/** Smaller amounts may show a fall that is only rounding, so larger ones are tried first. */
const FINE = 100_000n

interface Tried {
  amountIn: bigint
  /** Null if the amount is refused. */
  amountOut: bigint | null
}

/** Finds how much can be sold until its average price has fallen so far below a reference price. */
export class DepthSearch {
  readonly #reference: Rate
  readonly #quote: (amountIn: bigint) => bigint | null
  /** In ascending order of input. */
  readonly #tried: Tried[] = []
  readonly #first: bigint

  /**
   * @param reference base units bought per base unit sold
   * @param first about the input to try first
   * @param quote returns null if it refuses an input
   */
  constructor(reference: Rate, first: bigint, quote: (amountIn: bigint) => bigint | null) {
    this.#reference = reference
    const coarse = larger(FINE, divideUp(FINE * reference.denominator, reference.numerator))
    this.#first = larger(first, coarse)
    this.#quote = quote
  }

  /**
   * Returns an exchange whose price is at least `kept` (below 1) of the reference price, although that of some input up
   * to 0.1 % larger, or one base unit larger, is less or refused. With prices that only fall, it is the largest such
   * exchange up to that accuracy. Returns null if there is none. The caller may pause at each yield, after which a quote follows.
   */
  *find(kept: Rate): Generator<undefined, Exchange | null> {
    const isWithin = (tried: Tried): tried is Exchange => this.#isWithin(tried, kept)
    let narrowings = 0
    for (;;) {
      const low = this.#tried.findLast(isWithin) ?? null
      const high = this.#tried.find((tried) => tried.amountIn > (low?.amountIn ?? 0n)) ?? null
      if (high !== null && isClose(low?.amountIn ?? 0n, high.amountIn)) return low
      yield
      const bisects = low !== null && high !== null && ++narrowings % BISECTION === 0
      const amountIn = this.#next(low, high, kept, bisects)
      const tried = { amountIn, amountOut: amountIn > MAX_INPUT ? null : this.#quote(amountIn) }
      this.#tried.splice(high === null ? this.#tried.length : this.#tried.indexOf(high), 0, tried)
    }
  }

  #isWithin({ amountIn, amountOut }: Tried, kept: Rate): boolean {
    if (amountOut === null) return false
    const { numerator, denominator } = this.#reference
    return amountOut * denominator * kept.denominator >= amountIn * numerator * kept.numerator
  }

  #next(low: Tried | null, high: Tried | null, kept: Rate, bisects: boolean): bigint {
    if (low === null && high === null) return this.#first
    // On a constant-product curve, the fall is proportional to the input. Floating point only chooses what to try.
    const target = Number(kept.denominator) / Number(kept.numerator) - 1
    const from = Number(low?.amountIn ?? 0n)
    const to = Number(high?.amountIn ?? 0n)
    let guess = Math.sqrt(from * to)
    if (high === null) {
      // Extends the line through the two largest amounts that fit; zero counts as one.
      const before = this.#tried.at(-2) ?? null
      const rise = this.#fall(low) - this.#fall(before)
      const expected = from + ((from - Number(before?.amountIn ?? 0n)) * (target - this.#fall(low))) / rise
      guess = rise > 0 ? Math.min(expected * BEYOND, from * MAX_FACTOR) : from * MAX_FACTOR
    } else if (low === null) {
      guess = to * clamped((target / this.#fall(high)) * BELOW, 1 / MAX_FACTOR, 1)
    } else if (!bisects && high.amountOut !== null && this.#fall(high) > this.#fall(low)) {
      const fallen = this.#fall(low)
      const expected = from + ((to - from) * (target - fallen)) / (this.#fall(high) - fallen)
      guess = expected * (to > expected * BEYOND * BEYOND ? BEYOND : BELOW)
    }
    const min = (low?.amountIn ?? 0n) + 1n
    const max = high === null ? MAX_INPUT + 1n : high.amountIn - 1n
    return smaller(larger(BigInt(Math.floor(guess)), min), max)
  }

  /** Returns reference price / price - 1; infinity for a refused input, and 0 for none. */
  #fall(tried: Tried | null): number {
    if (tried === null) return 0
    const { numerator, denominator } = this.#reference
    if (tried.amountOut === null || tried.amountOut === 0n) return Number.POSITIVE_INFINITY
    const price = Number(tried.amountOut) / Number(tried.amountIn)
    return Math.max(0, Number(numerator) / Number(denominator) / price - 1)
  }
}

function isClose(low: bigint, high: bigint): boolean {
  return high <= larger(low + 1n, (low * NEAR.numerator) / NEAR.denominator)
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
