import { MAX_UINT256 } from '../../../abi/words.ts'

/**
 * How a generation rounds the invariant's D^(n+1) / (n^n * prod x):
 * 1. `each`: divides by x * n, coin by coin (3pool, metapools, templates, pools of three and four coins).
 * 2. `each-plus-one`: divides by x * n + 1 (before 3pool; Aave, sAave, stETH).
 * 3. `last`: divides by each x, then by n^n (factory pools of two coins, StableSwap NG).
 */
export type ProductRounding = 'each' | 'each-plus-one' | 'last'

/** The contracts' iteration limit. */
const ROUNDS = 255

/** StableSwap's invariant; `amplification` is A times `precision`. */
export interface StableInvariant {
  amplification: bigint
  precision: bigint
  rounding: ProductRounding
}

/**
 * Returns D in the common unit, as `get_D` does (Curve's StableSwap whitepaper); null on overflow, division by zero or
 * without convergence.
 */
export function stableD(
  { amplification, precision, rounding }: StableInvariant,
  balances: readonly bigint[],
): bigint | null {
  const n = BigInt(balances.length)
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  if (sum === 0n) return 0n
  const divisors = balances.map((x) => (rounding === 'last' ? x : rounding === 'each' ? x * n : x * n + 1n))
  if (divisors.includes(0n)) return null
  const last = rounding === 'last' ? n ** n : 1n
  const ann = amplification * n
  const annSum = (ann * sum) / precision
  let d = sum
  for (let round = 0; round < ROUNDS; round++) {
    let product = d
    for (const divisor of divisors) {
      product *= d
      if (product > MAX_UINT256) return null
      product /= divisor
    }
    product /= last
    const previous = d
    const above = (annSum + product * n) * d
    const below = ((ann - precision) * d) / precision + (n + 1n) * product
    if (above > MAX_UINT256 || below === 0n) return null
    d = above / below
    if (hasConverged(d, previous)) return d
  }
  return null
}

/**
 * Returns the balance of coin `to` after that of coin `from` became `x`, as `get_y` does. Returns null as `stableD`
 * does.
 */
export function stableY(
  { amplification, precision }: StableInvariant,
  balances: readonly bigint[],
  d: bigint,
  from: number,
  to: number,
  x: bigint,
): bigint | null {
  const n = BigInt(balances.length)
  const ann = amplification * n
  let sum = 0n
  let c = d
  for (const [coin, balance] of balances.entries()) {
    if (coin === to) continue
    const held = coin === from ? x : balance
    sum += held
    c *= d
    if (held === 0n || held * n > MAX_UINT256 || c > MAX_UINT256) return null
    c /= held * n
  }
  c *= d * precision
  if (c > MAX_UINT256) return null
  c /= ann * n
  const b = sum + (d * precision) / ann - d
  let y = d
  for (let round = 0; round < ROUNDS; round++) {
    const previous = y
    const above = y * y + c
    const below = 2n * y + b
    if (above > MAX_UINT256 || below <= 0n) return null
    y = above / below
    if (hasConverged(y, previous)) return y
  }
  return null
}

/**
 * Returns whether price oracles can compute prices from these balances (`_get_p`, called by `upkeep_oracles`). If not,
 * exchanges revert by overflow or division by zero.
 * @param priceLimit exclusive limit of a price; null if there is none
 */
export function stablePricesFit(
  { amplification, precision }: StableInvariant,
  balances: readonly bigint[],
  d: bigint,
  priceLimit: bigint | null,
): boolean {
  const n = BigInt(balances.length)
  const [first] = balances
  if (first === undefined || balances.includes(0n)) return false
  let product = d / n ** n
  for (const balance of balances) {
    product *= d
    if (product > MAX_UINT256) return false
    product /= balance
  }
  const amplified = amplification * n * first
  const lowest = balances.slice(1).reduce((value, balance) => (balance < value ? balance : value))
  if (amplified > MAX_UINT256 || product * first > MAX_UINT256) return false
  const size = amplified / precision
  const price = (size + (product * first) / lowest) * 10n ** 18n
  if (size + product === 0n || price > MAX_UINT256) return false
  return priceLimit === null || price / (size + product) < priceLimit
}

export function hasConverged(value: bigint, previous: bigint): boolean {
  const difference = value - previous
  return difference <= 1n && difference >= -1n
}

/** Returns the marginal rate without fee, in floating point because only bounds need it. */
export function stableRate(
  { amplification, precision }: StableInvariant,
  balances: readonly bigint[],
  d: bigint,
  from: number,
  to: number,
): number {
  const n = balances.length
  const ann = (Number(amplification) * n) / Number(precision)
  const size = Number(d)
  const product = balances.reduce((value, balance) => (value * size) / (Number(balance) * n), size)
  const weight = (coin: number) => ann + product / Number(balances[coin])
  return weight(from) / weight(to)
}
