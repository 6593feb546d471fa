import { type Address, type CoveredRange, DAY_S, HOUR_S, MINUTE_S, present, type Token } from '@dexfeed/dex'
import type { Reads } from '../database/transaction.ts'
import { readRows, readTogether } from '../stored.ts'
import { type CoveredRangeRow, coveredRangesOf, readCoveredRanges, toCoveredRanges } from '../tables/covered-range.ts'
import { KEPT_DAYS, type KeptDaysRow, keptSinceTime, toKeptSinceTime } from '../tables/kept-days.ts'
import {
  bucketPrices,
  type LastPrice,
  medianPrice,
  type PoolPrices,
  TokenFlows,
  type TokenPrices,
  type TradedMinutes,
  type Weights,
} from '../tables/rollups/median-price.ts'
import type { Span } from '../tables/rollups/merge-candles.ts'
import {
  candlesOf,
  lastSidePrices,
  minutesOf,
  type PoolSide,
  type SideCandlesRow,
  type SideDayRow,
  type SideMinutesRow,
  type SidePriceRow,
  type SideSpan,
  sideCandles,
  sideDays,
  sideMinutes,
} from '../tables/rollups/pool-candle.ts'
import { type FlowRow, flowsWithin } from '../tables/rollups/token-flow.ts'
import { type TokenMinute, type TradedRow, tradedIntervals } from '../tables/rollups/token-volume.ts'
import { poolKey } from '../tables/swap/pool-key.ts'
import { tokensAmong } from '../tables/token.ts'
import { joinSide, joinTraded } from './join-past.ts'
import type { Past } from './past.ts'

// Prices of tokens across all their pools (docs/internals/candles.md), from a few statements. Times are in seconds since
// 1970, prices in USD per base unit times 10^42.

export interface PricedNetwork {
  chainId: number
  covered: readonly CoveredRange[]
  since: number | null
}

export async function readPricedNetwork(
  db: Reads,
  chainId: number,
  covered?: readonly CoveredRange[],
): Promise<PricedNetwork> {
  const since = await keptSinceTime(db)
  return { chainId, covered: covered ?? (await readCoveredRanges(db, chainId)), since }
}

interface Weighting {
  isWeighted: boolean
}

export interface WeightedPrices extends TokenPrices, Weighting {}
export interface WeightedPrice extends Weighting {
  price: bigint
}

export interface TokenInterval extends TradedRow {
  prices: WeightedPrices | null
}

export async function readTokenIntervals(
  db: Reads,
  chainId: number,
  token: Address,
  { seconds, span, past }: { seconds: number; span: Span; past: Past | null },
): Promise<{ intervals: TokenInterval[]; decimals: number | null }> {
  const hours = { from: hourOf(span.from) - DAY_S, to: hourOf(span.to - 1) + HOUR_S }
  const old = Promise.all([
    past?.rows('intervals', span, { token, seconds }) ?? [],
    past?.rows('flows', hours, { token }) ?? [],
  ])
  const found = readTogether<{
    traded: TradedRow
    flows: FlowRow
    covered: CoveredRangeRow
    kept: KeptDaysRow
    tokens: Pick<Token, 'decimals'>
  }>(db, {
    traded: tradedIntervals(chainId, token, seconds, span),
    flows: flowsWithin(chainId, [{ token, ...hours }]),
    covered: coveredRangesOf(chainId),
    kept: KEPT_DAYS,
    tokens: tokensAmong(chainId, [token]),
  })
  const [[oldTraded, oldFlows], { flows, covered, kept, tokens, ...stored }] = await Promise.all([old, found])
  const traded = joinTraded(oldTraded, stored.traded)
  const network = { chainId, covered: toCoveredRanges(covered), since: past?.since ?? toKeptSinceTime(kept) }
  const valued = traded.flatMap(({ time, first, last }) =>
    first === null || last === null ? [] : [{ time, first, last }],
  )
  const prices = await readIntervalPrices(db, network, {
    ...{ token, flows: tokenFlows([...oldFlows, ...flows]), intervals: valued, seconds, past },
  })
  return {
    intervals: traded.map((row) => Object.assign(row, { prices: prices.get(row.time) ?? null })),
    decimals: tokens[0]?.decimals ?? null,
  }
}

