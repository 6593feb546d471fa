import { revert } from '../../maths/integers.ts'
import { present } from '../../present.ts'
import { checked, divideDown, divideUp } from './fixed-point.ts'

export const AMP_PRECISION = 1_000n
const MAX_ITERATIONS = 255
/** StableMath.MAX_STABLE_TOKENS */
export const MAX_STABLE_COINS = 5
/** Far above StableMath.MAX_AMP. */
const MAX_AMPLIFICATION = 10n ** 6n * AMP_PRECISION

export function isAmplification(value: bigint | undefined): value is bigint {
  return value !== undefined && value >= AMP_PRECISION && value <= MAX_AMPLIFICATION
}

/** Balances have 18 decimals; the amplification is multiplied by AMP_PRECISION. */
export interface StableBalances {
  amplification: bigint
  balances: readonly bigint[]
  /** V3 multiplies by AMP_PRECISION before dividing, V2 after. */
  isV3: boolean
}

/**
 * Returns the invariant, rounded up: StableMath._calculateInvariant with `roundUp`, of StablePool and MetaStablePool
 * (V2, 2021).
 * @throws if the contract reverts
 */
export function invariantUp({ amplification, balances }: StableBalances): bigint {
  const [first = 0n, ...others] = balances
  const count = BigInt(balances.length)
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  if (sum === 0n) return 0n
  const ampTimesTotal = amplification * count
  return converged(sum, (invariant) => {
    let product = checked(count * first)
    for (const balance of others) {
      product = divideUp(checked(checked(product * balance) * count), invariant)
    }
    const ampSum = divideUp(checked(checked(ampTimesTotal * sum) * product), AMP_PRECISION)
    const dividend = checked(checked(count * invariant) * invariant) + ampSum
    const divisor = (count + 1n) * invariant + divideDown((ampTimesTotal - AMP_PRECISION) * product, AMP_PRECISION)
    return divideUp(checked(dividend), checked(divisor))
  })
}

/**
 * Returns the invariant, rounded down: StableMath._calculateInvariant of V2 from 2022 on, computeInvariant of V3.
 * @throws if the contract reverts
 */
export function invariantDown({ amplification, balances }: StableBalances): bigint {
  const count = BigInt(balances.length)
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  if (sum === 0n) return 0n
  const ampTimesTotal = amplification * count
  return converged(sum, (invariant) => {
    let product = invariant
    for (const balance of balances) product = divideDown(product * invariant, checked(balance * count))
    const dividend = checked(divideDown(ampTimesTotal * sum, AMP_PRECISION) + checked(product * count)) * invariant
    const divisor = divideDown((ampTimesTotal - AMP_PRECISION) * invariant, AMP_PRECISION) + (count + 1n) * product
    return divideDown(dividend, checked(divisor))
  })
}

function converged(start: bigint, step: (before: bigint) => bigint): bigint {
  let value = start
  for (let i = 0; i < MAX_ITERATIONS; i++) {
    const before = value
    value = step(before)
    const change = value - before
    if (-1n <= change && change <= 1n) return value
  }
  revert()
}

/**
 * Returns the output without fee, with 18 decimals: StableMath._calcOutGivenIn of V2, computeOutGivenExactIn of V3.
 * @throws if the contract reverts
 */
export function stableOutput(
  pool: StableBalances,
  invariant: bigint,
  { from, to, amountIn }: { from: number; to: number; amountIn: bigint },
): bigint {
  const balances = pool.balances.map((balance, index) => (index === from ? checked(balance + amountIn) : balance))
  const before = present(balances[to])
  return checked(before - balanceGiven({ ...pool, balances }, invariant, to) - 1n)
}

/**
 * Returns a coin's balance from the invariant and the others, rounded up:
 * StableMath._getTokenBalanceGivenInvariantAndAllOtherBalances of V2, computeBalance of V3.
 * @throws if the contract reverts
 */
function balanceGiven({ amplification, balances, isV3 }: StableBalances, invariant: bigint, index: number): bigint {
  const [first = 0n, ...others] = balances
  const count = BigInt(balances.length)
  const ampTimesTotal = amplification * count
  let product = checked(first * count)
  let sum = first
  for (const balance of others) {
    product = divideDown(checked(product * balance) * count, invariant)
    sum += balance
  }
  const ownBalance = present(balances[index])
  const square = checked(invariant * invariant)
  const divisor = checked(ampTimesTotal * product)
  const share = isV3 ? divideUp(square * AMP_PRECISION, divisor) : divideUp(square, divisor) * AMP_PRECISION
  const c = checked(share * ownBalance)
  const ownPart = isV3 ? (invariant * AMP_PRECISION) / ampTimesTotal : (invariant / ampTimesTotal) * AMP_PRECISION
  const b = checked(sum - ownBalance + ownPart)
  return converged(divideUp(square + c, invariant + b), (balance) =>
    divideUp(checked(balance * balance) + c, checked(balance * 2n + b - invariant)),
  )
}

/** Returns an approximate marginal rate without fee: the ratio of the invariant's derivatives. */
export function stableRate(
  { amplification, balances }: StableBalances,
  invariant: bigint,
  { from, to }: { from: number; to: number },
): number {
  const ampTimesTotal = (Number(amplification) / Number(AMP_PRECISION)) * balances.length
  const total = Number(invariant)
  const product = balances.reduce((value, balance) => (value * total) / (Number(balance) * balances.length), total)
  const slope = (index: number) => ampTimesTotal + product / Number(present(balances[index]))
  return slope(from) / slope(to)
}
