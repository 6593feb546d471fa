import { revert, uint } from '../../../maths/checked-words.ts'
import { larger } from '../../../maths/integers.ts'
import { A_MULTIPLIER, descending, type Shape, WAD } from './invariant.ts'

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