interface ValuedIntervals {
  token: Address
  flows: TokenFlows
  intervals: readonly (TradedMinutes & { time: number })[]
  seconds: number
  past: Past | null
}

async function readIntervalPrices(
  db: Reads,
  network: PricedNetwork,
  requested: ValuedIntervals,
): Promise<Map<number, WeightedPrices>> {
  const { flows, intervals, seconds, past } = requested
  const sides = await readSides(db, network.chainId, weighingSides(requested), { seconds, past })
  const starting = new Map<number, SideWithPrices[]>()
  const pools = new Map<number, PoolPrices[]>()
  for (const side of sides) {
    listAt(starting, side.from).push(side)
    for (const [time, prices] of side.candles) listAt(pools, time).push(prices)
  }
  const last = new Map<string, LastPrice>()
  const prices = new Map<number, WeightedPrices>()
  for (const traded of intervals) {
    const { time } = traded
    for (const { pool, before } of starting.get(time) ?? []) if (before !== null) last.set(pool, before)
    const inPools = pools.get(time) ?? []
    const found = bucketPrices(traded, inPools, last, flows)
    if (found !== null) prices.set(time, { ...found, ...weightingOf(network, flows, traded.last) })
    for (const { pool, close, last: minute } of inPools) last.set(pool, { price: close, minute })
  }
  return prices
}

function weighingSides({ token, flows, intervals, seconds }: ValuedIntervals): Side[] {
  const sides: Side[] = []
  let weighing = new Map<string, Side>()
  let weights: Weights | null = null
  let weightsAtEnd: Weights | null = null
  for (const { time, first, last } of intervals) {
    const begin = flows.at(first)
    const end = flows.at(last)
    if (begin !== weights || end !== weightsAtEnd) {
      weights = begin
      weightsAtEnd = end
      const since = Math.min(begin.since, end.since)
      const before = weighing
      weighing = new Map()
      for (const pool of [...begin.byPool.keys(), ...end.byPool.keys()]) {
        if (weighing.has(pool)) continue
        let side = before.get(pool)
        if (side === undefined) {
          side = { token, pool, since, from: time, to: time }
          sides.push(side)
        }
        weighing.set(pool, side)
      }
    }
    for (const side of weighing.values()) side.to = time + seconds
  }
  return sides
}

export async function readMinutePrices(
  db: Reads,
  network: PricedNetwork,
  requested: readonly TokenMinute[],
): Promise<(minute: TokenMinute) => WeightedPrices | null> {
  const times = new Map<Address, number[]>()
  for (const { token, minute } of requested) listAt(times, token).push(minute)
  const flowsOf = await readFlows(db, network, times)
  const sides = requested.flatMap(({ token, minute }) =>
    sidesAt(token, flowsOf(token), minute, { from: minute, to: minute + MINUTE_S }),
  )
  const found = new Map<string, SideWithPrices[]>()
  for (const side of await readSides(db, network.chainId, sides, { seconds: MINUTE_S, past: null })) {
    listAt(found, `${side.token} ${side.from}`).push(side)
  }
  return ({ token, minute }) => {
    const flows = flowsOf(token)
    const ofToken = found.get(`${token} ${minute}`) ?? []
    const pools = ofToken.flatMap(({ candles }) => [...candles.values()])
    const before = new Map(ofToken.flatMap(({ pool, before }) => (before === null ? [] : [[pool, before] as const])))
    const prices = bucketPrices({ first: minute, last: minute }, pools, before, flows)
    return prices && { ...prices, ...weightingOf(network, flows, minute) }
  }
}

