import { add, at, check, distance, div, mul, revert, sub, sum, uncheckedDiv, unlessReverted, wrap } from './evm.ts'

/** How the contracts differ. Each version is named after the first contracts that use it. */
export interface StableSwapVersion {
  /** 100 if A carries two more digits (A_PRECISION), 1 if not, as in 3pool and PancakeSwap. */
  aPrecision: bigint
  /**
   * How get_D divides D_P:
   *
   * 1. plain: by x * N, like most contracts.
   * 2. plusOne: by x * N + 1 (Compound, Y, stETH, Aave).
   * 3. two: D * D / x0 * D / x1 / N**2 (factory pools of two coins).
   * 4. ng: by each x, and at the end by N**N.
   */
  invariant: 'plain' | 'plusOne' | 'two' | 'ng'
  /** Whether Newton's method reverts if it has not converged after 255 rounds. Otherwise its last value counts. */
  mustConverge: boolean
  /** What an exchange keeps for rounding errors: 1, or 0 in Compound and Aave. */
  kept: bigint
  /** A multiplier of the fee while balances are unequal, or null if the fee is constant. */
  offpegFeeMultiplier: bigint | null
  /** get_dy of 3pool and others deducts the fee after converting units, unlike its exchange. */
  isFeeInCoinUnits: boolean
  /** Whether an exchange updates a price oracle, which may revert (StableSwap NG). */
  hasOracle: boolean
}

export interface StableSwapPool extends StableSwapVersion {
  balances: readonly bigint[]
  /** For each coin, 10 ** 18 times 10 ** (18 - decimals), times the lending price if there is one. */
  rates: readonly bigint[]
  /** Including the digits of `aPrecision`. */
  amp: bigint
  /** Out of 10 ** 10. */
  fee: bigint
}

const PRECISION = 10n ** 18n
const FEE_DENOMINATOR = 10n ** 10n

function stableSwapBalances({ balances, rates }: StableSwapPool): bigint[] {
  return balances.map((balance, index) => div(mul(at(rates, index), balance), PRECISION))
}

function nextPart(version: StableSwapVersion, xp: readonly bigint[], d: bigint): bigint {
  const n = BigInt(xp.length)
  if (version.invariant === 'two') {
    return div(div(mul(div(mul(d, d), at(xp, 0)), d), at(xp, 1)), n ** 2n)
  }
  let part = d
  for (const x of xp) {
    if (version.invariant === 'ng') part = div(mul(part, d), x)
    else if (version.invariant === 'plain') part = div(mul(part, d), mul(x, n))
    else part = div(mul(part, d), add(mul(x, n), 1n))
  }
  return version.invariant === 'ng' ? div(part, n ** n) : part
}

/** get_D: the sum of the balances if all were equal. */
function stableSwapInvariant(version: StableSwapVersion, xp: readonly bigint[], amp: bigint): bigint {
  const n = BigInt(xp.length)
  const total = sum(xp)
  if (total === 0n) return 0n
  let d = total
  const ann = mul(amp, n)
  for (let round = 0; round < 255; round++) {
    const part = nextPart(version, xp, d)
    const before = d
    const above = mul(add(div(mul(ann, total), version.aPrecision), mul(part, n)), d)
    const below = add(div(mul(sub(ann, version.aPrecision), d), version.aPrecision), mul(n + 1n, part))
    d = div(above, below)
    if (distance(d, before) <= 1n) return d
  }
  return version.mustConverge ? revert('get_D does not converge') : d
}

/** The last part of get_y and get_y_D: the balance of the missing coin, from the total and product of the others. */
function solve(version: StableSwapVersion, ann: bigint, d: bigint, others: readonly bigint[]): bigint {
  const n = BigInt(others.length + 1)
  let c = d
  for (const x of others) c = div(mul(c, d), mul(x, n))
  c = div(mul(c, d, version.aPrecision), mul(ann, n))
  const b = add(sum(others), div(mul(d, version.aPrecision), ann))
  let y = d
  for (let round = 0; round < 255; round++) {
    const before = y
    y = div(add(mul(y, y), c), sub(add(mul(2n, y), b), d))
    if (distance(y, before) <= 1n) return y
  }
  return version.mustConverge ? revert('get_y does not converge') : y
}

