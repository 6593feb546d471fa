import { present } from '../../present.ts'
import { NO_OUTPUT, type OutputBound, type PoolFormula } from '../formula.ts'
import { type BinInSwap, BinSteps, FEE_UNIT, PRICE_BITS } from './bin-steps.ts'

export interface Bin {
  id: number
  reserve0: bigint
  reserve1: bigint
}

/** The parts of the maths that differ between protocols. Fees are fractions of 10^18. */
export interface BinRules {
  priceOf(id: number): bigint | null
  /** Returns a bin's fee by the token paid in, or null if the contract reverts. */
  feeOf(id: number, isToken0Paid: boolean): bigint | null
  /** Returns the part of a fee that leaves the pool before it checks its reserves. */
  withheldOf(fee: bigint, isToken0Paid: boolean): bigint
  /** Limit on a bin's value after a swap, in token1 with 128 fractional bits; null if it is not checked. */
  maxLiquidity: bigint | null
  maxIn: { token0: bigint; token1: bigint }
  maxOut: bigint
}

/**
 * The maths of a pool of bins with a price each. A swap moves from the active bin to the next one that holds something.
 * Only bins near the active one are known.
 */
export class BinFormula implements PoolFormula {
  readonly balances: readonly [bigint, bigint]
  readonly #rules: BinRules
  /** First the bins that pay token1, from the active bin down; then those that pay token0, from the active bin up. */
  readonly #bins: readonly [readonly Bin[], readonly Bin[]]
  readonly #steps: [BinSteps | null, BinSteps | null] = [null, null]
  readonly #bounds: [OutputBound | null, OutputBound | null] = [null, null]

  /** @param bins in ascending order */
  constructor(activeId: number, bins: readonly Bin[], rules: BinRules) {
    this.#rules = rules
    const paying1 = bins.filter(({ id, reserve1 }) => id <= activeId && reserve1 > 0n).reverse()
    const paying0 = bins.filter(({ id, reserve0 }) => id >= activeId && reserve0 > 0n)
    this.#bins = [paying1, paying0]
    this.balances = [
      paying0.reduce((sum, { reserve0 }) => sum + reserve0, 0n),
      paying1.reduce((sum, { reserve1 }) => sum + reserve1, 0n),
    ]
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    if (!isDirection(from, to) || amountIn <= 0n) return null
    const { maxIn, maxOut } = this.#rules
    if (amountIn > (from === 0 ? maxIn.token0 : maxIn.token1)) return null
    const output = this.#stepsOf(from).amountOut(amountIn)
    return output === null || output === 0n || output > maxOut ? null : output
  }

  /** Returns the best rate of all bins; rounding and fees only make it worse. */
  bound(from: number, to: number): OutputBound {
    if (!isDirection(from, to)) return NO_OUTPUT
    this.#bounds[from] ??= { rate: Math.max(0, ...this.#bins[from].map((bin) => this.#rateOf(bin, from))), depth: 0 }
    return this.#bounds[from]
  }

  capacity(from: 0 | 1): bigint {
    return this.#stepsOf(from).capacity()
  }

  #rateOf({ id }: Bin, from: 0 | 1): number {
    const price = this.#rules.priceOf(id)
    const fee = this.#rules.feeOf(id, from === 0)
    if (price === null || fee === null) return 0
    const atPrice = Number(price) / 2 ** Number(PRICE_BITS)
    return (from === 0 ? atPrice : 1 / atPrice) * (1 - Number(fee) / Number(FEE_UNIT))
  }

  #stepsOf(from: 0 | 1): BinSteps {
    this.#steps[from] ??= new BinSteps(this.#bins[from].map((bin) => () => this.#inSwap(bin, from === 0)))
    return this.#steps[from]
  }

  #inSwap(bin: Bin, isToken0Paid: boolean): BinInSwap | null {
    const { priceOf, feeOf, withheldOf, maxLiquidity } = this.#rules
    const price = priceOf(bin.id)
    const fee = feeOf(bin.id, isToken0Paid)
    if (price === null || fee === null) return null
    return {
      price,
      isToken0Paid,
      fee,
      held: isToken0Paid ? bin.reserve0 : bin.reserve1,
      reserve: isToken0Paid ? bin.reserve1 : bin.reserve0,
      withheldOf: (part) => withheldOf(part, isToken0Paid),
      maxLiquidity,
    }
  }
}

function isDirection(from: number, to: number): from is 0 | 1 {
  return (from === 0 && to === 1) || (from === 1 && to === 0)
}

const VALUES_PER_BIN = 3
/** More than any reading finds. It bounds the work on hostile states. */
const MAX_BINS = 512
const ID_BITS = 24n
const RESERVE_BITS = 128n

export function binValues(bins: readonly Bin[]): bigint[] {
  return bins.flatMap(({ id, reserve0, reserve1 }) => [BigInt(id), reserve0, reserve1])
}

/** Returns null if no pool can have these values; bins must ascend. */
export function binsOf(values: readonly bigint[]): Bin[] | null {
  if (values.length % VALUES_PER_BIN !== 0 || values.length > VALUES_PER_BIN * MAX_BINS) return null
  const bins: Bin[] = []
  let last = -1n
  let all0 = 0n
  let all1 = 0n
  for (let index = 0; index < values.length; index += VALUES_PER_BIN) {
    const id = present(values[index])
    const reserve0 = present(values[index + 1])
    const reserve1 = present(values[index + 2])
    if (id <= last || id >> ID_BITS !== 0n || reserve0 < 0n || reserve1 < 0n) return null
    last = id
    all0 += reserve0
    all1 += reserve1
    bins.push({ id: Number(id), reserve0, reserve1 })
  }
  return all0 >> RESERVE_BITS === 0n && all1 >> RESERVE_BITS === 0n ? bins : null
}
