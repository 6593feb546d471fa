import { add, at, check, distance, div, larger, mul, revert, sub, sum } from './evm.ts'

/** The limits in one of Curve's crypto pool contracts. */
export interface CryptoLimits {
  minAmp: bigint
  maxAmp: bigint
  minGamma: bigint
  maxGamma: bigint
}

const E18 = 10n ** 18n
const A_MULTIPLIER = 10_000n
const MIN_GAMMA = 10n ** 10n

/** CurveCryptoMath3 of tricrypto; CurveTricryptoMathOptimized has the same limits. */
export const TRICRYPTO_LIMITS: CryptoLimits = {
  minAmp: (27n * A_MULTIPLIER) / 100n,
  maxAmp: 27n * A_MULTIPLIER * 1_000n,
  minGamma: MIN_GAMMA,
  maxGamma: 5n * 10n ** 16n,
}

/** CurveCryptoSwap2 and CurveCryptoSwap2ETH. */
export const TWO_LIMITS: CryptoLimits = {
  minAmp: (4n * A_MULTIPLIER) / 10n,
  maxAmp: 4n * A_MULTIPLIER * 100_000n,
  minGamma: MIN_GAMMA,
  maxGamma: 2n * 10n ** 16n,
}

export function checkLimits({ minAmp, maxAmp, minGamma, maxGamma }: CryptoLimits, ann: bigint, gamma: bigint): void {
  check(ann >= minAmp && ann <= maxAmp, 'unsafe values A')
  check(gamma >= minGamma && gamma <= maxGamma, 'unsafe values gamma')
}

export function checkInvariant(d: bigint): void {
  check(d >= 10n ** 17n && d <= 10n ** 33n, 'unsafe values D')
}

/** x / D must be between 1 % and 100. */
export function checkShare(x: bigint, d: bigint): void {
  const share = div(mul(x, E18), d)
  check(share >= 10n ** 16n && share <= 10n ** 20n, 'unsafe values x[i]')
}

export function fromHighToLow(list: readonly bigint[]): bigint[] {
  return [...list].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
}

/**
 * _g1k0 of the contracts:
 * gamma + 1 - K0
 * , never zero.
 */
function gammaDistance(gamma: bigint, k0: bigint): bigint {
  const amount = add(gamma, E18)
  return amount > k0 ? add(sub(amount, k0), 1n) : add(sub(k0, amount), 1n)
}

function mul1(d: bigint, gamma: bigint, g1k0: bigint, ann: bigint): bigint {
  return div(mul(div(mul(div(mul(E18, d), gamma), g1k0), gamma), g1k0, A_MULTIPLIER), ann)
}

/** Newton's method for one balance from a starting value; identical in all four contracts. */
export function newtonBalance(
  { ann, gamma, d }: { ann: bigint; gamma: bigint; d: bigint },
  { first, k0i, others, limit, coins }: { first: bigint; k0i: bigint; others: bigint; limit: bigint; coins: bigint },
): bigint {
  let y = first
  for (let round = 0; round < 255; round++) {
    const before = y
    const k0 = div(mul(k0i, y, coins), d)
    const total = add(others, y)
    const g1k0 = gammaDistance(gamma, k0)
    const first1 = mul1(d, gamma, g1k0, ann)
    const second = add(E18, div(mul(2n * E18, k0), g1k0))
    const yfprime = add(add(mul(E18, y), mul(total, second)), first1)
    const dyfprime = mul(d, second)
    if (yfprime < dyfprime) {
      y = before / 2n
      continue
    }
    const rest = sub(yfprime, dyfprime)
    const fprime = div(rest, y)
    const part = div(first1, fprime)
    const plus = add(div(add(rest, mul(E18, d)), fprime), div(mul(part, E18), k0))
    const minus = add(part, div(mul(E18, total), fprime))
    y = plus < minus ? before / 2n : sub(plus, minus)
    if (distance(y, before) < larger(limit, y / 10n ** 14n)) return y
  }
  return revert('newton_y does not converge')
}

/** newton_y of CurveCryptoMath3, to which CurveTricryptoMathOptimized falls back. */
export function newtonY3(
  limits: CryptoLimits,
  ann: bigint,
  gamma: bigint,
  x: readonly bigint[],
  d: bigint,
  i: number,
): bigint {
  checkLimits(limits, ann, gamma)
  checkInvariant(d)
  for (const [k, other] of x.entries()) if (k !== i) checkShare(other, d)
  const y = unsafeNewtonY3(ann, gamma, x, d, i)
  checkShare(y, d)
  return y
}

