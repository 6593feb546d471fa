import { MAX_UINT256 } from '../../abi/words.ts'
import { type FormulaKind, NO_OUTPUT, type OutputBound, type PoolFormula } from '../../maths/formula.ts'
import { smaller, squareRoot } from '../../maths/integers.ts'

/** One token's amounts with twelve decimals, and the conversion to them. */
export interface FluidCoin {
  numerator: bigint
  denominator: bigint
  collateral: bigint
  collateralImaginary: bigint
  debt: bigint
  debtImaginary: bigint
  /** Base units that the Liquidity layer can pay from collateral; `borrowable` is the same for debt. */
  withdrawable: bigint
  borrowable: bigint
}

interface FluidState {
  variables: bigint
  variables2: bigint
  centerPrice: bigint
  coins: readonly [FluidCoin, FluidCoin]
}

const COIN_VALUES = 8
/** Far above any reserve; the product of two reserves and 10^18 fits a word. */
const MAX_RESERVE = 2n ** 98n

export function fluidValues({ variables, variables2, centerPrice, coins }: FluidState): bigint[] {
  return [variables, variables2, centerPrice, ...coins.flatMap(valuesOfCoin)]
}

function valuesOfCoin(coin: FluidCoin): bigint[] {
  const { numerator, denominator, collateral, collateralImaginary, debt, debtImaginary } = coin
  const { withdrawable, borrowable } = coin
  return [numerator, denominator, collateral, collateralImaginary, debt, debtImaginary, withdrawable, borrowable]
}

function fluidState(values: readonly bigint[]): FluidState | null {
  const [variables = 0n, variables2 = 0n, centerPrice = 0n, ...rest] = values
  if (rest.length !== 2 * COIN_VALUES || values.some((value) => value < 0n || value > MAX_UINT256)) return null
  const coins = [coinOf(rest.slice(0, COIN_VALUES)), coinOf(rest.slice(COIN_VALUES))] as const
  const [first, second] = coins
  const isPossible = centerPrice > 0n && centerPrice < 2n ** 128n && first !== null && second !== null
  return isPossible ? { variables, variables2, centerPrice, coins: [first, second] } : null
}

function coinOf(values: readonly bigint[]): FluidCoin | null {
  const [numerator = 0n, denominator = 0n, collateral = 0n, collateralImaginary = 0n] = values
  const [debt = 0n, debtImaginary = 0n, withdrawable = 0n, borrowable = 0n] = values.slice(4)
  const reserves = [collateral, collateralImaginary, debt, debtImaginary]
  if (reserves.some((reserve) => reserve >= MAX_RESERVE)) return null
  if (![numerator, denominator].every((factor) => factor > 0n && factor <= 10n ** 18n)) return null
  return { numerator, denominator, collateral, collateralImaginary, debt, debtImaginary, withdrawable, borrowable }
}

const FEE_UNITS = 1_000_000n
const CUT_UNITS = 100_000_000n
const PRICE_UNIT = 10n ** 27n
const ONE = 10n ** 18n
/** Limits of the input, with twelve decimals and in base units. */
const MIN_AMOUNT = 1_000_000n
const MAX_AMOUNT = 2n ** 96n - 1n
const MIN_UNITS = 100n
const MAX_UNITS = 2n ** 128n - 1n
/** After a swap, the bought reserve must be worth at least this part (1/10,000) of the sold one. */
const MIN_PART = 10_000n
/** A swap may move the price by at most 5 %. */
const PRICE_STEP = 5n * 10n ** 16n

/** Fluid DEX (DexT1 `_swapIn`): one constant product of imaginary reserves for collateral and one for debt. */
export const fluidFormula: FormulaKind = {
  name: 'fluid',
  of(values) {
    const state = fluidState(values)
    return state === null ? null : new FluidPool(state)
  },
  work: 160,
  gas: 180_000,
}

