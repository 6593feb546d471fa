import { absolute, int, quotient, revertUnless, squareRoot, uint } from '../../../maths/integers.ts'
import {
  A_MULTIPLIER,
  cryptoRate,
  cubeRoot,
  descending,
  type Invariant,
  newtonBalance,
  newtonInvariant,
  others,
  type Range,
  type Shape,
  WAD,
} from './invariant.ts'

const MIN_GAMMA = 10n ** 10n
const MAX_GAMMA = 5n * 10n ** 16n
const MIN_A = (27n * A_MULTIPLIER) / 100n
const MAX_A = 27n * A_MULTIPLIER * 1_000n
const MIN_D = 10n ** 17n
const MAX_D = 10n ** 33n
/** Accepted balances, as multiples of D with 18 decimals. A result may be one unit less. */
const RANGE: Range = { min: 10n ** 16n, max: 10n ** 20n }
const RESULT_RANGE: Range = { ...RANGE, min: RANGE.min - 1n }

/** Exponents of ten. Coefficients are divided by the divider of the first threshold that is exceeded. */
const DIVIDERS = [
  [48n, 30n],
  [44n, 26n],
  [40n, 22n],
  [36n, 18n],
  [32n, 14n],
  [28n, 10n],
  [24n, 6n],
  [20n, 2n],
].map(([threshold = 0n, divider = 0n]) => ({ threshold: 10n ** threshold, divider: 10n ** divider }))

/** CurveTricryptoOptimized: pools of three coins with CurveCryptoMathOptimized3 2.0.0. */
export const TRICRYPTO_NG: Invariant = {
  coins: 3,
  balanceOf(shape, balances, D, index) {
    const { A, gamma } = shape
    revertUnless(A >= MIN_A && A <= MAX_A && gamma >= MIN_GAMMA && gamma <= MAX_GAMMA)
    revertUnless(D >= MIN_D && D <= MAX_D)
    const otherBalances = others(balances, index)
    for (const balance of otherBalances) revertUnless(isWithin(balance, D, RANGE))
    const root = cubicRoot(shape, otherBalances, D)
    // _newton_y checks its result against another range.
    const found = root ?? newtonBalance(shape, otherBalances, D)
    revertUnless(isWithin(found, D, root === null ? RANGE : RESULT_RANGE))
    return found
  },
  invariantOf(shape, balances) {
    const sorted = descending(balances)
    const [first = 0n, second = 0n, third = 0n] = sorted
    const product = uint((uint(first * second) / WAD) * third) / WAD
    return newtonInvariant(shape, sorted, 3n * cubeRoot(product), RESULT_RANGE)
  },
  rate: cryptoRate,
}

function isWithin(balance: bigint, D: bigint, { min, max }: Range): boolean {
  const share = uint(balance * WAD) / D
  return share >= min && share <= max
}

/** Scaled coefficients of a K0^3 + b K0^2 + c K0 + d = 0. */
interface Cubic {
  a: bigint
  b: bigint
  c: bigint
  d: bigint
}

/**
 * Returns the third balance by the closed formula of `get_y`, whose divisions round towards zero; null where the
 * contract uses Newton's method.
 */
function cubicRoot(shape: Shape, otherBalances: readonly bigint[], D: bigint): bigint | null {
  const [first = 0n, second = 0n] = otherBalances
  const { a, b, c, d } = scaled(coefficients(shape, first, second, D))
  const ac3 = int(3n * a * c)
  const delta0 = int(quotient(ac3, b) - b)
  const delta1 = int(quotient(int(3n * ac3), b) - 2n * b - quotient(int(quotient(int(27n * a ** 2n), b) * d), b))
  const squared = int(int(delta1 ** 2n) + int(quotient(int(4n * delta0 ** 2n), b) * delta0))
  if (squared <= 0n) return null
  const root = squareRoot(squared)
  const rootOfB = b >= 0n ? cubeRoot(b) : -cubeRoot(-b)
  const otherRoot = delta1 > 0n ? cubeRoot(int(delta1 + root) / 2n) : -cubeRoot(int(root - delta1) / 2n)
  const C1 = int((int(rootOfB * rootOfB) / WAD) * otherRoot) / WAD
  const K0 = int(b + int(b * delta0) / C1 - C1) / 3n
  const perK0 = int(((D * D) / 27n / second) * D) / first
  // The contract also returns K0, which must fit a word.
  uint(int(WAD * K0) / a)
  return uint(quotient(int(perK0 * K0), a))
}

function coefficients({ A, gamma }: Shape, first: bigint, second: bigint, D: bigint): Cubic {
  const gamma2 = gamma * gamma
  const byA = int(((D * D) / first) * gamma2 * A) / 27n ** 2n / A_MULTIPLIER / second
  const offBalance = ((int(gamma2 * (first + second - D)) / D) * A) / 27n / A_MULTIPLIER
  return {
    a: 10n ** 36n / 27n,
    b: int(10n ** 36n / 9n + (2n * WAD * gamma) / 27n - byA),
    c: int(10n ** 36n / 9n + (gamma * (gamma + 4n * WAD)) / 27n + offBalance),
    d: (WAD + gamma) ** 2n / 27n,
  }
}

/** Scales the coefficients so that their squares and cubes fit a word. */
function scaled({ a, b, c, d }: Cubic): Cubic {
  const size = absolute(int(int(3n * a * c) / b - b))
  const divider = DIVIDERS.find(({ threshold }) => size > threshold)?.divider ?? 1n
  if (absolute(a) > absolute(b)) {
    const factor = absolute(a / b)
    return {
      a: (a * factor) / divider,
      b: int(b * factor) / divider,
      c: int(c * factor) / divider,
      d: int(d * factor) / divider,
    }
  }
  const factor = absolute(b / a)
  return { a: a / factor / divider, b: b / factor / divider, c: c / factor / divider, d: d / factor / divider }
}
