import type { Address } from '../chain/hex.ts'
import { USD } from './anchor-prices.ts'
import { median } from './median.ts'

/** Inside this band around 1 USD a stablecoin counts as exactly 1. */
const BAND_LOW = (97n * USD) / 100n
const BAND_HIGH = (103n * USD) / 100n

/** Prices of a stablecoin, one a pool, by its pools with the coins given, each of those taken for 1 USD. */
type Witnesses = (coin: Address, trusted: ReadonlySet<Address>) => readonly bigint[]

interface Suspect {
  coin: Address
  rate: bigint
  /** How many more pools say that the coin left the band than say that it did not. */
  majority: number
}

/**
 * The stablecoins that left their peg, with their rates. A coin is measured by the median over its pools with the other
 * ones; but a pool outside of the band only tells that one of its two coins has fallen. So the coin that most of its
 * pools speak against is dismissed first, as a witness too, and the rest is measured again without it, until all that
 * are left agree. The same number of pools speaks against two: the lower one has fallen, since nobody pays more than
 * 1 USD for long for what is redeemed at 1. A coin that no other can be measured by counts as 1.
 */
export function fallenStablecoins(coins: readonly Address[], witnesses: Witnesses): Map<Address, bigint> {
  const trusted = new Set(coins)
  const fallen = new Map<Address, bigint>()
  for (;;) {
    const worst = suspects(trusted, witnesses).sort(compareSuspects)[0]
    if (worst === undefined) break
    trusted.delete(worst.coin)
    fallen.set(worst.coin, worst.rate)
  }
  for (const coin of fallen.keys()) {
    const rate = median(witnesses(coin, trusted))
    if (rate !== null) fallen.set(coin, rate)
  }
  return new Map([...fallen].filter(([, rate]) => isOutside(rate)))
}

function suspects(trusted: ReadonlySet<Address>, witnesses: Witnesses): Suspect[] {
  return [...trusted].flatMap((coin) => {
    const rates = witnesses(coin, trusted)
    const rate = median(rates)
    if (rate === null || !isOutside(rate)) return []
    return [{ coin, rate, majority: 2 * rates.filter(isOutside).length - rates.length }]
  })
}

/** Total, so that the order in which coins are configured does not matter. */
function compareSuspects(a: Suspect, b: Suspect): number {
  if (a.majority !== b.majority) return b.majority - a.majority
  if (a.rate !== b.rate) return a.rate < b.rate ? -1 : 1
  return a.coin < b.coin ? -1 : 1
}

function isOutside(rate: bigint): boolean {
  return rate < BAND_LOW || rate > BAND_HIGH
}
