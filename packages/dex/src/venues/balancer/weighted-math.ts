import { NO_OUTPUT, type OutputBound } from '../../maths/formula.ts'
import { revert } from '../../maths/integers.ts'
import { checked, complement, divDown, divUp, mulDown, mulUp, ONE } from './fixed-point.ts'

/** Both values have 18 decimals. */
export interface WeightedCoin {
  balance: bigint
  weight: bigint
}

/** _MAX_IN_RATIO */
const MAX_IN_SHARE = (3n * ONE) / 10n

/** Returns the two coins of a swap; null if the pool does not exchange them. */
export function weightedPair<Coin extends { weight: bigint }>(
  coins: readonly Coin[],
  fromIndex: number,
  toIndex: number,
): { from: Coin; to: Coin } | null {
  const from = coins[fromIndex]
  const to = coins[toIndex]
  if (from === undefined || to === undefined || fromIndex === toIndex) return null
  return from.weight > 0n && to.weight > 0n ? { from, to } : null
}

/**
 * Returns the output without fee, with 18 decimals: WeightedMath._calcOutGivenIn of V2, computeOutGivenExactIn of V3.
 * @param isExactForWhole see `powUp`
 * @throws if the contract reverts
 */
export function weightedOutput(
  from: WeightedCoin,
  to: WeightedCoin,
  amountIn: bigint,
  isExactForWhole: boolean,
): bigint {
  if (amountIn > mulDown(from.balance, MAX_IN_SHARE)) revert()
  const base = divUp(from.balance, checked(from.balance + amountIn))
  const power = powUp(base, divDown(from.weight, to.weight), isExactForWhole)
  return mulDown(to.balance, complement(power))
}

/**
 * Returns an upper bound for the output. Let t be the input as a share of the sold balance, B the bought balance and e
 * the weight ratio. By Bernoulli's inequality, B * (1 - (1 + t)^-e) is at most B * e * t / (1 + c * t), where c = e if
 * e < 1, else (e + 1) / 2. The contract rounds in the pool's favour. `kept` is the share of the input left after the
 * fee; balances are in base units.
 */
export function weightedBound(balances: { from: number; to: number }, weightRatio: number, kept: number): OutputBound {
  if (balances.from === 0) return NO_OUTPUT
  const share = kept / balances.from
  return { rate: balances.to * weightRatio * share, depth: Math.min(weightRatio, (weightRatio + 1) / 2) * share }
}

const TWO = 2n * ONE
const FOUR = 4n * ONE
/** MAX_POW_RELATIVE_ERROR */
const POW_ERROR = 10_000n

/**
 * Returns `base ** exponent`, never below the true value.
 * @param isExactForWhole whether to multiply out exponents 1, 2 and 4, as later versions of the library do
 */
function powUp(base: bigint, exponent: bigint, isExactForWhole: boolean): bigint {
  if (isExactForWhole) {
    if (exponent === ONE) return base
    if (exponent === TWO) return mulUp(base, base)
    if (exponent === FOUR) {
      const square = mulUp(base, base)
      return mulUp(square, square)
    }
  }
  const raw = pow(base, exponent)
  return checked(raw + mulUp(raw, POW_ERROR) + 1n)
}

/**
 * Powers with 18 decimals, equal to Balancer's in every digit: `pkg/solidity-utils/contracts/math/LogExpMath.sol` of
 * balancer-v2-monorepo and balancer-v3-monorepo. Divisions round towards zero.
 */
const ONE_20 = 10n ** 20n
const ONE_36 = 10n ** 36n

const MAX_NATURAL_EXPONENT = 130n * ONE
const MIN_NATURAL_EXPONENT = -41n * ONE
/** Logarithms of values within this distance of 1 use 36 decimals. */
const NEAR_ONE = 10n ** 17n
const MAX_EXPONENT = 2n ** 254n / ONE_20
const MAX_BASE = 2n ** 255n - 1n

type Step = readonly [exponent: bigint, power: bigint]

