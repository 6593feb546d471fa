import { type Address, type CoveredRange, DAY_S, HOUR_S, startOfDay } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { readRows, readTogether } from '../stored.ts'
import { readCoveredRanges } from '../tables/covered-range.ts'
import { keptSince } from '../tables/kept-days.ts'
import {
  bucketPrices,
  type LastPrice,
  medianPrice,
  type PoolPrices,
  TokenFlows,
  type TokenPrices,
  type TradedMinutes,
} from '../tables/rollups/median-price.ts'
import type { Span } from '../tables/rollups/merge-candles.ts'
import {
  lastSidePrices,
  type PoolSide,
  type SideCandleRow,
  type SideDayRow,
  type SidePriceRow,
  sideCandles,
  sideDays,
} from '../tables/rollups/pool-candle.ts'
import { type FlowRow, flowsWithin } from '../tables/rollups/token-flow.ts'
import type { TokenMinute } from '../tables/rollups/token-volume.ts'
import { poolKey } from '../tables/swap/pool-key.ts'

// The prices of tokens over all their pools (docs/internals/candles.md): what median-price.ts makes of the roll-ups. Callers
// run all statements in one snapshot. Times are seconds since 1970, prices USD per base unit times 10^42.

const MINUTE_S = 60

/** A network, and which of its blocks are indexed and kept. */
export interface PricedNetwork {
  chainId: number
  covered: readonly CoveredRange[]
  /** The first second whose rows are kept; null if all are. */
  since: number | null
}

/** Returns what prices need of a network. */
export async function readPricedNetwork(
  db: Db,
  chainId: number,
  covered?: readonly CoveredRange[],
): Promise<PricedNetwork> {
  const day = await keptSince(db)
  const since = day === null ? null : startOfDay(day)
  return { chainId, covered: covered ?? (await readCoveredRanges(db, chainId)), since }
}

interface Weighting {
  /** Whether the 24 hours that the weights are of are indexed as a whole, and say enough. */
  isWeighted: boolean
}

export interface WeightedPrices extends TokenPrices, Weighting {}
export interface WeightedPrice extends Weighting {
  price: bigint
}

/** An interval of a token that has a hop with a value. */
export interface TokenInterval extends TradedMinutes {
  /** First second of the interval. */
  time: number
}

/** Returns the prices of a token in intervals of some seconds (ascending, within a span), by their first second. */
export async function readIntervalPrices(
  db: Db,
  network: PricedNetwork,
  token: Address,
  intervals: readonly TokenInterval[],
  { seconds, span }: { seconds: number; span: Span },
): Promise<Map<number, WeightedPrices>> {
  const minutes = intervals.flatMap(({ first, last }) => [first, last])
  const flowsOf = await readFlows(db, network, new Map([[token, minutes]]))
  const sides = new PoolSides()
  sides.add(token, flowsOf(token), minutes)
  const { candles, before } = await readSides(db, network, sides, { seconds, span })
  const last = before.get(token) ?? new Map<string, LastPrice>()
  const ofToken = candles.get(token)
  const prices = new Map<number, WeightedPrices>()
  for (const { time, ...traded } of intervals) {
    const pools = ofToken?.get(time) ?? []
    const found = bucketPrices(traded, pools, last, flowsOf(token))
    if (found !== null) prices.set(time, { ...found, ...weightingOf(network, flowsOf(token), traded.last) })
    for (const { pool, close, last: minute } of pools) last.set(pool, { price: close, minute })
  }
  return prices
}