/** Returns a lookup of prices at time `at`. `minutes` has each token's last minute with a valued hop. */
export async function readPricesAt(
  db: Reads,
  network: PricedNetwork,
  minutes: ReadonlyMap<Address, number>,
  at: number,
): Promise<(token: Address) => WeightedPrice | null> {
  const flowsOf = await readFlows(db, network, new Map([...minutes].map(([token, minute]) => [token, [minute]])))
  const sides = [...minutes].flatMap(([token, minute]) => sidesAt(token, flowsOf(token), minute, { from: at, to: at }))
  const query = lastSidePrices(network.chainId, sides.map(keysBefore))
  const rows = sides.length === 0 ? [] : await readRows<SidePriceRow>(db, query)
  const last = new Map<Address, Map<string, LastPrice>>()
  for (const row of rows) {
    const { token, pool } = sideOf(sides, row)
    const ofToken = last.get(token) ?? new Map<string, LastPrice>()
    const price = toLastPrice(row)
    if (price !== null) last.set(token, ofToken.set(pool, price))
  }
  return (token) => {
    const minute = minutes.get(token)
    if (minute === undefined) return null
    const ofToken = last.get(token)
    const price = medianPrice((pool) => ofToken?.get(pool), flowsOf(token).at(minute), minute)
    return price === null ? null : { price, ...weightingOf(network, flowsOf(token), minute) }
  }
}

/**
 * Returns a lookup of a token's prices at the end of `day` and at CHANGE_AGES_S before. `minutes` has the last minute
 * with a valued hop before each of these times.
 */
export async function readPricesOfDay(
  db: Reads,
  network: PricedNetwork,
  minutes: ReadonlyMap<Address, readonly (number | null)[]>,
  day: Span,
): Promise<(token: Address) => (WeightedPrice | null)[]> {
  const valued = new Map([...minutes].map(([token, times]) => [token, times.filter((minute) => minute !== null)]))
  const flowsOf = await readFlows(db, network, valued)
  const sides = [...valued].flatMap(([token, times]) => {
    const flows = flowsOf(token)
    const pools = new Set(times.flatMap((minute) => [...flows.at(minute).byPool.keys()]))
    return [...pools].map((pool) => ({ token, pool }))
  })
  const query = sideDays(network.chainId, sides.map(keysOf), day)
  const rows = sides.length === 0 ? [] : await readRows<SideDayRow>(db, query)
  const found = new Map<Address, { pool: string; prices: SideDayRow['before'] }[]>()
  for (const { price, before, ...row } of rows) {
    const { token, pool } = sideOf(sides, row)
    listAt(found, token).push({ pool, prices: [price, ...before] })
  }
  return (token) =>
    (minutes.get(token) ?? []).map((minute, moment) => {
      if (minute === null) return null
      const last = new Map<string, LastPrice>()
      for (const { pool, prices } of found.get(token) ?? []) {
        const found = prices[moment] ?? null
        if (found !== null) last.set(pool, { price: BigInt(found[0]), minute: found[1] })
      }
      const price = medianPrice((pool) => last.get(pool), flowsOf(token).at(minute), minute)
      return price === null ? null : { price, ...weightingOf(network, flowsOf(token), minute) }
    })
}

const NO_FLOWS = new TokenFlows([])

async function readFlows(
  db: Reads,
  { chainId }: PricedNetwork,
  minutes: ReadonlyMap<Address, readonly number[]>,
): Promise<(token: Address) => TokenFlows> {
  const spans = [...minutes].flatMap(([token, times]) =>
    times.length === 0
      ? []
      : [{ token, from: hourOf(Math.min(...times)) - DAY_S, to: hourOf(Math.max(...times)) + HOUR_S }],
  )
  const rows = spans.length === 0 ? [] : await readRows<FlowRow>(db, flowsWithin(chainId, spans))
  const ofTokens = new Map<string, FlowRow[]>()
  for (const row of rows) listAt(ofTokens, row.token).push(row)
  const flows = new Map([...ofTokens].map(([key, ofToken]) => [key, tokenFlows(ofToken)]))
  return (token) => flows.get(poolKey(token)) ?? NO_FLOWS
}

function tokenFlows(rows: readonly Omit<FlowRow, 'token'>[]): TokenFlows {
  return new TokenFlows(rows.map(({ pool, hour, net }) => ({ pool, hour, net: BigInt(net) })))
}

interface TokenPool {
  token: Address
  pool: string
}