/** Exponents 2^7 and 2^6 with 18 decimals, and their powers without decimals. */
const LARGE_STEPS: readonly Step[] = [
  [128_000000000000000000n, 38877084059945950922200000000000000000000000000000000000n],
  [64_000000000000000000n, 6235149080811616882910000000n],
]
/** Exponents 2^5 to 2^-4 and their powers, with 20 decimals. */
const STEPS: readonly Step[] = [
  [3200000000000000000000n, 7896296018268069516100000000000000n],
  [1600000000000000000000n, 888611052050787263676000000n],
  [800000000000000000000n, 298095798704172827474000n],
  [400000000000000000000n, 5459815003314423907810n],
  [200000000000000000000n, 738905609893065022723n],
  [100000000000000000000n, 271828182845904523536n],
  [50000000000000000000n, 164872127070012814685n],
  [25000000000000000000n, 128402541668774148407n],
  [12500000000000000000n, 113314845306682631683n],
  [6250000000000000000n, 106449445891785942956n],
]
/** `exp` uses the steps down to 2^-2. */
const STEPS_OF_EXP = STEPS.slice(0, 8)
const TERMS_OF_EXP = [2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n, 11n, 12n]
const TERMS_OF_LN = [3n, 5n, 7n, 9n, 11n]
const TERMS_OF_LN_36 = [...TERMS_OF_LN, 13n, 15n]

/**
 * Returns an approximation of `base ** exponent`; both must be non-negative.
 * @throws if the result is out of range, where the contract reverts
 */
function pow(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return ONE
  if (base === 0n) return 0n
  if (base > MAX_BASE || exponent >= MAX_EXPONENT) revert()
  const logarithm = scaledLn(base, exponent) / ONE
  if (logarithm < MIN_NATURAL_EXPONENT || logarithm > MAX_NATURAL_EXPONENT) revert()
  return exp(logarithm)
}

/** Returns the logarithm of `base` times `factor`, with 36 decimals. */
function scaledLn(base: bigint, factor: bigint): bigint {
  if (base <= ONE - NEAR_ONE || base >= ONE + NEAR_ONE) return ln(base) * factor
  const precise = ln36(base)
  return (precise / ONE) * factor + ((precise % ONE) * factor) / ONE
}

function exp(exponent: bigint): bigint {
  if (exponent < 0n) return (ONE * ONE) / exp(-exponent)
  const large = LARGE_STEPS.find(([step]) => exponent >= step)
  const [largeExponent, largePower] = large ?? [0n, 1n]
  let rest = (exponent - largeExponent) * 100n
  let product = ONE_20
  for (const [step, power] of STEPS_OF_EXP) {
    if (rest < step) continue
    rest -= step
    product = (product * power) / ONE_20
  }
  let term = rest
  let sum = ONE_20 + term
  for (const n of TERMS_OF_EXP) {
    term = (term * rest) / ONE_20 / n
    sum += term
  }
  return (((product * sum) / ONE_20) * largePower) / 100n
}

/** Returns the natural logarithm, with 18 decimals. */
function ln(value: bigint): bigint {
  if (value < ONE) return -ln((ONE * ONE) / value)
  let rest = value
  let sum = 0n
  for (const [step, power] of LARGE_STEPS) {
    if (rest < power * ONE) continue
    rest /= power
    sum += step
  }
  sum *= 100n
  rest *= 100n
  for (const [step, power] of STEPS) {
    if (rest < power) continue
    rest = (rest * ONE_20) / power
    sum += step
  }
  return (sum + series(rest, ONE_20, TERMS_OF_LN)) / 100n
}

function ln36(value: bigint): bigint {
  return series(value * ONE, ONE_36, TERMS_OF_LN_36)
}

/**
 * Returns the logarithm of a value near 1, using the series of the inverse hyperbolic tangent. `amount` is the value's
 * fixed-point 1.
 */
function series(value: bigint, amount: bigint, terms: readonly bigint[]): bigint {
  const ratio = ((value - amount) * amount) / (value + amount)
  const square = (ratio * ratio) / amount
  let power = ratio
  let sum = power
  for (const n of terms) {
    power = (power * square) / amount
    sum += power / n
  }
  return sum * 2n
}
