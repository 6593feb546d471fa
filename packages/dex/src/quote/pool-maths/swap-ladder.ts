import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from '../../maths/tick-math.ts'
import { type ConcentratedState, FEE_UNITS } from '../../pool-state.ts'
import { QuoteWork, WORK } from '../quote-work.ts'
import { getAmount0Delta, getAmount1Delta, getNextSqrtPriceFromInput, minInputWithin } from './sqrt-price-math.ts'
import type { TickList } from './tick-list.ts'

/** log2 of the compressed ticks in a word of the pool's tick bitmap. */
const WORD_BITS = 8

interface Rung {
  input: bigint
  output: bigint
  sqrtPriceX96: bigint
  liquidity: bigint
}

/**
 * Computes swaps of exact input through a concentrated-liquidity pool, in one direction, exact to the wei. Valid until
 * the pool's state, ticks or fee change.
 *
 * Uniswap V3 and Algebra V1 go from one step end to the next: the next initialised tick within one word of the tick
 * bitmap, or else the end of that word. Later versions of Algebra go from tick to tick. Step ends and the amounts up to
 * them depend only on the state, so they are computed once, and a later swap computes only its last step.
 *
 * A step (`SwapMath.computeSwapStep`) reaches its target if the input minus its fee, floor(input * (1e6 - fee) / 1e6),
 * covers `amountIn`: if input >= ceil(amountIn * 1e6 / (1e6 - fee)), which is the input that it then takes.
 */
export class SwapLadder {
  readonly #ticks: TickList
  readonly #fee: bigint
  readonly #zeroForOne: boolean
  readonly #rungs: Rung[]
  /** The contract's `slot0.tick` at the last rung. */
  #tick: number
  #nextIndex: number
  #ended = false

  /**
   * @param ticks all ticks of the pool, read on demand
   * @param fee in millionths
   */
  constructor(state: ConcentratedState, ticks: TickList, fee: bigint, zeroForOne: boolean) {
    this.#ticks = ticks
    this.#fee = fee
    this.#zeroForOne = zeroForOne
    this.#tick = state.tick
    const above = ticks.firstAbove(state.tick)
    this.#nextIndex = zeroForOne ? above - 1 : above
    this.#rungs = [{ input: 0n, output: 0n, sqrtPriceX96: state.sqrtPriceX96, liquidity: state.liquidity }]
  }

  get length(): number {
    return this.#rungs.length
  }

