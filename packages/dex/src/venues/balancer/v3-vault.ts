import { orNull, revert } from '../../maths/checked-words.ts'
import { checked, divDown, mulDown, mulUp, ONE } from './fixed-point.ts'

export interface V3Coin {
  /** In base units. */
  raw: bigint
  /** The balance that the pool's maths uses: 18 decimals, rate applied, yield fees deducted, rounded down. */
  live: bigint
  /** 10 ** (18 - decimals) */
  scaling: bigint
  /** With 18 decimals. */
  rate: bigint
}

export const V3_COIN_LENGTH = 4

/** PackedTokenBalance: both balances fit 128 bits. */
const MAX_BALANCE = 2n ** 128n - 1n

export function v3CoinOf([raw, live, scaling, rate]: readonly bigint[]): V3Coin | null {
  if (raw === undefined || live === undefined || scaling === undefined || rate === undefined) return null
  if (raw < 0n || raw > MAX_BALANCE || live < 0n || live > MAX_BALANCE) return null
  if (scaling <= 0n || scaling > ONE || rate <= 0n || rate > MAX_BALANCE) return null
  return { raw, live, scaling, rate }
}

/** A pool's fee and the vault's minimum swap, both with 18 decimals. */
export interface V3Terms {
  fee: bigint
  minTrade: bigint
}

export function v3TermsOf([fee, minTrade]: readonly bigint[]): V3Terms | null {
  if (fee === undefined || fee < 0n || fee >= ONE || minTrade === undefined || minTrade < 0n) return null
  return { fee, minTrade }
}

/**
 * Returns the output, or null if the vault reverts: Vault.swap of Balancer V3, exact input, without hooks.
 * @param outputOf the pool's onSwap, with 18 decimals
 */
export function v3AmountOut(
  { from, to }: { from: V3Coin; to: V3Coin },
  { fee, minTrade }: V3Terms,
  amountIn: bigint,
  outputOf: (amountIn: bigint) => bigint,
): bigint | null {
  if (amountIn <= 0n) return null
  return orNull(() => {
    const given = scaled(amountIn, from)
    const input = given - mulUp(given, fee)
    if (input < minTrade) revert()
    const output = outputOf(input)
    if (output < minTrade) revert()
    const amountOut = divDown(output, checked(to.scaling * rateUp(to.rate)))
    // The vault first deducts protocol fees, so it accepts slightly larger inputs than are quoted.
    const after = from.raw + amountIn
    if (amountOut > to.raw || after > MAX_BALANCE || scaled(after, from) > MAX_BALANCE) revert()
    return amountOut
  })
}

/** ScalingHelpers.toScaled18ApplyRateRoundDown */
const scaled = (amount: bigint, { scaling, rate }: V3Coin): bigint => mulDown(checked(amount * scaling), rate)

/** ScalingHelpers.computeRateRoundUp */
const rateUp = (rate: bigint): bigint => (rate % ONE === 0n ? rate : rate + 1n)

/** Returns approximately how many 18-decimal units one base unit is worth. */
export const v3Scale = ({ scaling, rate }: V3Coin): number => (Number(scaling) * Number(rate)) / Number(ONE)

export const v3Kept = ({ fee }: V3Terms): number => Number(ONE - fee) / Number(ONE)
