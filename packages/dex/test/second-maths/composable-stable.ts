import { add, at, check, distance, div, mul, revert, sub, sum, unlessReverted, wrap } from './evm.ts'

/** A ComposableStablePool of Balancer V2. The lists exclude the pool's own token. */
export interface ComposableStablePool {
  balances: readonly bigint[]
  /** 10 ** (18 - decimals) times the token's rate, which is out of 10 ** 18. */
  scalingFactors: readonly bigint[]
  /** Scaled by 1,000. */
  amp: bigint
  /** Out of 10 ** 18. */
  swapFee: bigint
}

const ONE = 10n ** 18n
const AMP_PRECISION = 1_000n

const mulDown = (a: bigint, b: bigint) => mul(a, b) / ONE
const mulUp = (a: bigint, b: bigint) => roundUp(mul(a, b), ONE)
const divDown = (a: bigint, b: bigint) => div(mul(a, ONE), b)

/** Math.divUp: a quotient, rounded up. */
function roundUp(a: bigint, b: bigint): bigint {
  check(b !== 0n, 'division by zero')
  return a === 0n ? 0n : (a - 1n) / b + 1n
}

/** _calculateInvariant. */
function balancerInvariant(amp: bigint, balances: readonly bigint[]): bigint {
  const n = BigInt(balances.length)
  const total = sum(balances)
  if (total === 0n) return 0n
  let invariant = total
  const ann = wrap(amp * n)
  for (let round = 0; round < 255; round++) {
    let part = invariant
    for (const balance of balances) part = div(mul(part, invariant), mul(balance, n))
    const before = invariant
    const above = mul(add(div(mul(ann, total), AMP_PRECISION), mul(part, n)), invariant)
    const below = add(div(mul(wrap(ann - AMP_PRECISION), invariant), AMP_PRECISION), mul(n + 1n, part))
    invariant = div(above, below)
    if (distance(invariant, before) <= 1n) return invariant
  }
  return revert('the invariant does not converge')
}

/** _getTokenBalanceGivenInvariantAndAllOtherBalances, given the former balance of the token sought. */
function balancerBalance(amp: bigint, balances: readonly bigint[], invariant: bigint, index: number): bigint {
  const n = BigInt(balances.length)
  const ann = wrap(amp * n)
  let total = at(balances, 0)
  let product = wrap(total * n)
  for (const balance of balances.slice(1)) {
    product = div(mul(product, balance, n), invariant)
    total = add(total, balance)
  }
  total = wrap(total - at(balances, index))
  const squared = mul(invariant, invariant)
  const c = mul(roundUp(squared, mul(ann, product)), AMP_PRECISION, at(balances, index))
  const b = add(total, mul(div(invariant, ann), AMP_PRECISION))
  let balance = roundUp(add(squared, c), add(invariant, b))
  for (let round = 0; round < 255; round++) {
    const before = balance
    balance = roundUp(add(mul(balance, balance), c), sub(add(mul(balance, 2n), b), invariant))
    if (distance(balance, before) <= 1n) return balance
  }
  return revert('the balance does not converge')
}

/** onSwap with exact input, between two tokens other than the pool's own. */
export function composableStableOut(
  pool: ComposableStablePool,
  from: number,
  to: number,
  amountIn: bigint,
): bigint | null {
  return unlessReverted(() => {
    check(from !== to && amountIn > 0n)
    const withoutFee = sub(amountIn, mulUp(amountIn, pool.swapFee))
    const balances = pool.balances.map((balance, index) => mulDown(balance, at(pool.scalingFactors, index)))
    const amount = mulDown(withoutFee, at(pool.scalingFactors, from))
    const invariant = balancerInvariant(pool.amp, balances)
    const changed = balances.map((balance, index) => (index === from ? add(balance, amount) : balance))
    const last = balancerBalance(pool.amp, changed, invariant, to)
    return divDown(sub(sub(at(balances, to), last), 1n), at(pool.scalingFactors, to))
  })
}