/** The collateral or the debt side in the direction of a swap, with twelve decimals. */
interface Half {
  isOpen: boolean
  realIn: bigint
  realOut: bigint
  imaginaryIn: bigint
  imaginaryOut: bigint
  payable: bigint
}

class FluidPool implements PoolFormula {
  readonly balances: readonly bigint[]
  readonly #state: FluidState
  readonly #fee: bigint
  readonly #kept: bigint
  #roots: readonly [collateral: bigint, debt: bigint] | undefined

  constructor(state: FluidState) {
    const { variables2, coins } = state
    this.#state = state
    this.#fee = bits(variables2, 2n, 17)
    this.#kept = CUT_UNITS - bits(variables2, 19n, 7) * this.#fee
    this.balances = coins.map((coin) => {
      const collateral = smaller(toUnits(coin.collateral, coin), coin.withdrawable)
      return collateral + smaller(toUnits(coin.debt, coin), coin.borrowable)
    })
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    const { variables, coins } = this.#state
    const sold = coins[from]
    const bought = coins[to]
    if (from === to || sold === undefined || bought === undefined || !this.#isOpen()) return null
    if (amountIn < MIN_UNITS || amountIn > MAX_UNITS) return null
    const amount = toInner(amountIn, sold)
    if (amount < MIN_AMOUNT || amount > MAX_AMOUNT) return null
    const [collateral, debt] = this.#halves(sold, bought)
    if (amount > (collateral.imaginaryIn + debt.imaginaryIn) / 2n) return null
    const routed = routedIn(amount, collateral, debt, this.#rootsOf(collateral, debt))
    if (routed === null) return null
    const ofCollateral = this.#pay(routed, collateral, from === 0)
    const ofDebt = this.#pay(amount - routed, debt, from === 0)
    if (ofCollateral === null || ofDebt === null) return null
    const after = this.#priceAfter([routed, ofCollateral, collateral], [amount - routed, ofDebt, debt], from === 0)
    const before = bigNumber(bits(variables, 41n, 40))
    if (after === null || !isNear(before, after)) return null
    return toUnits(ofCollateral, bought) + toUnits(ofDebt, bought)
  }

  bound(from: number, to: number): OutputBound {
    const sold = this.#state.coins[from]
    const bought = this.#state.coins[to]
    if (from === to || sold === undefined || bought === undefined || !this.#isOpen()) return NO_OUTPUT
    const halves = this.#halves(sold, bought).filter(({ imaginaryIn }) => imaginaryIn > 0n)
    if (halves.length === 0) return NO_OUTPUT
    const kept = 1 - Number(this.#fee) / Number(FEE_UNITS)
    const scaleIn = Number(sold.numerator) / Number(sold.denominator)
    const scaleOut = Number(bought.denominator) / Number(bought.numerator)
    const rate = Math.max(...halves.map(({ imaginaryIn, imaginaryOut }) => Number(imaginaryOut) / Number(imaginaryIn)))
    const reserve = halves.reduce((sum, { imaginaryIn }) => sum + Number(imaginaryIn), 0)
    return { rate: rate * kept * scaleIn * scaleOut, depth: (kept * scaleIn) / reserve }
  }

  #isOpen(): boolean {
    const { variables, variables2 } = this.#state
    return (variables & 1n) === 0n && (variables2 & 3n) !== 0n && variables2 >> 255n === 0n && this.#fee < FEE_UNITS
  }

  #halves(sold: FluidCoin, bought: FluidCoin): [collateral: Half, debt: Half] {
    const { variables2 } = this.#state
    const hasCollateral = (variables2 & 1n) === 1n
    const hasDebt = (variables2 & 2n) === 2n
    const collateral = {
      isOpen: hasCollateral,
      realIn: sold.collateral,
      realOut: bought.collateral,
      imaginaryIn: sold.collateralImaginary,
      imaginaryOut: bought.collateralImaginary,
      payable: toInner(bought.withdrawable, bought),
    }
    const debt = {
      isOpen: hasDebt,
      realIn: sold.debt,
      realOut: bought.debt,
      imaginaryIn: sold.debtImaginary,
      imaginaryOut: bought.debtImaginary,
      payable: toInner(bought.borrowable, bought),
    }
    return [hasCollateral ? collateral : CLOSED, hasDebt ? debt : CLOSED]
  }

  /** The roots are the same in both directions. */
  #rootsOf(collateral: Half, debt: Half): readonly [bigint, bigint] {
    const rootOf = ({ imaginaryIn, imaginaryOut }: Half) => squareRoot(imaginaryOut * imaginaryIn * ONE)
    this.#roots ??= [rootOf(collateral), rootOf(debt)]
    return this.#roots
  }

  /** `_getAmountOut` of one side. Returns null if the reserves become too uneven or the Liquidity layer cannot pay. */
  #pay(amount: bigint, half: Half, isFirstSold: boolean): bigint | null {
    if (amount === 0n) return 0n
    const { realIn, realOut, imaginaryIn, imaginaryOut, payable } = half
    const kept = (amount * (FEE_UNITS - this.#fee)) / FEE_UNITS
    const paid = (kept * imaginaryOut) / (imaginaryIn + kept)
    const { centerPrice } = this.#state
    const worth = isFirstSold
      ? ((realIn + amount) * centerPrice) / (PRICE_UNIT * MIN_PART)
      : ((realIn + amount) * PRICE_UNIT) / (centerPrice * MIN_PART)
    return realOut - paid < worth || paid > realOut || paid > payable ? null : paid
  }

  #priceAfter(collateral: Part, debt: Part, isFirstSold: boolean): bigint | null {
    const inCollateral = (collateral[0] * this.#kept) / CUT_UNITS
    const inDebt = (debt[0] * this.#kept) / CUT_UNITS
    const isCollateral = inCollateral > inDebt
    const [, paid, { imaginaryIn, imaginaryOut }] = isCollateral ? collateral : debt
    const reserveIn = imaginaryIn + (isCollateral ? inCollateral : inDebt)
    const reserveOut = imaginaryOut - paid
    const [above, below] = isFirstSold ? [reserveOut, reserveIn] : [reserveIn, reserveOut]
    return below > 0n ? (above * PRICE_UNIT) / below : null
  }
}

type Part = readonly [amount: bigint, paid: bigint, half: Half]

const CLOSED: Half = { isOpen: false, realIn: 0n, realOut: 0n, imaginaryIn: 0n, imaginaryOut: 0n, payable: 0n }

/** `_swapRoutingIn`: the part of the input for the collateral side that leaves both sides at the same price. */
function routedIn(amount: bigint, collateral: Half, debt: Half, roots: readonly [bigint, bigint]): bigint | null {
  if (!debt.isOpen) return amount
  if (!collateral.isOpen) return 0n
  const [root, debtRoot] = roots
  if (root + debtRoot === 0n) return null
  const routed = (debt.imaginaryIn * root + amount * root - collateral.imaginaryIn * debtRoot) / (root + debtRoot)
  if (routed <= 0n) return 0n
  return routed < amount ? routed : amount
}

/** `_priceDiffCheck`: the price must be within 5 % of the previous price. */
function isNear(before: bigint, after: bigint): boolean {
  if (after === 0n) return false
  const difference = ONE - (before * ONE) / after
  return difference <= PRICE_STEP && difference >= -PRICE_STEP
}

function toInner(amount: bigint, { numerator, denominator }: FluidCoin): bigint {
  return (amount * numerator) / denominator
}

function toUnits(amount: bigint, { numerator, denominator }: FluidCoin): bigint {
  return (amount * denominator) / numerator
}

/** BigMath: a coefficient, then an exponent of eight bits. */
function bigNumber(packed: bigint): bigint {
  return (packed >> 8n) << (packed & 255n)
}

function bits(word: bigint, start: bigint, count: number): bigint {
  return BigInt.asUintN(count, word >> start)
}
