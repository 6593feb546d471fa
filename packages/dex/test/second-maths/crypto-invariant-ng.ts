import { cubeRoot, squareRoot, type TwocryptoVersion } from './crypto-cubic.ts'
import { checkLimits, fromHighToLow } from './crypto-newton.ts'
import { add, at, check, distance, div, larger, mul, revert, sub, uint, uncheckedDiv, wrap } from './evm.ts'

const E18 = 10n ** 18n

/** newton_D of CurveTricryptoMathOptimized, without a first guess; most of it uses unchecked words. */
export function tricryptoNgD(ann: bigint, gamma: bigint, unsorted: readonly bigint[]): bigint {
  const x = fromHighToLow(unsorted)
  const [x0, x1, x2] = [at(x, 0), at(x, 1), at(x, 2)]
  check(x0 < ((2n ** 256n - 1n) / E18) * 27n && x0 > 0n)
  const total = wrap(x0 + x1 + x2)
  const product = mul(mul(x0, x1) / E18, x2) / E18
  let d = product === 0n ? 0n : wrap(3n * cubeRoot(product))
  for (let round = 0; round < 255; round++) {
    const before = d
    let k0 = uncheckedDiv(wrap(wrap(E18 * x0) * 3n), d)
    k0 = uncheckedDiv(wrap(wrap(k0 * x1) * 3n), d)
    k0 = uncheckedDiv(wrap(wrap(k0 * x2) * 3n), d)
    const amount = wrap(gamma + E18)
    const g1k0 = amount > k0 ? wrap(amount - k0 + 1n) : wrap(k0 - amount + 1n)
    let mul1 = uncheckedDiv(wrap(uncheckedDiv(wrap(E18 * d), gamma) * g1k0), gamma)
    mul1 = uncheckedDiv(wrap(wrap(mul1 * g1k0) * 10_000n), ann)
    const mul2 = uncheckedDiv(wrap(6n * E18 * k0), g1k0)
    const negFprime = wrap(total + wrap(total * mul2) / E18 + uncheckedDiv(wrap(mul1 * 3n), k0) - wrap(mul2 * d) / E18)
    const plus = uncheckedDiv(mul(d, wrap(negFprime + total)), negFprime)
    let minus = uncheckedDiv(mul(d, d), negFprime)
    const part = mul(d, uncheckedDiv(mul1, negFprime)) / E18
    if (E18 > k0) minus = add(minus, uncheckedDiv(wrap(part * (E18 - k0)), k0))
    else minus = sub(minus, uncheckedDiv(wrap(part * (k0 - E18)), k0))
    d = plus > minus ? plus - minus : (minus - plus) / 2n
    if (wrap(distance(d, before) * 10n ** 14n) < larger(10n ** 16n, d)) {
      for (const balance of x) {
        const share = uncheckedDiv(wrap(balance * E18), d)
        check(share >= 10n ** 16n - 1n && share <= 10n ** 20n, 'unsafe values x[i]')
      }
      return d
    }
  }
  return revert('newton_D does not converge')
}

/** newton_D of CurveTwocryptoMathOptimized, without a first guess. */
export function twocryptoNgD(
  version: TwocryptoVersion,
  ann: bigint,
  gamma: bigint,
  unsorted: readonly bigint[],
): bigint {
  checkLimits({ minAmp: 4_000n, maxAmp: 40_000_000n, minGamma: 10n ** 10n, maxGamma: version.maxGamma }, ann, gamma)
  const x = fromHighToLow(unsorted)
  const [x0, x1] = [at(x, 0), at(x, 1)]
  check(x0 >= 10n ** 9n && x0 <= 10n ** 33n)
  check(mul(x1, E18) / x0 >= 10n ** 14n)
  const total = wrap(x0 + x1)
  let d = mul(2n, squareRoot(wrap(x0 * x1)))
  for (let round = 0; round < 255; round++) {
    const before = d
    check(d > 0n)
    const k0 = mul(mul(4n * E18, x0) / d, x1) / d
    const amount = add(gamma, E18)
    const g1k0 = amount > k0 ? wrap(amount - k0 + 1n) : wrap(k0 - amount + 1n)
    const mul1 = mul(mul(mul(E18, d) / gamma, g1k0) / gamma, g1k0, 10_000n) / ann
    const mul2 = mul(4n * E18, k0) / g1k0
    const negFprime = sub(add(add(total, mul(total, mul2) / E18), div(mul(mul1, 2n), k0)), mul(mul2, d) / E18)
    const plus = div(mul(d, add(negFprime, total)), negFprime)
    let minus = uncheckedDiv(mul(d, d), negFprime)
    const part = mul(d, uncheckedDiv(mul1, negFprime)) / E18
    if (E18 > k0) minus = add(minus, uncheckedDiv(mul(part, E18 - k0), k0))
    else minus = sub(minus, uncheckedDiv(mul(part, k0 - E18), k0))
    d = uint(plus > minus ? plus - minus : (minus - plus) / 2n)
    if (mul(distance(d, before), 10n ** 14n) < larger(10n ** 16n, d)) {
      for (const balance of x) {
        const share = div(mul(balance, E18), d)
        if (version.narrowFrom === null) check(share >= 10n ** 16n - 1n && share <= 10n ** 20n)
        else check(share >= 10n ** 16n / 2n && share <= 10n ** 20n / 2n)
      }
      return d
    }
  }
  return revert('newton_D does not converge')
}
