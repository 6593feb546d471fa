import { orNull, revert } from '../../maths/checked-words.ts'
import { checked, divDown, mulDown, mulUp, ONE } from './fixed-point.ts'

/** A coin of a pool, as the vault of Balancer V3 holds it. */
export interface V3Coin {
  /** Base units. */
  raw: bigint
  /** The balance that the pool counts: with 18 decimals and the rate, yield fees taken off, rounded down. */
  live: bigint
  /** 10 ** (18 - decimals) */
  scaling: bigint
  /** With 18 decimals. */
  rate: bigint
}

export const V3_COIN_LENGTH = 4

/** PackedTokenBalance: raw and live balances fit into 128 bits. */
const MOST = 2n ** 128n - 1n

/** Returns a coin from its values: raw, live, scaling, rate; null if no pool can have them. */
export function v3CoinOf([raw, live, scaling, rate]: readonly bigint[]): V3Coin | null {
  if (raw === undefined || live === undefined || scaling === undefined || rate === undefined) return null
  if (raw < 0n || raw > MOST || live < 0n || live > MOST) return null
  if (scaling <= 0n || scaling > ONE || rate <= 0n || rate > MOST) return null
  return { raw, live, scaling, rate }
}

/** The fee of a pool with 18 decimals, and the least amount with 18 decimals that the vault swaps. */
export interface V3Terms {
  fee: bigint
  least: bigint
}

export function v3TermsOf([fee, least]: readonly bigint[]): V3Terms | null {
  if (fee === undefined || fee < 0n || fee >= ONE || least === undefined || least < 0n) return null
  return { fee, least }
}

/**
 * Returns what the vault pays for an input, or null if it reverts: Vault.swap of Balancer V3, exact in, without hooks.
 * @param outputOf the pool's onSwap, with 18 decimals
 */
export function v3AmountOut(
  { from, to }: { from: V3Coin; to: V3Coin },
  { fee, least }: V3Terms,
  amountIn: bigint,
  outputOf: (amountIn: bigint) => bigint,
): bigint | null {
  if (amountIn <= 0n) return null
  return orNull(() => {
    const given = scaled(amountIn, from)
    const input = given - mulUp(given, fee)
    if (input < least) revert()
    const output = outputOf(input)
    if (output < least) revert()
    const amountOut = divDown(output, checked(to.scaling * rateUp(to.rate)))
    // Protocol fees leave a little less of the input; amounts in between are not quoted.
    const after = from.raw + amountIn
    if (amountOut > to.raw || after > MOST || scaled(after, from) > MOST) revert()
    return amountOut
  })
}

/** ScalingHelpers.toScaled18ApplyRateRoundDown */
const scaled = (amount: bigint, { scaling, rate }: V3Coin): bigint => mulDown(checked(amount * scaling), rate)

/** ScalingHelpers.computeRateRoundUp */
const rateUp = (rate: bigint): bigint => (rate % ONE === 0n ? rate : rate + 1n)

/** Returns how many units of 18 decimals a base unit is, about. */
export const v3Scale = ({ scaling, rate }: V3Coin): number => (Number(scaling) * Number(rate)) / Number(ONE)

export const v3Kept = ({ fee }: V3Terms): number => Number(ONE - fee) / Number(ONE)
