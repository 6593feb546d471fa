import { larger, revert, revertUnless, uint } from '../../../maths/integers.ts'
import { present } from '../../../present.ts'

/** 1.0 in Curve's crypto fixed point. */
export const WAD = 10n ** 18n
/** The contracts multiply A by this and by n ** n. */
export const A_MULTIPLIER = 10_000n

export interface Shape {
  readonly A: bigint
  readonly gamma: bigint
}

/**
 * The curve of one contract version. `balances` are in units of coin 0, with 18 decimals (`xp`). `balanceOf` and
 * `invariantOf` throw a RangeError where the contract reverts.
 */
export interface Invariant {
  readonly coins: 2 | 3
  balanceOf(shape: Shape, balances: readonly bigint[], D: bigint, index: number): bigint
  invariantOf(shape: Shape, balances: readonly bigint[]): bigint
  /** Returns the marginal rate in the units of `balances`; floating point. */
  rate(shape: Shape, balances: readonly bigint[], D: bigint, from: number, to: number): number
  /** Another curve that the contract may use; amounts are quoted only if both curves pay them. */
  readonly orElse?: Invariant
}

export function others(balances: readonly bigint[], index: number): bigint[] {
  return balances.filter((_, each) => each !== index)
}

export function descending(balances: readonly bigint[]): bigint[] {
  return balances.toSorted((a, b) => (a < b ? 1 : -1))
}

/** Near balance, the rate depends on how far K0 is from 1; hence 36 digits. */
const K0_UNITS = 10n ** 36n

/** Returns the marginal rate on a CryptoSwap curve (`get_p` of CurveCryptoMathOptimized3). */
export function cryptoRate(
  { A, gamma: rawGamma }: Shape,
  balances: readonly bigint[],
  D: bigint,
  from: number,
  to: number,
): number {
  const coins = BigInt(balances.length)
  let K0 = K0_UNITS
  for (const balance of balances) K0 = (K0 * balance * coins) / D
  const gamma = Number(rawGamma) / 1e18
  const below1 = Number(K0_UNITS - K0) / 1e36
  // 2 K0^3 + (1 + gamma)^2 - K0^2 (3 + 2 gamma), rearranged to avoid cancellation near balance.
  const ownTerm = gamma ** 2 + 4 * gamma * below1 + below1 ** 2 * (3 - 2 * gamma) - 2 * below1 ** 3
  const perCoin = (Number(A) / Number(A_MULTIPLIER)) * gamma ** 2 * (1 - below1)
  const sold = Number(present(balances[from])) / Number(D)
  const bought = Number(present(balances[to])) / Number(D)
  return (bought * (ownTerm + perCoin * sold)) / (sold * (ownTerm + perCoin * bought))
}

const MAX_STEPS = 255
/** The search ends when a step is smaller than the value divided by this. */
const PRECISION = 10n ** 14n

interface Start {
  balance: bigint
  /** The other coins' part of K0: the product of all balances divided by that of equal balances. */
  product: bigint
  sum: bigint
  tolerance: bigint
  coins: bigint
  /** Set for the release that also divides the 1e18 of `mul2`, and so rounds differently. */
  dividesAll: boolean
}

/**
 * Returns a coin's balance from the others: `newton_y` of CurveCryptoSwap2, CurveCryptoSwap2ETH and CurveCryptoMath3,
 * without its limits but with the rounding of each step.
 */
export function newtonBalance(shape: Shape, otherBalances: readonly bigint[], D: bigint, dividesAll = false): bigint {
  const [large = 0n, small] = descending(otherBalances)
  const tolerance = larger(larger(large / PRECISION, D / PRECISION), 100n)
  if (small === undefined) {
    const balance = uint(D * D) / uint(large * 4n)
    const product = uint(WAD * 2n * large) / D
    return solve(shape, D, { balance, product, sum: large, tolerance, coins: 2n, dividesAll })
  }
  const bySmall = uint((D / 3n) * D) / uint(small * 3n)
  const balance = uint(bySmall * D) / uint(large * 3n)
  const byLarge = uint(WAD * large * 3n) / D
  const product = uint(byLarge * small * 3n) / D
  return solve(shape, D, { balance, product, sum: uint(large + small), tolerance, coins: 3n, dividesAll })
}

