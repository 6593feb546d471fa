import {
  checkInvariant,
  checkLimits,
  checkShare,
  newtonBalance,
  TRICRYPTO_LIMITS,
  unsafeNewtonY3,
} from './crypto-newton.ts'
import { at, check, div, int, larger, mul, uint, uncheckedDiv } from './evm.ts'

const E18 = 10n ** 18n
const E36 = 10n ** 36n

/** Unchecked arithmetic of signed words. */
const signed = (value: bigint) => BigInt.asIntN(256, value)
const abs = (value: bigint) => int(value < 0n ? -value : value)

/** A checked quotient of signed words, rounded towards zero. */
function over(a: bigint, b: bigint): bigint {
  check(b !== 0n, 'division by zero')
  return int(a / b)
}

/** A checked product of signed words. */
const times = (...factors: bigint[]) => factors.reduce((product, factor) => int(product * factor), 1n)

export function squareRoot(value: bigint): bigint {
  let low = 0n
  let high = 1n << 128n
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle * middle <= value) low = middle
    else high = middle
  }
  return low
}

/** _cbrt of the contracts: a guess from the highest bit, then seven rounds in unchecked words. */
export function cubeRoot(value: bigint): bigint {
  const word = (x: bigint) => BigInt.asUintN(256, x)
  const edge = 115792089237316195423570985008687907853269n
  const isHuge = value >= edge * E18
  const isLarge = value >= edge
  const xx = isHuge ? value : word(value * (isLarge ? E18 : E36))
  let highest = 0n
  while (xx >> (highest + 1n) > 0n) highest++
  const rest = highest % 3n
  let a = uncheckedDiv(word(word(2n ** (highest / 3n)) * 1260n ** rest), 1000n ** rest)
  for (let round = 0; round < 7; round++) a = word(2n * a + uncheckedDiv(xx, word(a * a))) / 3n
  if (isHuge) return word(a * 10n ** 12n)
  return isLarge ? word(a * 10n ** 6n) : a
}

function signedCubeRoot(value: bigint): bigint {
  return value > 0n ? int(cubeRoot(value)) : -int(cubeRoot(-value))
}

const DIVIDERS_3: readonly (readonly [bigint, bigint])[] = [
  [48n, 30n],
  [44n, 26n],
  [40n, 22n],
  [36n, 18n],
  [32n, 14n],
  [28n, 10n],
  [24n, 6n],
  [20n, 2n],
]

const DIVIDERS_2: readonly (readonly [bigint, bigint])[] = [
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
]

function dividerFor(value: bigint, dividers: readonly (readonly [bigint, bigint])[]): bigint {
  const found = dividers.find(([above]) => value > 10n ** above)
  return found === undefined ? 1n : 10n ** found[1]
}

/** get_y of CurveTricryptoMathOptimized (tricrypto-ng, v2.0.0): the root of a cubic equation. */
export function tricryptoNgY(ann: bigint, gamma: bigint, x: readonly bigint[], d: bigint, i: number): bigint {
  checkLimits(TRICRYPTO_LIMITS, ann, gamma)
  checkInvariant(d)
  for (const [k, other] of x.entries()) if (k !== i) checkShare(other, d)
  const [xj, xk] = x.filter((_, k) => k !== i).map(int)
  check(xj !== undefined && xk !== undefined)
  const gamma2 = gamma * gamma

  let a = E36 / 27n
  let b = int(
    E36 / 9n +
      (2n * E18 * gamma) / 27n -
      uncheckedDiv(over(over(times(signed(uncheckedDiv(signed(d * d), xj) * gamma2), ann), 27n ** 2n), 10_000n), xk),
  )
  const third = uncheckedDiv(times(gamma2, signed(xj + xk - d)), d)
  let c = int(E36 / 9n + signed(gamma * (gamma + 4n * E18)) / 27n + signed(third * ann) / 27n / 10_000n)
  let root1 = (E18 + gamma) ** 2n / 27n

  const d0 = abs(int(over(times(3n * a, c), b) - b))
  const divider = dividerFor(d0, DIVIDERS_3)
  if (abs(a) > abs(b)) {
    const more = abs(uncheckedDiv(a, b))
    a = signed(a * more) / divider
    b = times(b, more) / divider
    c = times(c, more) / divider
    root1 = times(root1, more) / divider
  } else {
    const more = abs(uncheckedDiv(b, a))
    a = over(a, more) / divider
    b = uncheckedDiv(b, more) / divider
    c = uncheckedDiv(c, more) / divider
    root1 = uncheckedDiv(root1, more) / divider
  }

  const product = times(signed(3n * a), c)
  const delta0 = int(uncheckedDiv(product, b) - b)
  const delta1 = int(
    int(uncheckedDiv(times(3n, product), b) - signed(2n * b)) -
      uncheckedDiv(times(uncheckedDiv(times(27n, times(a, a)), b), root1), b),
  )
  const underRoot = int(times(delta1, delta1) + times(uncheckedDiv(times(4n, times(delta0, delta0)), b), delta0))
  if (underRoot <= 0n) {
    const y = unsafeNewtonY3(ann, gamma, x, d, i)
    checkShare(y, d)
    return y
  }
  const root = squareRoot(underRoot)
  const bRoot = b >= 0n ? int(cubeRoot(b)) : -int(cubeRoot(-b))
  const secondRoot =
    delta1 > 0n ? int(cubeRoot(uint(int(delta1 + root)) / 2n)) : -int(cubeRoot(uint(int(-int(delta1 - root))) / 2n))
  const c1 = times(times(bRoot, bRoot) / E18, secondRoot) / E18
  const k0 = int(int(b + over(times(b, delta0), c1)) - c1) / 3n
  const y = uncheckedDiv(times(uncheckedDiv(times(uncheckedDiv(times(d, d) / 27n, xk), d), xj), k0), a)
  uint(uncheckedDiv(times(E18, k0), a))
  const out = uint(y)
  const share = div(mul(out, E18), d)
  check(share >= 10n ** 16n - 1n && share <= 10n ** 20n, 'unsafe value for y')
  return out
}