/** Returns the prices of tokens in minutes that have a hop with a value, by token and minute. */
export async function readMinutePrices(
  db: Db,
  network: PricedNetwork,
  requested: readonly TokenMinute[],
): Promise<(minute: TokenMinute) => WeightedPrices | null> {
  const times = new Map<Address, number[]>()
  const minutes = new Map<number, PoolSides>()
  for (const { token, minute } of requested) times.set(token, [...(times.get(token) ?? []), minute])
  const flowsOf = await readFlows(db, network, times)
  for (const { token, minute } of requested) {
    const sides = minutes.get(minute) ?? new PoolSides()
    minutes.set(minute, sides)
    sides.add(token, flowsOf(token), [minute])
  }
  const prices = new Map<string, WeightedPrices>()
  for (const [minute, sides] of minutes) {
    const span = { from: minute, to: minute + MINUTE_S }
    const { candles, before } = await readSides(db, network, sides, { seconds: MINUTE_S, span })
    for (const token of sides.tokens) {
      const pools = candles.get(token)?.get(minute) ?? []
      const found = bucketPrices({ first: minute, last: minute }, pools, before.get(token) ?? new Map(), flowsOf(token))
      if (found !== null)
        prices.set(`${token} ${minute}`, { ...found, ...weightingOf(network, flowsOf(token), minute) })
    }
  }
  return ({ token, minute }) => prices.get(`${token} ${minute}`) ?? null
}

/**
 * Returns the prices of tokens at a moment, a whole minute: those at the ends of their last minutes before it that have a
 * hop with a value.
 */
export async function readPricesAt(
  db: Db,
  network: PricedNetwork,
  minutes: ReadonlyMap<Address, number>,
  at: number,
): Promise<(token: Address) => WeightedPrice | null> {
  const flowsOf = await readFlows(db, network, new Map([...minutes].map(([token, minute]) => [token, [minute]])))
  const sides = new PoolSides()
  for (const [token, minute] of minutes) sides.add(token, flowsOf(token), [minute])
  const span = { from: sides.from, to: at }
  const rows = sides.isEmpty ? [] : await readRows<SidePriceRow>(db, lastSidePrices(network.chainId, sides.list, span))
  const last = sides.lastPrices(rows)
  return (token) => {
    const minute = minutes.get(token)
    if (minute === undefined) return null
    const ofToken = last.get(token)
    const price = medianPrice((pool) => ofToken?.get(pool), flowsOf(token).at(minute), minute)
    return price === null ? null : { price, ...weightingOf(network, flowsOf(token), minute) }
  }
}

/** Returns the prices of tokens at several moments of a day (sideDays), each at the end of the given minute. */
export async function readPricesOfDay(
  db: Db,
  network: PricedNetwork,
  minutes: ReadonlyMap<Address, readonly (number | null)[]>,
  day: Span,
): Promise<(token: Address) => (WeightedPrice | null)[]> {
  const known = new Map([...minutes].map(([token, of]) => [token, of.filter((minute) => minute !== null)]))
  const flowsOf = await readFlows(db, network, known)
  const sides = new PoolSides()
  for (const [token, of] of known) sides.add(token, flowsOf(token), of)
  const rows = sides.isEmpty ? [] : await readRows<SideDayRow>(db, sideDays(network.chainId, sides.list, day))
  const found = new Map<Address, { pool: string; prices: SideDayRow['before'] }[]>()
  for (const { n, price, before } of rows) {
    const { token, pool } = sides.at(n)
    found.set(token, [...(found.get(token) ?? []), { pool, prices: [price, ...before] }])
  }
  return (token) =>
    (minutes.get(token) ?? []).map((minute, moment) => {
      if (minute === null) return null
      const last = new Map<string, LastPrice>()
      for (const { pool, prices } of found.get(token) ?? []) {
        const [price, of] = prices[moment] ?? []
        if (price !== undefined && of !== undefined) last.set(pool, { price: BigInt(price), minute: of })
      }
      const price = medianPrice((pool) => last.get(pool), flowsOf(token).at(minute), minute)
      return price === null ? null : { price, ...weightingOf(network, flowsOf(token), minute) }
    })
}

const NO_FLOWS = new TokenFlows([])

/** Returns the flows that weigh the pools of tokens in these minutes. */
async function readFlows(
  db: Db,
  { chainId }: PricedNetwork,
  minutes: ReadonlyMap<Address, readonly number[]>,
): Promise<(token: Address) => TokenFlows> {
  const spans = [...minutes].flatMap(([token, of]) =>
    of.length === 0 ? [] : [{ token, from: hourOf(Math.min(...of)) - DAY_S, to: hourOf(Math.max(...of)) + HOUR_S }],
  )
  const rows = spans.length === 0 ? [] : await readRows<FlowRow>(db, flowsWithin(chainId, spans))
  const ofTokens = new Map<string, FlowRow[]>()
  for (const row of rows) {
    const ofToken = ofTokens.get(row.token)
    if (ofToken === undefined) ofTokens.set(row.token, [row])
    else ofToken.push(row)
  }
  const flows = new Map(
    [...ofTokens].map(([key, of]) => [
      key,
      new TokenFlows(of.map(({ pool, hour, net }) => ({ pool, hour, net: BigInt(net) }))),
    ]),
  )
  return (token) => flows.get(poolKey(token)) ?? NO_FLOWS
}

