/** Of a token in another one, in base units times 10^42; null where a ratio is too small. */
export interface QuotePrices {
  open: bigint | null
  high: bigint | null
  low: bigint | null
  close: bigint | null
}

/** Prices in USD of the two tokens of the hops of a minute, of the requested one first. */
export interface PairPrices {
  openAt: number
  closeAt: number
  open: Pair
  high: Pair
  low: Pair
  close: Pair
}

type Pair = readonly [token: bigint, other: bigint]

const SCALE = 10n ** 42n

/** The prices of an interval, from its minutes in any order, by the rule of `quoteMinutes` in the store. */
export class QuoteInterval {
  #openAt = Number.POSITIVE_INFINITY
  #closeAt = Number.NEGATIVE_INFINITY
  readonly prices: QuotePrices = { open: null, high: null, low: null, close: null }

  add(minute: PairPrices): void {
    const { prices } = this
    const open = ratioOf(minute.open)
    const close = ratioOf(minute.close)
    if (minute.openAt < this.#openAt) {
      this.#openAt = minute.openAt
      prices.open = open
    }
    if (minute.closeAt > this.#closeAt) {
      this.#closeAt = minute.closeAt
      prices.close = close
    }
    for (const price of [open, ratioOf(minute.high), close]) {
      if (price !== null && (prices.high === null || price > prices.high)) prices.high = price
    }
    for (const price of [open, ratioOf(minute.low), close]) {
      if (price !== null && (prices.low === null || price < prices.low)) prices.low = price
    }
  }
}

/** The last two digits of the stored prices do not count. */
function ratioOf([token, other]: Pair): bigint | null {
  const ratio = (token * SCALE) / other
  const digits = Math.min(String(token).length, String(other).length) - 2
  const extra = String(ratio).length - digits
  const rounded = extra > 0 ? ratio - (ratio % 10n ** BigInt(extra)) : ratio
  return rounded === 0n ? null : rounded
}
