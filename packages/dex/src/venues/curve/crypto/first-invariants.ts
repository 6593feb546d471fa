import { absolute, revert, revertUnless, uint } from '../../../maths/integers.ts'
import {
  A_MULTIPLIER,
  cryptoRate,
  descending,
  type Invariant,
  newtonBalance,
  newtonInvariant,
  others,
  type Range,
  type Shape,
  WAD,
} from './invariant.ts'

const MAX_STEPS = 255
const MIN_GAMMA = 10n ** 10n
const MIN_D = 10n ** 17n
const MAX_D = 10n ** 33n
/** Accepted balances, as multiples of D with 18 decimals. */
const RANGE: Range = { min: 10n ** 16n, max: 10n ** 20n }

interface Limits {
  minA: bigint
  maxA: bigint
  maxGamma: bigint
}

const TWO: Limits = {
  minA: (4n * A_MULTIPLIER) / 10n,
  maxA: 4n * A_MULTIPLIER * 100_000n,
  maxGamma: 2n * 10n ** 16n,
}
const THREE: Limits = {
  minA: (27n * A_MULTIPLIER) / 100n,
  maxA: 27n * A_MULTIPLIER * 1_000n,
  maxGamma: 5n * 10n ** 16n,
}

/** CurveCryptoSwap2ETH: pools of the crypto factory, and most earlier pools of two coins. */
export const CRYPTO_2 = ofTwo(false)
/** CurveCryptoSwap2 as compiled with Vyper 0.3.3 (EUROC of 2022). */
export const CRYPTO_2_OF_2022 = ofTwo(true)
/** Either of the two curves above. They rarely differ, and then by a few units, which quotes may not show. */
export const CRYPTO_2_OF_EITHER: Invariant = { ...CRYPTO_2, orElse: CRYPTO_2_OF_2022 }

/** CurveCryptoMath3, called by CurveCryptoSwap pools (tricrypto2). */
export const TRICRYPTO: Invariant = {
  coins: 3,
  balanceOf: (shape, balances, D, index) => limitedBalance(shape, THREE, others(balances, index), D),
  invariantOf(shape, balances) {
    checkShape(shape, THREE)
    const sorted = descending(balances)
    const [first = 0n] = sorted
    revertUnless(first >= 10n ** 9n && first <= MAX_D)
    for (const balance of sorted) revertUnless(uint(balance * WAD) / first >= 10n ** 11n)
    return newtonInvariant(shape, sorted, 3n * geometricMean(sorted, threeStep), RANGE)
  },
  rate: cryptoRate,
}

function ofTwo(dividesAll: boolean): Invariant {
  return {
    coins: 2,
    balanceOf: (shape, balances, D, index) => limitedBalance(shape, TWO, others(balances, index), D, dividesAll),
    invariantOf(shape, balances) {
      checkShape(shape, TWO)
      const sorted = descending(balances)
      const [first = 0n, second = 0n] = sorted
      revertUnless(first >= 10n ** 9n && first <= MAX_D && uint(second * WAD) / first >= 10n ** 14n)
      const mean = geometricMean(sorted, (D) => uint(D + uint(first * second) / D) / 2n)
      return newtonInvariant(shape, sorted, 2n * mean, RANGE)
    },
    rate: cryptoRate,
  }
}

function limitedBalance(
  shape: Shape,
  limits: Limits,
  otherBalances: readonly bigint[],
  D: bigint,
  dividesAll = false,
): bigint {
  checkShape(shape, limits)
  revertUnless(D >= MIN_D && D <= MAX_D)
  for (const balance of otherBalances) {
    // Two-coin contracts double the share before they round it.
    const coins = otherBalances.length === 1 ? 2n : 1n
    const share = uint(WAD * coins * balance) / D
    revertUnless(share >= RANGE.min * coins && share <= RANGE.max * coins)
  }
  const balance = newtonBalance(shape, otherBalances, D, dividesAll)
  const share = uint(balance * WAD) / D
  revertUnless(share >= RANGE.min && share <= RANGE.max)
  return balance
}

function checkShape({ A, gamma }: Shape, { minA, maxA, maxGamma }: Limits): void {
  revertUnless(A >= minA && A <= maxA && gamma >= MIN_GAMMA && gamma <= maxGamma)
}

/** Returns the geometric mean of descending balances, with the same error as `geometric_mean`. */
function geometricMean(sorted: readonly bigint[], next: (mean: bigint, sorted: readonly bigint[]) => bigint): bigint {
  let [mean = 0n] = sorted
  for (let step = 0; step < MAX_STEPS; step++) {
    const before = mean
    mean = next(mean, sorted)
    const moved = absolute(mean - before)
    if (moved <= 1n || uint(moved * WAD) < mean) return mean
  }
  revert()
}

function threeStep(mean: bigint, sorted: readonly bigint[]): bigint {
  let product = WAD
  for (const balance of sorted) product = uint(product * balance) / mean
  return uint(mean * (2n * WAD + product)) / (3n * WAD)
}
