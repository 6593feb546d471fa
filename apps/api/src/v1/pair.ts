import type { V1Row } from '@dexfeed/contract'
import { type Address, significantDecimal } from '@dexfeed/dex'
import { type Moneys, moneyRank } from '@dexfeed/store'

const DIGITS = 18

/** Returns which of two tokens is the base, whose price is shown: the one that is less money, else the first. */
export function baseSide(token0: Address, token1: Address, moneys: Moneys): 0 | 1 {
  return moneyRank(token0, moneys) <= moneyRank(token1, moneys) ? 0 : 1
}

type Leg = Pick<V1Row<'searchSwaps'>['sell_token'], 'amount' | 'decimals'>

/** Returns the price of a whole base token in quote tokens, rounded down to 18 digits; null if it is unknown. */
export function quotePriceOf(base: Leg, quote: Leg): string | null {
  if (base.decimals === null || quote.decimals === null || base.amount === '0' || quote.amount === '0') return null
  const numerator = BigInt(quote.amount) * 10n ** BigInt(base.decimals)
  return significantDecimal({ numerator, denominator: BigInt(base.amount) * 10n ** BigInt(quote.decimals) }, DIGITS)
}