/** get_y: the balance of coin `to` if the balance of coin `from` is x. */
function balanceAfter(pool: StableSwapPool, from: number, to: number, x: bigint, xp: readonly bigint[]): bigint {
  check(from !== to)
  const d = stableSwapInvariant(pool, xp, pool.amp)
  const others = xp.map((balance, index) => (index === from ? x : balance)).filter((_, index) => index !== to)
  return solve(pool, mul(pool.amp, BigInt(xp.length)), d, others)
}

/** _dynamic_fee of Aave's pool and of StableSwap NG. */
function offpegFee(multiplier: bigint | null, fee: bigint, xpi: bigint, xpj: bigint): bigint {
  if (multiplier === null || multiplier <= FEE_DENOMINATOR) return fee
  const total = add(xpi, xpj)
  const share = div(mul(multiplier - FEE_DENOMINATOR, 4n, xpi, xpj), mul(total, total))
  return div(mul(multiplier, fee), add(share, FEE_DENOMINATOR))
}

/** The oracle's prices after an exchange of StableSwap NG, computed only because they may revert (_get_p). */
function checkPrices(xp: readonly bigint[], amp: bigint, d: bigint): void {
  const n = BigInt(xp.length)
  const first = at(xp, 0)
  let part = uncheckedDiv(d, n ** n)
  for (const x of xp) part = div(mul(part, d), x)
  const amplified = div(mul(wrap(amp * n), first), 100n)
  for (const x of xp.slice(1)) {
    div(mul(PRECISION, add(amplified, uncheckedDiv(mul(part, first), x))), add(amplified, part))
  }
}

/** What `exchange` pays in Curve's curve-contract, curve-factory and stableswap-ng, and in PancakeStableSwapTwoPool. */
export function stableSwapExchange(pool: StableSwapPool, from: number, to: number, amountIn: bigint): bigint | null {
  return unlessReverted(() => {
    const xp = stableSwapBalances(pool)
    const { before, fee, y, x } = swap(pool, xp, from, to, amountIn)
    if (pool.hasOracle) {
      const after = xp.map((balance, index) => (index === from ? x : index === to ? y : balance))
      checkPrices(after, pool.amp, stableSwapInvariant(pool, xp, pool.amp))
    }
    const out = div(mul(sub(before, fee), PRECISION), at(pool.rates, to))
    check(out <= at(pool.balances, to))
    return out
  })
}

/** What `get_dy` returns. */
export function stableSwapView(pool: StableSwapPool, from: number, to: number, amountIn: bigint): bigint | null {
  return unlessReverted(() => {
    const { before, fee, feeRate } = swap(pool, stableSwapBalances(pool), from, to, amountIn)
    const rate = at(pool.rates, to)
    if (!pool.isFeeInCoinUnits) return div(mul(sub(before, fee), PRECISION), rate)
    const out = div(mul(before, PRECISION), rate)
    return sub(out, div(mul(feeRate, out), FEE_DENOMINATOR))
  })
}

function swap(pool: StableSwapPool, xp: readonly bigint[], from: number, to: number, amountIn: bigint) {
  const x = add(at(xp, from), div(mul(amountIn, at(pool.rates, from)), PRECISION))
  const y = balanceAfter(pool, from, to, x, xp)
  const before = sub(sub(at(xp, to), y), pool.kept)
  const feeRate = offpegFee(pool.offpegFeeMultiplier, pool.fee, add(at(xp, from), x) / 2n, add(at(xp, to), y) / 2n)
  return { x, y, before, feeRate, fee: div(mul(before, feeRate), FEE_DENOMINATOR) }
}