/** Pools of tokens whose prices count. */
class PoolSides {
  readonly list: PoolSide[] = []
  /** From here on their prices count. */
  from = Number.POSITIVE_INFINITY
  readonly #tokens: Address[] = []

  /** Adds the pools that weigh in these minutes. */
  add(token: Address, flows: TokenFlows, minutes: readonly number[]): void {
    const pools = new Set<string>()
    for (const minute of minutes) {
      const { byPool, since } = flows.at(minute)
      for (const pool of byPool.keys()) pools.add(pool)
      this.from = Math.min(this.from, since)
    }
    for (const pool of pools) {
      this.list.push({ pool, token: poolKey(token) })
      this.#tokens.push(token)
    }
  }

  get isEmpty(): boolean {
    return this.list.length === 0
  }

  get tokens(): ReadonlySet<Address> {
    return new Set(this.#tokens)
  }

  at(n: number): { token: Address; pool: string } {
    const [token, side] = [this.#tokens[n], this.list[n]]
    if (token === undefined || side === undefined) throw new Error('a row is of none of the requested pools')
    return { token, pool: side.pool }
  }

  /** Returns the last prices of each token's pools. */
  lastPrices(rows: readonly SidePriceRow[]): Map<Address, Map<string, LastPrice>> {
    const prices = new Map<Address, Map<string, LastPrice>>()
    for (const { n, price, minute } of rows) {
      if (price === null || minute === null) continue
      const { token, pool } = this.at(n)
      const last = prices.get(token) ?? new Map<string, LastPrice>()
      prices.set(token, last.set(pool, { price: BigInt(price), minute }))
    }
    return prices
  }
}

/** Reads the candles of pools in a span, by token and first second, and their last prices before the span. */
async function readSides(
  db: Db,
  { chainId }: PricedNetwork,
  sides: PoolSides,
  { seconds, span }: { seconds: number; span: Span },
): Promise<{ candles: Map<Address, Map<number, PoolPrices[]>>; before: Map<Address, Map<string, LastPrice>> }> {
  const candles = new Map<Address, Map<number, PoolPrices[]>>()
  if (sides.isEmpty) return { candles, before: new Map() }
  const rows = await readTogether<{ candles: SideCandleRow; before: SidePriceRow }>(db, {
    candles: sideCandles(chainId, sides.list, seconds, span),
    before: lastSidePrices(chainId, sides.list, { from: sides.from, to: span.from }),
  })
  for (const { n, time, open, high, low, close, first, last } of rows.candles) {
    const { token, pool } = sides.at(n)
    const ofToken = candles.get(token) ?? new Map<number, PoolPrices[]>()
    candles.set(token, ofToken)
    const price = BigInt(open)
    const orOpen = (other: string | null) => (other === null ? price : BigInt(other))
    const prices = { pool, open: price, high: orOpen(high), low: orOpen(low), close: orOpen(close), first, last }
    const ofTime = ofToken.get(time)
    if (ofTime === undefined) ofToken.set(time, [prices])
    else ofTime.push(prices)
  }
  return { candles, before: sides.lastPrices(rows.before) }
}

function hourOf(time: number): number {
  return time - (time % HOUR_S)
}

function weightingOf({ covered, since }: PricedNetwork, flows: TokenFlows, minute: number): Weighting {
  const from = hourOf(minute) - DAY_S
  const isKept = since === null || since <= from
  // The range that holds the minute's hop must reach back to a block before the window, or to the chain's first.
  const isCovered = covered.some((range) => (range.fromTime < from || range.from === 0) && range.toTime >= minute)
  return { isWeighted: !flows.at(minute).isYoung && isKept && isCovered }
}
