import { TWOCRYPTO_2_0, TWOCRYPTO_2_1, tricryptoNgY, twocryptoNgY } from './crypto-cubic.ts'
import { tricryptoNgD, twocryptoNgD } from './crypto-invariant-ng.ts'
import { newtonD, newtonY2, newtonY3, TRICRYPTO_LIMITS, TWO_LIMITS } from './crypto-newton.ts'
import { add, at, check, div, mul, sub, sum, unlessReverted } from './evm.ts'

/** Curve's contracts for pools of coins that are not pegged. */
export type CryptoVersion = 'tricrypto' | 'two' | 'tricrypto-ng' | 'twocrypto-ng-2.0' | 'twocrypto-ng-2.1'

export interface CryptoPool {
  version: CryptoVersion
  balances: readonly bigint[]
  /** 10 ** (18 - decimals) of each coin. */
  precisions: readonly bigint[]
  /** For each coin but the first. */
  priceScale: readonly bigint[]
  /** A() and gamma() as the contract reports them. */
  ann: bigint
  gamma: bigint
  /** Null if A and gamma are ramping, because the contract then computes D again. */
  d: bigint | null
  midFee: bigint
  outFee: bigint
  feeGamma: bigint
}

const E18 = 10n ** 18n

function scaled({ precisions, priceScale }: CryptoPool, amounts: readonly bigint[]): bigint[] {
  return amounts.map((amount, k) =>
    k === 0 ? mul(amount, at(precisions, 0)) : div(mul(amount, at(priceScale, k - 1), at(precisions, k)), E18),
  )
}

function invariant({ version, ann, gamma }: CryptoPool, xp: readonly bigint[]): bigint {
  switch (version) {
    case 'tricrypto':
      return newtonD(TRICRYPTO_LIMITS, ann, gamma, xp)
    case 'two':
      return newtonD(TWO_LIMITS, ann, gamma, xp)
    case 'tricrypto-ng':
      return tricryptoNgD(ann, gamma, xp)
    case 'twocrypto-ng-2.0':
      return twocryptoNgD(TWOCRYPTO_2_0, ann, gamma, xp)
    case 'twocrypto-ng-2.1':
      return twocryptoNgD(TWOCRYPTO_2_1, ann, gamma, xp)
  }
}

/** Returns D for a pool's balances, or null if the contract does not find it. */
export function cryptoInvariant(pool: CryptoPool): bigint | null {
  return unlessReverted(() => invariant(pool, scaled(pool, pool.balances)))
}

function balanceAfter({ version, ann, gamma }: CryptoPool, xp: readonly bigint[], d: bigint, j: number): bigint {
  switch (version) {
    case 'tricrypto':
      return newtonY3(TRICRYPTO_LIMITS, ann, gamma, xp, d, j)
    case 'two':
      return newtonY2(ann, gamma, xp, d, j)
    case 'tricrypto-ng':
      return tricryptoNgY(ann, gamma, xp, d, j)
    case 'twocrypto-ng-2.0':
      return twocryptoNgY(TWOCRYPTO_2_0, ann, gamma, xp, d, j)
    case 'twocrypto-ng-2.1':
      return twocryptoNgY(TWOCRYPTO_2_1, ann, gamma, xp, d, j)
  }
}

/** reduction_coefficient and _fee: between mid_fee and out_fee, depending on how unequal the balances are. */
function cryptoFee({ midFee, outFee, feeGamma }: CryptoPool, xp: readonly bigint[]): bigint {
  const total = sum(xp)
  const n = BigInt(xp.length)
  let k: bigint
  if (n === 2n) {
    k = div(mul(div(mul(4n * E18, at(xp, 0)), total), at(xp, 1)), total)
  } else {
    k = E18
    for (const x of xp) k = div(mul(k, n, x), total)
  }
  // Pools of two coins always divide; pools of three do so if fee_gamma is set.
  if (n === 2n || feeGamma > 0n) k = div(mul(feeGamma, E18), sub(add(feeGamma, E18), k))
  return div(add(mul(midFee, k), mul(outFee, sub(E18, k))), E18)
}

/** What get_dy returns, and what exchange pays if its prices can be updated afterwards. */
export function cryptoSwapOut(pool: CryptoPool, i: number, j: number, amountIn: bigint): bigint | null {
  return unlessReverted(() => {
    check(i !== j && amountIn > 0n)
    const d = pool.d ?? invariant(pool, scaled(pool, pool.balances))
    const xp = scaled(
      pool,
      pool.balances.map((balance, k) => (k === i ? add(balance, amountIn) : balance)),
    )
    const y = balanceAfter(pool, xp, d, j)
    let dy = sub(sub(at(xp, j), y), 1n)
    xp[j] = y
    if (j > 0) dy = div(mul(dy, E18), at(pool.priceScale, j - 1))
    dy = div(dy, at(pool.precisions, j))
    return sub(dy, div(mul(cryptoFee(pool, xp), dy), 10n ** 10n))
  })
}
