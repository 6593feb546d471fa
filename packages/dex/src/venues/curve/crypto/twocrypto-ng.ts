import { absolute, int, quotient, revertUnless, smaller, squareRoot, uint } from '../../../maths/integers.ts'
import { present } from '../../../present.ts'
import {
  A_MULTIPLIER,
  cryptoRate,
  cubeRoot,
  descending,
  type Invariant,
  newtonBalance,
  newtonInvariant,
  type Range,
  type Shape,
  WAD,
} from './invariant.ts'

const MIN_GAMMA = 10n ** 10n
const MIN_A = (4n * A_MULTIPLIER) / 10n
const MAX_A = 4n * A_MULTIPLIER * 1_000n
const MIN_D = 10n ** 17n
const MAX_D = 10n ** 33n

interface Release {
  maxGamma: bigint
  /** Accepted range of twice the known balance's share of D. */
  rangeOfOther(gamma: bigint): Range
  /** Accepted range of the result's share of D; `all` applies to every balance when D is computed. */
  result(gamma: bigint): Range
  all: Range
}

const HUNDREDTH = 10n ** 16n
const HUNDREDFOLD = 10n ** 20n
/** Above this gamma, release 2.1.0 narrows the range of balances in proportion. */
const WIDE_GAMMA = 2n * 10n ** 16n

/** CurveTwocryptoOptimized with CurveCryptoMathOptimized2 2.0.0. */
export const TWOCRYPTO_2_0 = twocrypto({
  maxGamma: 2n * 10n ** 15n,
  rangeOfOther: () => ({ min: 2n * HUNDREDTH, max: 2n * HUNDREDFOLD }),
  result: () => ({ min: HUNDREDTH - 1n, max: HUNDREDFOLD }),
  all: { min: HUNDREDTH - 1n, max: HUNDREDFOLD },
})

/** CurveTwocryptoOptimized with CurveCryptoMathOptimized2 2.1.0. */
export const TWOCRYPTO_2_1 = twocrypto({
  maxGamma: 199n * 10n ** 15n,
  rangeOfOther: (gamma) => ({ min: 10n ** 36n / limitOf(gamma), max: limitOf(gamma) }),
  result: (gamma) => ({ min: 10n ** 36n / 2n / limitOf(gamma), max: limitOf(gamma) / 2n }),
  all: { min: HUNDREDTH / 2n, max: HUNDREDFOLD / 2n },
})

function limitOf(gamma: bigint): bigint {
  return gamma > WIDE_GAMMA ? (HUNDREDFOLD * WIDE_GAMMA) / gamma : HUNDREDFOLD
}

function twocrypto(release: Release): Invariant {
  return {
    coins: 2,
    balanceOf(shape, balances, D, index) {
      checkShape(shape, release)
      revertUnless(D >= MIN_D && D <= MAX_D)
      const otherBalance = present(balances[1 - index])
      const { min, max } = release.rangeOfOther(shape.gamma)
      const share = int(2n * WAD * otherBalance) / D
      revertUnless(share >= min && share <= max)
      const root = cubicRoot(shape, otherBalance, D)
      // The contract does not check the range of Newton's result.
      if (root === null) return newtonBalance(shape, [otherBalance], D)
      const range = release.result(shape.gamma)
      const resulting = uint(root * WAD) / D
      revertUnless(resulting >= range.min && resulting <= range.max)
      return root
    },
    invariantOf(shape, balances) {
      checkShape(shape, release)
      const sorted = descending(balances)
      const [first = 0n, second = 0n] = sorted
      revertUnless(first >= 10n ** 9n && first <= MAX_D && uint(second * WAD) / first >= 10n ** 14n)
      return newtonInvariant(shape, sorted, 2n * squareRoot(first * second), release.all)
    },
    rate: cryptoRate,
  }
}

function checkShape({ A, gamma }: Shape, { maxGamma }: Release): void {
  revertUnless(A >= MIN_A && A <= MAX_A && gamma >= MIN_GAMMA && gamma <= maxGamma)
}

interface Cubic {
  a: bigint
  b: bigint
  c: bigint
  d: bigint
}

/** Exponents of ten. Coefficients are divided by the divider of the first threshold that is exceeded. */
const DIVIDERS = [
  [48n, 30n],
  [46n, 28n],
  [44n, 26n],
  [42n, 24n],
  [40n, 22n],
  [38n, 20n],
  [36n, 18n],
  [34n, 16n],
  [32n, 14n],
  [30n, 12n],
  [28n, 10n],
  [26n, 8n],
  [24n, 6n],
  [20n, 2n],
].map(([threshold = 0n, divider = 0n]) => ({ threshold: 10n ** threshold, divider: 10n ** divider }))

/** The closed formula of `get_y`, whose divisions round towards zero. Null where the contract uses Newton's method. */
function cubicRoot(shape: Shape, otherBalance: bigint, D: bigint): bigint | null {
  const { a, b, c, d } = scaled(coefficients(shape, otherBalance, D))
  const delta0 = int(quotient(wrapped(3n * a * c), b) - b)
  const lastTerm = quotient(wrapped(quotient(wrapped(27n * a ** 2n), b) * d), b)
  const delta1 = int(int(3n * delta0 + b) - lastTerm)
  const squared = int(int(delta1 ** 2n) + wrapped(quotient(int(4n * delta0 ** 2n), b) * delta0))
  if (squared <= 0n) return null
  const root = squareRoot(squared)
  const rootOfB = b > 0n ? cubeRoot(b) : -cubeRoot(-b)
  const otherRoot = delta1 > 0n ? cubeRoot((delta1 + root) / 2n) : -cubeRoot((root - delta1) / 2n)
  const C1 = wrapped((int(rootOfB ** 2n) / WAD) * otherRoot) / WAD
  const scaledB = wrapped(WAD * b)
  const K0 = int(int(wrapped(WAD * C1) - scaledB) - int((scaledB / C1) * delta0)) / (3n * a)
  // The contract also returns K0, which must not be negative.
  return wrapped((D ** 2n / otherBalance) * uint(K0)) / 4n / WAD
}

function coefficients({ A, gamma }: Shape, otherBalance: bigint, D: bigint): Cubic {
  const gamma2 = gamma * gamma
  const A2 = A * gamma2
  const scaledA2 = (4n * A2) / 400_000_000n
  return {
    a: 10n ** 32n,
    b: int((D * A2) / 400_000_000n / otherBalance - 3n * 10n ** 32n - 2n * gamma * 10n ** 14n),
    c: int(
      3n * 10n ** 32n + 4n * gamma * 10n ** 14n + gamma2 / 10n ** 4n + int(scaledA2 * otherBalance) / D - scaledA2,
    ),
    d: -((WAD + gamma) ** 2n / 10n ** 4n),
  }
}

function scaled({ a, b, c, d }: Cubic): Cubic {
  const delta0 = int(int(3n * a * c) / b - b)
  const delta1 = int(int(3n * delta0 + b) - int(((27n * a ** 2n) / b) * d) / b)
  const size = smaller(smaller(absolute(delta0), absolute(delta1)), a)
  const divider = DIVIDERS.find(({ threshold }) => size > threshold)?.divider ?? 1n
  return { a: a / divider, b: b / divider, c: c / divider, d: d / divider }
}

/** Wraps a product as the EVM's unchecked multiplication does. */
function wrapped(product: bigint): bigint {
  return BigInt.asIntN(256, product)
}