/** The two versions of twocrypto-ng's maths before the one of 2025. */
export interface TwocryptoVersion {
  maxGamma: bigint
  /** The gamma from which 2.1.0 narrows the limits; null for 2.0.0, whose limits are fixed. */
  narrowFrom: bigint | null
}

export const TWOCRYPTO_2_0: TwocryptoVersion = { maxGamma: 2n * 10n ** 15n, narrowFrom: null }
export const TWOCRYPTO_2_1: TwocryptoVersion = { maxGamma: 199n * 10n ** 15n, narrowFrom: 2n * 10n ** 16n }

/** get_y of CurveTwocryptoMathOptimized (twocrypto-ng v2.0.0 and v2.1.0). */
export function twocryptoNgY(
  version: TwocryptoVersion,
  ann: bigint,
  gamma: bigint,
  x: readonly bigint[],
  d: bigint,
  i: number,
): bigint {
  checkLimits({ minAmp: 4_000n, maxAmp: 40_000_000n, minGamma: 10n ** 10n, maxGamma: version.maxGamma }, ann, gamma)
  checkInvariant(d)
  let max = 100n * E18
  if (version.narrowFrom !== null && gamma > version.narrowFrom) max = (max * version.narrowFrom) / gamma
  const xj = int(at(x, 1 - i))
  over(times(d, d), times(xj, 4n))
  const k0i = times(2n * E18, xj) / d
  if (version.narrowFrom === null) check(k0i >= 2n * 10n ** 16n && k0i <= 2n * 10n ** 20n)
  else check(k0i >= E36 / max && k0i <= max)

  const gamma2 = gamma * gamma
  const annGamma2 = times(ann, gamma2)
  let a = 10n ** 32n
  let b = int(over(times(d, annGamma2) / 400_000_000n, xj) - 3n * a - 2n * gamma * 10n ** 14n)
  const quarter = signed(4n * annGamma2) / 400_000_000n
  let c = int(3n * a + 4n * gamma * 10n ** 14n + gamma2 / 10_000n + times(quarter, xj) / d - quarter)
  let last = -((E18 + gamma) ** 2n / 10_000n)

  let delta0 = int(over(times(3n, a, c), b) - b)
  let delta1 = int(int(times(3n, delta0) + b) - over(times(over(times(27n, times(a, a)), b), last), b))
  const smallest = [abs(delta0), abs(delta1), a].reduce((amount, other) => (amount < other ? amount : other))
  const divider = dividerFor(smallest, DIVIDERS_2)
  a /= divider
  b /= divider
  c /= divider
  last /= divider
  delta0 = int(uncheckedDiv(signed(signed(3n * a) * c), b) - b)
  const cubed = signed(uncheckedDiv(signed(27n * times(a, a)), b) * last)
  delta1 = int(int(times(3n, delta0) + b) - uncheckedDiv(cubed, b))
  const underRoot = int(times(delta1, delta1) + signed(uncheckedDiv(times(4n, times(delta0, delta0)), b) * delta0))
  if (underRoot <= 0n) return newtonTwo(ann, gamma, xj, d)

  const root = squareRoot(underRoot)
  const bRoot = signedCubeRoot(b)
  const secondRoot =
    delta1 > 0n ? int(cubeRoot(uint(signed(delta1 + root)) / 2n)) : -int(cubeRoot(uint(signed(root - delta1)) / 2n))
  const c1 = signed(uncheckedDiv(times(bRoot, bRoot), E18) * secondRoot) / E18
  const above = int(int(signed(E18 * c1) - signed(E18 * b)) - times(over(signed(E18 * b), c1), delta0))
  const share = over(above, signed(3n * a))
  const y = uint(signed(uncheckedDiv(times(d, d), xj) * share) / 4n / E18)
  uint(share)
  const part = div(mul(y, E18), d)
  if (version.narrowFrom === null) check(part >= 10n ** 16n - 1n && part <= 10n ** 20n)
  else check(part >= E36 / 2n / max && part <= max / 2n)
  return y
}

function newtonTwo(ann: bigint, gamma: bigint, other: bigint, d: bigint): bigint {
  const first = div(mul(d, d), mul(other, 4n))
  const k0i = div(mul(2n * E18, other), d)
  const limit = larger(larger(other / 10n ** 14n, d / 10n ** 14n), 100n)
  return newtonBalance({ ann, gamma, d }, { first, k0i, others: other, limit, coins: 2n })
}
