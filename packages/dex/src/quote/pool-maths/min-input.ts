import { larger } from '../../maths/integers.ts'
import { FEE_UNITS } from '../../pool-state.ts'

/**
 * Computes `UniswapV2Library.getAmountIn` without the unit that it may add needlessly. Returns null if the pair cannot
 * pay.
 */
export function pairMinInput(amountOut: bigint, reserveIn: bigint, reserveOut: bigint, fee: bigint): bigint | null {
  if (amountOut <= 0n || reserveIn <= 0n || amountOut >= reserveOut) return null
  const kept = (FEE_UNITS - fee) * (reserveOut - amountOut)
  return (amountOut * reserveIn * FEE_UNITS + kept - 1n) / kept
}

interface Point {
  input: bigint
  output: bigint
}

/** While every input is refused, each try is this many times larger than the last. */
const GROWTH = 16n
const MAX_REFUSED = 8
/** Because of rounding, some contracts refuse single amounts between ones that they accept. */
const MAX_HOLES = 2
/** If the outputs are this close together, bisection is faster than secants. */
const STAIRS = 2n
/** A rough solution pays at most 1/2^30 too much. */
const ROUGH_BITS = 30n

/**
 * Returns an input that pays at least `amountOut` although one base unit less does not, or null if there is none. For a
 * monotone quote this is the least input. Secants come close; where outputs are coarse, bisection finds the exact unit.
 *
 * @param guess any positive amount; a close one saves steps
 * @param isRough accepts an input that pays a billionth too much
 */
export function solveMinInput(
  quote: (amountIn: bigint) => bigint | null,
  amountOut: bigint,
  guess: bigint,
  isRough = false,
): bigint | null {
  const bracket = new Bracket(amountOut, isRough)
  let input = guess > 0n ? guess : 1n
  while (!bracket.isDone) {
    let output = quote(input)
    for (let hole = 0; output === null && bracket.mayBeHole && hole < MAX_HOLES; hole++) output = quote(++input)
    bracket.add(input, output)
    input = bracket.next()
  }
  return bracket.solution
}

class Bracket {
  readonly #amountOut: bigint
  readonly #isRough: boolean
  #low: Point = { input: 0n, output: 0n }
  #high: Point | null = null
  #wall: bigint | null = null
  #last: Point = this.#low
  #beforeLast: Point = this.#low
  #accepted = 0
  #refused = 0
  #steps = 0
  #gapBefore: bigint | null = null
  isDone = false
  solution: bigint | null = null

  constructor(amountOut: bigint, isRough: boolean) {
    this.#amountOut = amountOut
    this.#isRough = isRough
  }

  get mayBeHole(): boolean {
    return this.#accepted > 0 && this.#high === null && this.#wall === null
  }

  add(input: bigint, output: bigint | null): void {
    this.#steps++
    if (output === null) {
      this.#refuse(input)
    } else {
      this.#accepted++
      const point = { input, output }
      if (output >= this.#amountOut) this.#high = point
      else this.#low = point
      this.#beforeLast = this.#last
      this.#last = point
    }
    this.#check()
  }

  #refuse(input: bigint): void {
    // Until an input is accepted, the amount may be too small for the contract.
    if (this.#accepted === 0 && ++this.#refused > MAX_REFUSED) this.isDone = true
    if (this.#accepted === 0 || this.#high !== null) this.#low = { input, output: this.#low.output }
    else this.#wall = input
  }

  #check(): void {
    const high = this.#high
    if (high !== null) {
      const isNear = this.#isRough && high.output - this.#amountOut <= this.#amountOut >> ROUGH_BITS
      if (isNear || high.input - this.#low.input <= 1n) this.#end(high.input)
    } else if (this.#wall !== null) {
      const rest = this.#wall - this.#low.input
      // Curves are concave: the rise is at most twice what the secant predicts.
      const { input, output } = this.#beforeLast
      const maxRise = ((this.#low.output - output) * rest * 2n) / larger(this.#low.input - input, 1n)
      if (rest <= 1n || this.#low.output + maxRise < this.#amountOut) this.#end(null)
    }
  }

  #end(solution: bigint | null): void {
    this.isDone = true
    this.solution = solution
  }

  next(): bigint {
    const { input, output } = this.#low
    if (this.#high === null && this.#wall !== null) return (input + this.#wall) >> 1n
    if (this.#high === null) return this.#accepted === 0 ? input * GROWTH : this.#beyond()
    const gap = this.#high.input - input
    const isSlow = this.#steps % 3 === 0 && this.#gapBefore !== null && gap * 8n > this.#gapBefore
    if (this.#steps % 3 === 0) this.#gapBefore = gap
    if (isSlow || this.#high.output - output <= STAIRS) return input + (gap >> 1n)
    const guess = this.#secant()
    if (guess === null) return input + (gap >> 1n)
    return guess <= input ? input + 1n : guess >= this.#high.input ? this.#high.input - 1n : guess
  }

  #beyond(): bigint {
    const { input } = this.#low
    const guess = larger(this.#secant() ?? input, input)
    return guess + ((guess - input) >> 3n) + (input >> BigInt(Math.max(20 - 2 * this.#steps, 0))) + 1n
  }

  #secant(): bigint | null {
    const isRising = this.#last.input > this.#beforeLast.input
    const a = isRising ? this.#beforeLast : this.#last
    const b = isRising ? this.#last : this.#beforeLast
    const rise = b.output - a.output
    if (rise <= 0n) return null
    return a.input + ((this.#amountOut - a.output) * (b.input - a.input) + rise - 1n) / rise
  }
}