function solve({ A, gamma }: Shape, D: bigint, start: Start): bigint {
  const { product, sum, tolerance, coins, dividesAll } = start
  const scaledD = uint(WAD * D)
  const oneAndGamma = gamma + WAD
  let balance = start.balance
  for (let step = 0; step < MAX_STEPS; step++) {
    const before = balance
    const K0 = uint(product * balance * coins) / D
    const S = uint(sum + balance)
    const g1k0 = (oneAndGamma > K0 ? oneAndGamma - K0 : K0 - oneAndGamma) + 1n
    const mul1 = uint(uint(uint((scaledD / gamma) * g1k0) / gamma) * g1k0 * A_MULTIPLIER) / A
    const twiceK0 = uint(2n * WAD * K0)
    const mul2 = dividesAll ? uint(WAD + twiceK0) / g1k0 : WAD + twiceK0 / g1k0
    const positive = uint(WAD * balance + S * mul2 + mul1)
    const negative = uint(D * mul2)
    if (positive < negative) {
      balance = before / 2n
      continue
    }
    const slope = positive - negative
    const slopePerUnit = slope / balance
    const part = mul1 / slopePerUnit
    const plus = uint(uint(slope + scaledD) / slopePerUnit + uint(part * WAD) / K0)
    const minus = uint(part + uint(WAD * S) / slopePerUnit)
    balance = plus < minus ? before / 2n : plus - minus
    const moved = balance > before ? balance - before : before - balance
    if (moved < larger(tolerance, balance / PRECISION)) return balance
  }
  revert()
}

/** Accepted range of each balance divided by D, in units of 1e18, inclusive. */
export interface Range {
  min: bigint
  max: bigint
}

/**
 * Returns D: `newton_D` of CurveCryptoSwap2ETH, CurveCryptoMath3 and their successors, which differ in guess and range.
 */
export function newtonInvariant(shape: Shape, sorted: readonly bigint[], guess: bigint, range: Range): bigint {
  const { A, gamma } = shape
  const coins = BigInt(sorted.length)
  const S = uint(sorted.reduce((sum, balance) => sum + balance, 0n))
  let D = guess
  for (let step = 0; step < MAX_STEPS; step++) {
    const before = D
    const K0 = productOf(sorted, D)
    const g1k0 = (gamma + WAD > K0 ? gamma + WAD - K0 : K0 - gamma - WAD) + 1n
    const mul1 = uint(uint(uint((uint(WAD * D) / gamma) * g1k0) / gamma) * g1k0 * A_MULTIPLIER) / A
    const mul2 = uint(2n * WAD * coins * K0) / g1k0
    const slope = uint(S + uint(S * mul2) / WAD + uint(mul1 * coins) / K0 - uint(mul2 * D) / WAD)
    const plus = uint(D * uint(slope + S)) / slope
    const share = uint(D * (mul1 / slope)) / WAD
    const rest = WAD > K0 ? uint(share * (WAD - K0)) / K0 : -(uint(share * (K0 - WAD)) / K0)
    const minus = uint(uint(D * D) / slope + rest)
    D = plus > minus ? plus - minus : (minus - plus) / 2n
    const moved = D > before ? D - before : before - D
    if (uint(moved * 10n ** 14n) < larger(10n ** 16n, D)) {
      for (const balance of sorted) {
        const share = uint(balance * WAD) / D
        revertUnless(share >= range.min && share <= range.max)
      }
      return D
    }
  }
  revert()
}

function productOf([first = 0n, second = 0n, third]: readonly bigint[], D: bigint): bigint {
  if (third === undefined) return uint((uint(WAD * 4n * first) / D) * second) / D
  const two = uint((uint(WAD * first * 3n) / D) * second * 3n) / D
  return uint(two * third * 3n) / D
}

/** From this value on, scaling by 1e36 would overflow a word; from NOT_SCALED on, scaling by 1e18 would too. */
const SCALED_LESS = 115792089237316195423570985008687907853269n
const NOT_SCALED = SCALED_LESS * 10n ** 18n
const STEPS = 7

/**
 * Returns the cube root in units of 1e18, with the contract's error (`_cbrt` of CurveCryptoMathOptimized3 and
 * TwocryptoMath): seven Newton steps from a power of two.
 */
export function cubeRoot(value: bigint): bigint {
  if (value === 0n) return 0n
  let scaled = value
  if (value < SCALED_LESS) scaled = value * 10n ** 36n
  else if (value < NOT_SCALED) scaled = value * 10n ** 18n
  const log2 = bitLength(scaled) - 1
  const remainder = BigInt(log2 % 3)
  let root = (2n ** BigInt(Math.floor(log2 / 3)) * 1260n ** remainder) / 1000n ** remainder
  for (let step = 0; step < STEPS; step++) root = (2n * root + scaled / (root * root)) / 3n
  if (value >= NOT_SCALED) return root * 10n ** 12n
  return value >= SCALED_LESS ? root * 10n ** 6n : root
}

function bitLength(value: bigint): number {
  const digits = value.toString(16)
  return 4 * digits.length - (Math.clz32(Number.parseInt(digits.charAt(0), 16)) - 28)
}
