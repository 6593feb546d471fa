import { revert, uint } from '../../../maths/checked-words.ts'
import { larger } from '../../../maths/integers.ts'
import { A_MULTIPLIER, descending, type Shape, WAD } from './invariant.ts'

const MOST_STEPS = 255
/** Steps below this part of a value end the search. */
const PRECISION = 10n ** 14n

/** The search's start, and what the other coins contribute. */
interface Start {
  balance: bigint
  /** The others' part of K0: the product of all balances over that of equal ones. */
  product: bigint
  sum: bigint
  tolerance: bigint
  coins: bigint
  /** One release divides 1e18 together with the product and rounds differently. */
  dividesAll: boolean
}

/**
 * Returns one balance from the others: `newton_y` of CurveCryptoSwap2, CurveCryptoSwap2ETH and CurveCryptoMath3 without
 * limits, with each step's rounding.
 */
export function newtonBalance(shape: Shape, known: readonly bigint[], D: bigint, dividesAll = false): bigint {
  const [large = 0n, small] = descending(known)
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
  for (let step = 0; step < MOST_STEPS; step++) {
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
