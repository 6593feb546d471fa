import { MAX_UINT256 } from '../../abi/words.ts'
import { type FormulaKind, NO_OUTPUT, type OutputBound, type PoolFormula } from '../../maths/formula.ts'

/** The contract computes with nine decimals. */
const INNER_DECIMALS = 9n
const MAX_DECIMALS = 18n
const MIN_DECIMALS = 6n
const PRICE_UNIT = 10n ** 27n
const FEE_UNITS = 1_000_000n
const CUT_UNITS = 100n
const MIN_AMOUNT = 10_000n
/** After a swap, the bought side must be worth at least this part (1/10,000) of the sold side. */
const MIN_PART = 10_000n
const X60 = 2n ** 60n - 1n

/** `_dexVariables`, and the values that `_getPricesAndReserves` derives from it at a given time. */
export interface FluidLiteState {
  variables: bigint
  centerPrice: bigint
  imaginary0: bigint
  imaginary1: bigint
}

/** Fluid DEX Lite (`_swapIn`): a constant product of imaginary reserves, limited by the real ones. */
export const fluidLiteFormula: FormulaKind = {
  name: 'fluid-lite',
  of(values) {
    const [variables = 0n, centerPrice = 0n, imaginary0 = 0n, imaginary1 = 0n] = values
    if (values.length !== 4 || values.some((value) => value < 0n || value > MAX_UINT256)) return null
    if (centerPrice === 0n || imaginary0 >> 120n !== 0n || imaginary1 >> 120n !== 0n || centerPrice >> 150n !== 0n) {
      return null
    }
    const decimals0 = bits(variables, 126n, 5)
    const decimals1 = bits(variables, 131n, 5)
    if ([decimals0, decimals1].some((digits) => digits < MIN_DECIMALS || digits > MAX_DECIMALS)) return null
    return new FluidLitePool({ variables, centerPrice, imaginary0, imaginary1 })
  },
  work: 20,
  gas: 90_000,
}

export function fluidLiteValues({ variables, centerPrice, imaginary0, imaginary1 }: FluidLiteState): bigint[] {
  return [variables, centerPrice, imaginary0, imaginary1]
}

export function movesWithTime(variables: bigint): boolean {
  const isShifting = [22n, 82n].some((bit) => bits(variables, bit, 1) === 1n)
  return isShifting || bits(variables, 20n, 2) > 1n || bits(variables, 63n, 19) !== 0n
}

interface Side {
  decimals: bigint
  supply: bigint
  imaginary: bigint
}

class FluidLitePool implements PoolFormula {
  readonly balances: readonly bigint[]
  readonly #sides: readonly [Side, Side]
  readonly #centerPrice: bigint
  readonly #fee: bigint
  readonly #cut: bigint

  constructor({ variables, centerPrice, imaginary0, imaginary1 }: FluidLiteState) {
    this.#centerPrice = centerPrice
    this.#fee = bits(variables, 0n, 13)
    this.#cut = bits(variables, 13n, 7)
    this.#sides = [
      { decimals: bits(variables, 126n, 5), supply: bits(variables, 136n, 60), imaginary: imaginary0 },
      { decimals: bits(variables, 131n, 5), supply: bits(variables, 196n, 60), imaginary: imaginary1 },
    ]
    this.balances = this.#sides.map(({ supply, decimals }) => fromInner(supply, decimals))
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    const sold = this.#sides[from]
    const bought = this.#sides[to]
    if (from === to || sold === undefined || bought === undefined || amountIn <= 0n) return null
    const amount = toInner(amountIn, sold.decimals)
    if (amount < MIN_AMOUNT || amount > X60 || amount > sold.imaginary / 2n) return null
    const fee = (amount * this.#fee) / FEE_UNITS
    const kept = amount - fee
    const paid = (kept * bought.imaginary) / (sold.imaginary + kept)
    const soldSupply = sold.supply + amount - (fee * this.#cut) / CUT_UNITS
    const boughtSupply = bought.supply - paid
    if (boughtSupply < 0n || soldSupply > X60) return null
    const worth =
      from === 0
        ? (soldSupply * this.#centerPrice) / (PRICE_UNIT * MIN_PART)
        : (soldSupply * PRICE_UNIT) / (this.#centerPrice * MIN_PART)
    return boughtSupply < worth ? null : fromInner(paid, bought.decimals)
  }

  /** Allows for the fee's rounding, which is below a ten-thousandth of the smallest amount. */
  bound(from: number, to: number): OutputBound {
    const sold = this.#sides[from]
    const bought = this.#sides[to]
    if (from === to || !sold?.imaginary || !bought?.supply) return NO_OUTPUT
    const kept = (1 - Number(this.#fee) / Number(FEE_UNITS)) * (1 + 1.1e-4)
    const [unitIn, unitOut] = [sold, bought].map(({ decimals }) => 10 ** Number(decimals - INNER_DECIMALS))
    const reserveIn = Number(sold.imaginary) * (unitIn ?? 1)
    const rate = (Number(bought.imaginary) * (unitOut ?? 1)) / reserveIn
    return { rate: rate * kept, depth: kept / (1 + 1.1e-4) / reserveIn }
  }
}

function toInner(amount: bigint, decimals: bigint): bigint {
  const digits = decimals - INNER_DECIMALS
  return digits > 0n ? amount / 10n ** digits : amount * 10n ** -digits
}

function fromInner(amount: bigint, decimals: bigint): bigint {
  const digits = decimals - INNER_DECIMALS
  return digits > 0n ? amount * 10n ** digits : amount / 10n ** -digits
}

function bits(word: bigint, start: bigint, count: number): bigint {
  return BigInt.asUintN(count, word >> start)
}
