import { revert, revertUnless, uint } from '../../../maths/checked-words.ts'
import { larger } from '../../../maths/integers.ts'
import { A_MULTIPLIER, type Shape, WAD } from './invariant.ts'

const MAX_STEPS = 255

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