export function unsafeNewtonY3(ann: bigint, gamma: bigint, x: readonly bigint[], d: bigint, i: number): bigint {
  const sorted = fromHighToLow(x.map((other, k) => (k === i ? 0n : other)))
  const large = at(sorted, 0)
  const small = at(sorted, 1)
  const limit = larger(larger(large / 10n ** 14n, d / 10n ** 14n), 100n)
  let first = d / 3n
  first = div(mul(first, d), mul(small, 3n))
  first = div(mul(first, d), mul(large, 3n))
  const k0i = div(mul(div(mul(E18, large, 3n), d), small, 3n), d)
  return newtonBalance({ ann, gamma, d }, { first, k0i, others: add(small, large), limit, coins: 3n })
}

/** newton_y of CurveCryptoSwap2. */
export function newtonY2(ann: bigint, gamma: bigint, x: readonly bigint[], d: bigint, i: number): bigint {
  checkLimits(TWO_LIMITS, ann, gamma)
  checkInvariant(d)
  const other = at(x, 1 - i)
  const first = div(mul(d, d), mul(other, 4n))
  const k0i = div(mul(2n * E18, other), d)
  check(k0i >= 2n * 10n ** 16n && k0i <= 2n * 10n ** 20n, 'unsafe values x[i]')
  const limit = larger(larger(other / 10n ** 14n, d / 10n ** 14n), 100n)
  const y = newtonBalance({ ann, gamma, d }, { first, k0i, others: other, limit, coins: 2n })
  checkShare(y, d)
  return y
}

function geometricMean(sorted: readonly bigint[]): bigint {
  const n = BigInt(sorted.length)
  let d = at(sorted, 0)
  for (let round = 0; round < 255; round++) {
    const before = d
    if (n === 2n) {
      d = div(add(d, div(mul(at(sorted, 0), at(sorted, 1)), d)), n)
    } else {
      let part = E18
      for (const x of sorted) part = div(mul(part, x), d)
      d = div(mul(d, add(mul(n - 1n, E18), part)), mul(n, E18))
    }
    const diff = distance(d, before)
    if (diff <= 1n || mul(diff, E18) < d) return d
  }
  return revert('geometric_mean does not converge')
}

/** newton_D of CurveCryptoMath3 and CurveCryptoSwap2. */
export function newtonD(limits: CryptoLimits, ann: bigint, gamma: bigint, unsorted: readonly bigint[]): bigint {
  checkLimits(limits, ann, gamma)
  const x = fromHighToLow(unsorted)
  const n = BigInt(x.length)
  const greatest = at(x, 0)
  check(greatest >= 10n ** 9n && greatest <= 10n ** 33n, 'unsafe values x[0]')
  for (const other of x.slice(1)) {
    check(div(mul(other, E18), greatest) >= (n === 2n ? 10n ** 14n : 10n ** 11n), 'unsafe values x[i]')
  }
  const total = sum(x)
  let d = mul(n, geometricMean(x))
  for (let round = 0; round < 255; round++) {
    const before = d
    d = nextInvariant(ann, gamma, x, total, d)
    if (mul(distance(d, before), 10n ** 14n) < larger(10n ** 16n, d)) {
      for (const other of x) checkShare(other, d)
      return d
    }
  }
  return revert('newton_D does not converge')
}

function k0Of(x: readonly bigint[], d: bigint): bigint {
  const n = BigInt(x.length)
  if (n === 2n) return div(mul(div(mul(4n * E18, at(x, 0)), d), at(x, 1)), d)
  let k0 = E18
  for (const other of x) k0 = div(mul(k0, other, n), d)
  return k0
}

function nextInvariant(ann: bigint, gamma: bigint, x: readonly bigint[], total: bigint, d: bigint): bigint {
  const n = BigInt(x.length)
  const k0 = k0Of(x, d)
  const g1k0 = gammaDistance(gamma, k0)
  const first = mul1(d, gamma, g1k0, ann)
  const second = div(mul(2n * E18 * n, k0), g1k0)
  const negFprime = sub(add(add(total, div(mul(total, second), E18)), div(mul(first, n), k0)), div(mul(second, d), E18))
  const plus = div(mul(d, add(negFprime, total)), negFprime)
  let minus = div(mul(d, d), negFprime)
  const part = div(mul(d, div(first, negFprime)), E18)
  if (E18 > k0) minus = add(minus, div(mul(part, E18 - k0), k0))
  else minus = sub(minus, div(mul(part, k0 - E18), k0))
  return plus > minus ? plus - minus : (minus - plus) / 2n
}