/** Prices within the span count, and so does the last one before it unless it is older than `since`. */
interface Side extends TokenPool, Span {
  since: number
}

interface SideWithPrices extends Side {
  candles: Map<number, PoolPrices>
  before: LastPrice | null
}

function sidesAt(token: Address, flows: TokenFlows, minute: number, span: Span): Side[] {
  const { byPool, since } = flows.at(minute)
  return [...byPool.keys()].map((pool) => ({ token, pool, since, ...span }))
}

function keysOf({ token, pool }: TokenPool): PoolSide {
  return { token: poolKey(token), pool }
}

function keysWithin(side: Side): SideSpan {
  return { ...keysOf(side), from: side.from, to: side.to }
}

function keysBefore(side: Side): SideSpan {
  return { ...keysOf(side), from: side.since, to: side.from }
}

function sideOf<Item>(sides: readonly Item[], { n }: { n: number }): Item {
  const side = sides[n]
  if (side === undefined) throw new Error('a row is of none of the requested pools')
  return side
}

function toLastPrice({ price, minute }: SidePriceRow): LastPrice | null {
  return price === null || minute === null ? null : { price: BigInt(price), minute }
}

async function readSides(
  db: Reads,
  chainId: number,
  sides: readonly Side[],
  { seconds, past }: { seconds: number; past: Past | null },
): Promise<SideWithPrices[]> {
  if (sides.length === 0) return []
  const within = sides.map(keysWithin)
  const isMinute = seconds === MINUTE_S
  const { candles, before } = await readTogether<{ candles: SideMinutesRow | SideCandlesRow; before: SidePriceRow }>(
    db,
    {
      candles: isMinute ? sideMinutes(chainId, within) : sideCandles(chainId, within, seconds),
      before: lastSidePrices(chainId, sides.map(keysBefore)),
    },
  )
  const found = sides.map((side) => ({
    ...side,
    candles: new Map<number, PoolPrices>(),
    before: null as LastPrice | null,
  }))
  for (const row of candles) {
    const side = sideOf(found, row)
    side.candles = 'open_at' in row ? minutesOf(side.pool, row) : candlesOf(side.pool, row)
  }
  for (const row of before) sideOf(found, row).before = toLastPrice(row)
  if (past !== null) await addPast(past, found, seconds)
  return found
}

/** The sides, at least one, are of one token. */
async function addPast(past: Past, sides: readonly SideWithPrices[], seconds: number): Promise<void> {
  const { token } = present(sides[0])
  const within = sides.filter(({ from }) => from < past.keptSince)
  const before = sides.filter(({ since, before }) => since < past.keptSince && before === null)
  const spans = within.map(({ pool, from, to }) => ({ pool, from, to }))
  const spansBefore = before.map(({ pool, since, from }) => ({ pool, from: since, to: from }))
  const [candles, prices] = await Promise.all([
    spans.length === 0 ? [] : past.rows('sides', spanOf(spans), { token, sides: spans, seconds }),
    spansBefore.length === 0 ? [] : past.rows('lastPrices', spanOf(spansBefore), { token, sides: spansBefore }),
  ])
  for (const row of candles) {
    const side = sideOf(within, row)
    side.candles.set(row.time, joinSide(side.pool, row, side.candles.get(row.time)))
  }
  for (const row of prices) sideOf(before, row).before = toLastPrice(row)
}

function spanOf(spans: readonly Span[]): Span {
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) }
}

function hourOf(time: number): number {
  return time - (time % HOUR_S)
}

function weightingOf({ covered, since }: PricedNetwork, flows: TokenFlows, minute: number): Weighting {
  const from = hourOf(minute) - DAY_S
  const isKept = since === null || since <= from
  // The range must begin before the window, or at the chain's first block.
  const isCovered = covered.some((range) => (range.fromTime < from || range.from === 0) && range.toTime >= minute)
  return { isWeighted: !flows.at(minute).isYoung && isKept && isCovered }
}

function listAt<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  let list = lists.get(key)
  if (list === undefined) {
    list = []
    lists.set(key, list)
  }
  return list
}
