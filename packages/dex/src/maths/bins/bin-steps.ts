import { MAX_UINT256 } from '../../abi/words.ts'
import { divideUp } from '../integers.ts'

/** Prices have 128 fractional bits. */
export const PRICE_BITS = 128n
const ONE = 1n << PRICE_BITS
const BASIS_POINTS = 10_000n
/** The id of the bin whose price is 1. */
const MIDDLE_ID = 1 << 23
const EXPONENT_BITS = 20

/**
 * Returns a function for the price of token0 in token1, in base units with 128 fractional bits. It returns null if the
 * contract reverts because the price does not fit. Source: `PriceHelper.getPriceFromId` and `Uint128x128Math.pow`,
 * identical in joe-v2 and infinity-core.
 */
export function binPrices(binStep: bigint): (id: number) => bigint | null {
  const base = ONE + (binStep << PRICE_BITS) / BASIS_POINTS
  // A base above 1 is inverted, so that no square exceeds 128 bits.
  const squares = [MAX_UINT256 / base]
  for (let bit = 1; bit < EXPONENT_BITS; bit++) {
    const last = squares[bit - 1] as bigint
    squares.push((last * last) >> PRICE_BITS)
  }
  return (id) => {
    const exponent = id - MIDDLE_ID
    if (exponent === 0) return ONE
    const size = Math.abs(exponent)
    if (size >= 1 << EXPONENT_BITS) return null
    let result = ONE
    for (let bit = 0; bit < EXPONENT_BITS; bit++) {
      if ((size >> bit) & 1) result = (result * (squares[bit] as bigint)) >> PRICE_BITS
    }
    if (result === 0n) return null
    return exponent > 0 ? MAX_UINT256 / result : result
  }
}

/** Fees are fractions of this. */
export const FEE_UNIT = 10n ** 18n
/** The maximum of uint128, the contracts' type for amounts. */
const MAX_AMOUNT = (1n << 128n) - 1n

export interface BinInSwap {
  /** Price of token0 in token1, with 128 fractional bits. */
  price: bigint
  isToken0Paid: boolean
  /** Charged on the input, as a fraction of FEE_UNIT. */
  fee: bigint
  /** What the bin holds of the token paid in; `reserve` is that of the token paid out. */
  held: bigint
  reserve: bigint
  /** Returns the part of a fee that the bin does not keep. */
  withheldOf(fee: bigint): bigint
  maxLiquidity: bigint | null
}

interface Step {
  bin: BinInSwap
  input: bigint
  output: bigint
  /** The input that empties the bin, including the fee. */
  capacity: bigint
  /** False if the contract reverts when a swap empties the bin. */
  canEmpty: boolean
}

/**
 * Computes swaps of exact input through bins. The input that empties a bin depends only on that bin, so it is computed
 * once. Source: `BinHelper.getAmountsOut` and `BinPool.swap` of infinity-core; `BinHelper.getAmounts` and `LBPair.swap`
 * of joe-v2.
 */
export class BinSteps {
  readonly #bins: readonly (() => BinInSwap | null)[]
  readonly #steps: Step[] = []
  #ended = false

  /** @param bins in the order in which a swap reaches them; one returns null if the contract reverts */
  constructor(bins: readonly (() => BinInSwap | null)[]) {
    this.#bins = bins
  }

  /** Returns null if the contract reverts, or if the swap would continue beyond these bins. */
  amountOut(amountIn: bigint): bigint | null {
    const step = this.#stepOf(amountIn)
    if (step === null) return null
    const rest = amountIn - step.input
    if (rest === step.capacity) return step.canEmpty ? step.output + step.bin.reserve : null
    const output = outputWithin(step.bin, rest)
    return output === null ? null : step.output + output
  }

  capacity(): bigint {
    while (!this.#ended) this.#climb()
    const last = this.#steps.findLast(({ canEmpty }) => canEmpty)
    return last === undefined ? 0n : endOf(last)
  }

  #stepOf(amountIn: bigint): Step | null {
    const steps = this.#steps
    const isReached = () => {
      const last = steps[steps.length - 1]
      return last !== undefined && endOf(last) >= amountIn
    }
    while (!isReached() && !this.#ended) this.#climb()
    if (!isReached()) return null
    let low = 0
    let high = steps.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (endOf(steps[middle] as Step) >= amountIn) high = middle
      else low = middle + 1
    }
    return steps[low] ?? null
  }

  #climb(): void {
    const last = this.#steps[this.#steps.length - 1]
    const bin = last === undefined || last.canEmpty ? (this.#bins[this.#steps.length]?.() ?? null) : null
    const emptied = bin === null ? null : inputToEmpty(bin)
    if (bin === null || emptied === null) {
      this.#ended = true
      return
    }
    const [input, output] = last === undefined ? [0n, 0n] : [endOf(last), last.output + last.bin.reserve]
    const { capacity, fee } = emptied
    this.#steps.push({ bin, input, output, capacity, canEmpty: isAllowed(bin, capacity, fee, bin.reserve) })
  }
}

function endOf({ input, capacity }: Step): bigint {
  return input + capacity
}

function inputToEmpty({ price, fee, reserve, isToken0Paid }: BinInSwap): { capacity: bigint; fee: bigint } | null {
  const withoutFee = isToken0Paid ? divideUp(reserve << PRICE_BITS, price) : divideUp(reserve * price, 1n << PRICE_BITS)
  const feeAmount = divideUp(withoutFee * fee, FEE_UNIT - fee)
  const capacity = withoutFee + feeAmount
  return capacity > MAX_AMOUNT ? null : { capacity, fee: feeAmount }
}

/** Returns the output, rounded down, for an input that does not empty the bin, or null if the contract reverts. */
function outputWithin(bin: BinInSwap, input: bigint): bigint | null {
  const { price, reserve, isToken0Paid } = bin
  const fee = divideUp(input * bin.fee, FEE_UNIT)
  const lessFee = input - fee
  const exchanged = isToken0Paid ? (lessFee * price) >> PRICE_BITS : (lessFee << PRICE_BITS) / price
  if (exchanged > MAX_AMOUNT) return null
  const output = exchanged < reserve ? exchanged : reserve
  return isAllowed(bin, input, fee, output) ? output : null
}

function isAllowed(bin: BinInSwap, input: bigint, fee: bigint, output: bigint): boolean {
  const { price, held, reserve, isToken0Paid, maxLiquidity } = bin
  const grown = held + input - bin.withheldOf(fee)
  if (grown > MAX_AMOUNT) return false
  if (maxLiquidity === null) return true
  const reserve0 = isToken0Paid ? grown : reserve - output
  const reserve1 = isToken0Paid ? reserve - output : grown
  return reserve0 * price + (reserve1 << PRICE_BITS) <= maxLiquidity
}
