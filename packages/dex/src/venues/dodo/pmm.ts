import { MAX_UINT256 } from '../../abi/words.ts'
import { add, div, mul, revert, squareRoot, sub } from '../../maths/integers.ts'

export const ONE = 10n ** 18n
const ONE2 = ONE * ONE

/** DODO's DecimalMath, with 18 decimals. */
export function mulFloor(target: bigint, d: bigint): bigint {
  return mul(target, d) / ONE
}

function divFloor(target: bigint, d: bigint): bigint {
  return div(mul(target, ONE), d)
}

function divCeil(target: bigint, d: bigint): bigint {
  const numerator = mul(target, ONE)
  const quotient = div(numerator, d)
  return quotient * d < numerator ? quotient + 1n : quotient
}

function reciprocalFloor(target: bigint): bigint {
  return div(ONE2, target)
}

/** The base reserve against its target: equal (`one`), less (`above`: the price is above `i`) or more (`below`). */
export const R = { one: 0n, above: 1n, below: 2n } as const

/** PMMPricing.PMMState with adjusted targets. */
export interface PmmState {
  /** Price of a base unit in quote units. */
  i: bigint
  /** Slope of the price: 0 is a flat price, ONE a constant product. */
  k: bigint
  b: bigint
  q: bigint
  b0: bigint
  q0: bigint
  r: bigint
  /** Set for Solidity 0.8, which reverts where older contracts avoid an overflow. */
  isChecked: boolean
}

interface Trade {
  amount: bigint
  newR: bigint
}

/** PMMPricing.sellBaseToken */
export function sellBase(state: PmmState, paid: bigint): Trade {
  const { i, k, b, q, b0, q0, r, isChecked } = state
  const solve = (v1: bigint, delta: bigint) => solveForTrade({ v0: q0, v1, i, k, isChecked }, delta)
  if (r === R.one) return { amount: solve(q0, paid), newR: R.below }
  if (r === R.below) return { amount: solve(q, paid), newR: R.below }
  const back = sub(b0, b)
  const given = sub(q, q0)
  if (paid < back) {
    const amount = integrate(b0, add(b, paid), b, i, k)
    return { amount: amount > given ? given : amount, newR: R.above }
  }
  if (paid === back) return { amount: given, newR: R.one }
  return { amount: add(given, solve(q0, paid - back)), newR: R.below }
}

/** PMMPricing.sellQuoteToken */
export function sellQuote(state: PmmState, paid: bigint): Trade {
  const { k, b, q, b0, q0, r, isChecked } = state
  const inverse = () => reciprocalFloor(state.i)
  const solve = (v1: bigint, delta: bigint) => solveForTrade({ v0: b0, v1, i: inverse(), k, isChecked }, delta)
  if (r === R.one) return { amount: solve(b0, paid), newR: R.above }
  if (r === R.above) return { amount: solve(b, paid), newR: R.above }
  const back = sub(q0, q)
  const given = sub(b, b0)
  if (paid < back) {
    const amount = integrate(q0, add(q, paid), q, inverse(), k)
    return { amount: amount > given ? given : amount, newR: R.below }
  }
  if (paid === back) return { amount: given, newR: R.one }
  return { amount: add(given, solve(b0, paid - back)), newR: R.above }
}

/** DODOMath._GeneralIntegrate: the output while the reserve of the paid token rises from v2 to v1. */
function integrate(v0: bigint, v1: bigint, v2: bigint, i: bigint, k: bigint): bigint {
  if (v0 === 0n) revert()
  const fair = mul(i, sub(v1, v2))
  if (k === 0n) return fair / ONE
  const ratio = divFloor(div(mul(v0, v0), v1), v2)
  return mul(add(sub(ONE, k), mulFloor(k, ratio)), fair) / ONE2
}

interface Curve {
  /** Target of the bought token. */
  v0: bigint
  /** Reserve of the bought token. */
  v1: bigint
  i: bigint
  k: bigint
  isChecked: boolean
}

/** DODOMath._SolveQuadraticFunctionForTrade: how far the bought reserve falls if `delta` of the other token is paid. */
function solveForTrade(curve: Curve, delta: bigint): bigint {
  const { v0, v1, i, k } = curve
  if (v0 === 0n) revert()
  if (delta === 0n) return 0n
  if (k === 0n) {
    const fair = mulFloor(i, delta)
    return fair > v1 ? v1 : fair
  }
  if (k === ONE) return constantProduct(curve, delta)
  const kept = ONE - k
  const part2 = add(mul(div(mul(k, v0), v1), v0), mul(i, delta))
  const part1 = mul(kept, v1)
  const isNegative = part1 >= part2
  const b = (isNegative ? part1 - part2 : part2 - part1) / ONE
  const root = squareRoot(add(mul(b, b), mulFloor(mul(kept, 4n), mul(mulFloor(k, v0), v0))))
  const numerator = isNegative ? add(b, root) : sub(root, b)
  if (!isNegative && numerator === 0n) revert()
  const v2 = divCeil(numerator, mul(kept, 2n))
  return v2 > v1 ? 0n : v1 - v2
}

function constantProduct({ v0, v1, i, isChecked }: Curve, delta: bigint): bigint {
  const fair = mul(i, delta)
  const isWide = fair * v1 > MAX_UINT256
  if (isWide && isChecked) revert()
  const ratio = isWide ? div(mul(div(mul(delta, v1), v0), i), v0) : div(fair * v1, mul(v0, v0))
  return div(mul(v1, ratio), add(ratio, ONE))
}