  /**
   * Returns the output, or null if the pool cannot accept the amount.
   *
   * @throws QuoteOverBudget; the rungs computed until then are kept
   */
  quote(amountIn: bigint, work = new QuoteWork()): bigint | null {
    if (amountIn <= 0n) return null
    const rung = this.#rungBelow(amountIn, work)
    if (rung === null) return null
    const rest = amountIn - rung.input
    if (rest === 0n) return rung.output
    const lessFee = (rest * (FEE_UNITS - this.#fee)) / FEE_UNITS
    const end = getNextSqrtPriceFromInput(rung.sqrtPriceX96, rung.liquidity, lessFee, this.#zeroForOne)
    return rung.output + this.#outputTo(end, rung)
  }

  /**
   * Returns the input, including the fee, or null if the pool cannot pay.
   *
   * @throws QuoteOverBudget; the rungs computed until then are kept
   */
  minInput(amountOut: bigint, work = new QuoteWork()): bigint | null {
    if (amountOut <= 0n) return null
    const rungs = this.#rungs
    let last = rungs[rungs.length - 1] as Rung
    while (last.output < amountOut && !this.#ended) {
      work.spend(WORK.rung)
      last = this.#climb(last)
    }
    if (last.output < amountOut) return null
    const index = lowest(rungs.length - 1, (index) => (rungs[index] as Rung).output >= amountOut)
    const from = rungs[index - 1] as Rung
    const to = rungs[index] as Rung
    const rest = amountOut - from.output
    const lessFee = minInputWithin(from.sqrtPriceX96, from.liquidity, rest, this.#zeroForOne)
    if (lessFee === null) return to.input
    const input = from.input + this.#withFee(lessFee)
    return input < to.input ? input : to.input
  }

  /** Returns whether an amount ends within the existing rungs, or would after adding at most `rungs` more. */
  isNear(amount: number, side: 'input' | 'output', rungs: number, work: QuoteWork): boolean {
    let last = this.#rungs[this.#rungs.length - 1] as Rung
    for (let added = 0; added < rungs && !(Number(last[side]) > amount) && !this.#ended; added++) {
      work.spend(WORK.rung)
      last = this.#climb(last)
    }
    return Number(last[side]) > amount || this.#ended
  }

  /** Returns the largest output, or null as long as no swap has reached the end. */
  limit(): bigint | null {
    return this.#ended ? (this.#rungs[this.#rungs.length - 1] as Rung).output : null
  }

  #rungBelow(amountIn: bigint, work: QuoteWork): Rung | null {
    const rungs = this.#rungs
    let last = rungs[rungs.length - 1] as Rung
    while (last.input <= amountIn && !this.#ended) {
      work.spend(WORK.rung)
      last = this.#climb(last)
    }
    if (last.input <= amountIn) return last.input === amountIn ? last : null
    const above = lowest(rungs.length - 1, (index) => (rungs[index] as Rung).input > amountIn)
    return rungs[above - 1] as Rung
  }

  #climb(from: Rung): Rung {
    const nextTick = this.#ticks.tickAt(this.#nextIndex)
    if (nextTick === undefined || from.liquidity < 0n) {
      this.#ended = true
      return from
    }
    const end = this.#stepEnd(nextTick, from.liquidity)
    const price = this.#ticks.ratioOf(end)
    const target = this.#limited(price)
    const rung = {
      input: from.input + this.#inputTo(target, from),
      output: from.output + this.#outputTo(target, from),
      sqrtPriceX96: target,
      liquidity: from.liquidity,
    }
    if (target !== price) {
      this.#ended = true
    } else if (end === nextTick) {
      const net = this.#ticks.netAt(this.#nextIndex)
      rung.liquidity += this.#zeroForOne ? -net : net
      this.#nextIndex += this.#zeroForOne ? -1 : 1
    }
    this.#tick = this.#zeroForOne ? end - 1 : end
    this.#rungs.push(rung)
    return rung
  }

  /**
   * Matches `TickBitmap.nextInitializedTickWithinOneWord`. Without liquidity a step moves nothing, so words are
   * skipped. Pools without a fixed spacing (Algebra's list of ticks) do not stop at the ends of words.
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

  /** Applies the price limits that routers and quoters use by default. */
  #limited(price: bigint): bigint {
    if (this.#zeroForOne) return price > MIN_SQRT_RATIO ? price : MIN_SQRT_RATIO + 1n
    return price < MAX_SQRT_RATIO ? price : MAX_SQRT_RATIO - 1n
  }

  /** Returns the input from a rung to a price, including the fee, rounded up. */
  #inputTo(target: bigint, { sqrtPriceX96, liquidity }: Rung): bigint {
    const amountIn = this.#zeroForOne
      ? getAmount0Delta(target, sqrtPriceX96, liquidity, true)
      : getAmount1Delta(sqrtPriceX96, target, liquidity, true)
    return this.#withFee(amountIn)
  }

  #withFee(lessFee: bigint): bigint {
    const kept = FEE_UNITS - this.#fee
    return (lessFee * FEE_UNITS + kept - 1n) / kept
  }

  /** Returns the output from a rung to a price, rounded down. */
  #outputTo(end: bigint, { sqrtPriceX96, liquidity }: Rung): bigint {
    return this.#zeroForOne
      ? getAmount1Delta(end, sqrtPriceX96, liquidity, false)
      : getAmount0Delta(sqrtPriceX96, end, liquidity, false)
  }
}

/** Returns the lowest index from 1 to `last` for which `after` is true. It must be true for all higher indexes too. */
function lowest(last: number, after: (index: number) => boolean): number {
  let low = 0
  let high = last
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (after(middle)) high = middle
    else low = middle
  }
  return high
}

/** Limit on recently used rungs of about 200 bytes each. At most twice as many are kept. */
const MAX_RUNGS = 60_000

/** Keeps swap ladders between quotes. Drops a ladder that was not used while others grew by 60,000 rungs. */
export class LadderCache {
  readonly #maxRungs: number
  #recent = new Map<object, SwapLadder>()
  #older = new Map<object, SwapLadder>()
  #rungs = 0

  constructor(maxRungs = MAX_RUNGS) {
    this.#maxRungs = maxRungs
  }

  get rungs(): number {
    const all = [...this.#recent.values(), ...this.#older.values()]
    return all.reduce((sum, ladder) => sum + ladder.length, 0)
  }

  ladder(side: object, make: () => SwapLadder): SwapLadder {
    const recent = this.#recent.get(side)
    if (recent !== undefined) return recent
    const ladder = this.#older.get(side) ?? make()
    this.#older.delete(side)
    this.#recent.set(side, ladder)
    this.grew(ladder.length)
    return ladder
  }

  /** Must be called when a kept ladder gets more rungs. */
  grew(rungs: number): void {
    this.#rungs += rungs
    if (this.#rungs <= this.#maxRungs) return
    this.#older = this.#recent
    this.#recent = new Map()
    this.#rungs = 0
  }

  forget(side: object): void {
    this.#recent.delete(side)
    this.#older.delete(side)
  }
}
