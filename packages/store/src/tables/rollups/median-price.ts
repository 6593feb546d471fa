import { DAY_S, HOUR_S, MINUTE_S } from '@dexfeed/dex'

// A token's price is the median of its pools, weighted by money (docs/internals/candles.md). Pools are given by their
// keys as text; times and prices are as in token-prices.ts.

/** A pool is fresh in the minute of its last hop and in the four minutes after it. */
const FRESH_S = 4 * MINUTE_S
/** Only fresh pools count if they have at least a fifth of the weight. */
const FRESH_SHARE = 5n
/** Further pools would cost reads without affecting the price. */
const MAX_POOLS = 8

/** What buyers of a token paid into a pool in an hour, minus what sellers took out, in USD times 10^8. */
export interface HourFlow {
  pool: string
  hour: number
  net: bigint
}

export interface Weights {
  byPool: ReadonlyMap<string, bigint>
  /** The hour at which the window of the weights begins; older prices do not count. */
  since: number
  /** Whether the window includes the hour itself, because the 24 hours before it have too few hops. */
  isYoung: boolean
}

export class TokenFlows {
  readonly #pools = new Map<string, Map<number, bigint>>()
  readonly #weights = new Map<number, Weights>()

  constructor(flows: Iterable<HourFlow>) {
    for (const { pool, hour, net } of flows) {
      const hours = this.#pools.get(pool)
      if (hours === undefined) this.#pools.set(pool, new Map([[hour, net]]))
      else hours.set(hour, net)
    }
  }

  /**
   * Returns the weight of each pool: the range of its cumulative flow in the 24 hours before the hour of `time`. If the
   * token is young (no hops in the first half of these hours, or no weight), the 24 hours end with that hour instead.
   */
  at(time: number): Weights {
    const hour = time - (time % HOUR_S)
    const computed = this.#weights.get(hour)
    if (computed !== undefined) return computed
    const before = this.#ranges(hour - DAY_S, hour)
    const isYoung = this.#ranges(hour - DAY_S, hour - DAY_S / 2).size === 0 || sumOf(before) === 0n
    const since = isYoung ? hour - DAY_S + HOUR_S : hour - DAY_S
    const weights = { byPool: heaviest(isYoung ? this.#ranges(since, hour + HOUR_S) : before), since, isYoung }
    this.#weights.set(hour, weights)
    return weights
  }

  #ranges(from: number, to: number): Map<string, bigint> {
    const ranges = new Map<string, bigint>()
    for (const [pool, hours] of this.#pools) {
      let sum: bigint | null = null
      let min = 0n
      let max = 0n
      for (let hour = from; hour < to; hour += HOUR_S) {
        const net = hours.get(hour)
        if (net === undefined) continue
        sum = sum === null ? net : sum + net
        if (sum < min) min = sum
        if (sum > max) max = sum
      }
      if (sum !== null) ranges.set(pool, max - min)
    }
    return ranges
  }
}

function sumOf(weights: ReadonlyMap<string, bigint>): bigint {
  let sum = 0n
  for (const weight of weights.values()) sum += weight
  return sum
}

/** If no pool has weight, all pools weigh the same. */
function heaviest(weights: ReadonlyMap<string, bigint>): Map<string, bigint> {
  const isEven = sumOf(weights) === 0n
  const pools = [...weights].flatMap(([pool, weight]): [string, bigint][] => {
    if (isEven) return [[pool, 1n]]
    return weight > 0n ? [[pool, weight]] : []
  })
  pools.sort(([a, ofA], [b, ofB]) => (ofA === ofB ? (a < b ? -1 : 1) : ofA > ofB ? -1 : 1))
  return new Map(pools.slice(0, MAX_POOLS))
}

export interface LastPrice {
  price: bigint
  minute: number
}

/**
 * Returns the median of fresh pools, or of all pools if fresh ones have less than a fifth of the weight. Returns null
 * if no pool with weight has a price.
 */
export function medianPrice(
  lastOf: (pool: string) => LastPrice | undefined,
  { byPool, since }: Weights,
  minute: number,
): bigint | null {
  let total = 0n
  let weightOfFresh = 0n
  const fresh: Weighed[] = []
  const stale: Weighed[] = []
  for (const [pool, weight] of byPool) {
    total += weight
    const last = lastOf(pool)
    if (last === undefined || last.minute < since) continue
    if (last.minute < minute - FRESH_S) {
      stale.push({ price: last.price, weight })
      continue
    }
    weightOfFresh += weight
    fresh.push({ price: last.price, weight })
  }
  return weightedMedian(weightOfFresh * FRESH_SHARE < total ? fresh.concat(stale) : fresh)
}

interface Weighed {
  price: bigint
  weight: bigint
}

/** Returns the lowest price at or below which at least half of the weight lies. */
export function weightedMedian(counted: Weighed[]): bigint | null {
  if (counted.length < 2) return counted[0]?.price ?? null
  counted.sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0))
  let left = 0n
  for (const { weight } of counted) left += weight
  for (const { price, weight } of counted) {
    left -= 2n * weight
    if (left <= 0n) return price
  }
  return null
}

export interface PoolPrices {
  pool: string
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  first: number
  last: number
}

export interface TokenPrices {
  open: bigint
  high: bigint
  low: bigint
  close: bigint
}

export interface TradedMinutes {
  first: number
  last: number
}

/**
 * Returns the prices of an interval. Open and close are the medians at its first and last minute with hops; high and
 * low are the medians of the pools' highs and lows, widened to contain open and close. Returns null if no pool with
 * weight has a price.
 *
 * @param pools those with hops in the interval
 * @param before last prices of pools before the interval
 */
export function bucketPrices(
  { first, last }: TradedMinutes,
  pools: readonly PoolPrices[],
  before: ReadonlyMap<string, LastPrice>,
  flows: TokenFlows,
): TokenPrices | null {
  const inPools = new Map(pools.map((prices) => [prices.pool, prices]))
  const atBegin = flows.at(first)
  const atEnd = flows.at(last)
  const lastOf = (pool: string, price: 'high' | 'low' | 'close') => {
    const prices = inPools.get(pool)
    return prices === undefined ? before.get(pool) : { price: prices[price], minute: prices.last }
  }
  const opened = (pool: string) => {
    const prices = inPools.get(pool)
    return prices?.first === first ? { price: prices.open, minute: first } : before.get(pool)
  }
  const open = medianPrice(opened, atBegin, first)
  const close = medianPrice((pool) => lastOf(pool, 'close'), atEnd, last)
  const high = medianPrice((pool) => lastOf(pool, 'high'), atEnd, first)
  const low = medianPrice((pool) => lastOf(pool, 'low'), atEnd, first)
  const any = open ?? close ?? high ?? low
  if (any === null) return null
  let max = any
  let min = any
  for (const price of [open, close, high, low]) {
    if (price === null) continue
    if (price > max) max = price
    if (price < min) min = price
  }
  return { open: open ?? close ?? any, close: close ?? open ?? any, high: max, low: min }
}
