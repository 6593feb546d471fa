import { DAY_S, HOUR_S, MINUTE_S } from '@dexfeed/dex'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import {
  bucketPrices,
  type HourFlow,
  type LastPrice,
  medianPrice,
  type PoolPrices,
  TokenFlows,
  type TokenPrices,
  weightedMedian,
} from './median-price.ts'

const MIDNIGHT = 1_795_219_200
const MINUTE = MIDNIGHT + 12 * HOUR_S
const HOURS_BEFORE = MINUTE - 20 * HOUR_S
const usd = (dollars: number) => BigInt(dollars) * 10n ** 8n

const runs = { numRuns: 100 * inject('scale') }

/** Flows of pools (`a`, `b` …), by default twenty hours before MINUTE. */
function flowsOf(nets: Record<string, number>, hour = HOURS_BEFORE): HourFlow[] {
  return Object.entries(nets).map(([pool, net]) => ({ pool, hour, net: usd(net) }))
}

/** Last prices of pools, at MINUTE or the given number of minutes before. */
function lastPrices(prices: Record<string, readonly [price: number, minutesBefore?: number]>): Map<string, LastPrice> {
  return new Map(
    Object.entries(prices).map(([pool, [price, before = 0]]) => [
      pool,
      { price: BigInt(price), minute: MINUTE - before * MINUTE_S },
    ]),
  )
}

function priceOf(flows: HourFlow[], prices: Parameters<typeof lastPrices>[0]): bigint | null {
  const last = lastPrices(prices)
  return medianPrice((pool) => last.get(pool), new TokenFlows(flows).at(MINUTE), MINUTE)
}

describe('the weight of a pool', () => {
  it('is the range of its cumulative flow: what goes round weighs once', () => {
    const round = [0, 1, 2, 3].flatMap((n) => flowsOf({ a: n % 2 ? 500 : -500 }, HOURS_BEFORE + n * HOUR_S))
    const { byPool } = new TokenFlows([...round, ...flowsOf({ b: 700 })]).at(MINUTE)
    expect(Object.fromEntries(byPool)).toEqual({ a: usd(500), b: usd(700) })
  })

  it('is of the 24 hours before the hour, and not of the hour itself', () => {
    const flows = [
      ...flowsOf({ a: 300, b: 10 }),
      ...flowsOf({ a: 200, b: 1 }, MINUTE - DAY_S),
      ...flowsOf({ a: 9_000 }, MINUTE - DAY_S - HOUR_S),
      ...flowsOf({ b: -500 }, MINUTE),
    ]
    const weights = new TokenFlows(flows).at(MINUTE + 59 * MINUTE_S)
    const byPool = new Map(Object.entries({ a: usd(500), b: usd(11) }))
    expect(weights).toEqual({ byPool, since: MINUTE - DAY_S, isYoung: false })
  })

  it('counts the hour itself for a token without hops in the first half of the day before it', () => {
    const flows = (hours: number) => [
      ...flowsOf({ a: 5 }, MINUTE - hours * HOUR_S),
      ...flowsOf({ b: -5_000 }, MINUTE),
      ...flowsOf({ a: 1 }, MINUTE + HOUR_S),
    ]
    const byPool = new Map(Object.entries({ a: usd(5), b: usd(5_000) }))
    const young = { byPool, since: MINUTE - 23 * HOUR_S, isYoung: true }
    expect(new TokenFlows(flows(12)).at(MINUTE)).toEqual(young)
    expect(new TokenFlows(flows(13)).at(MINUTE)).toMatchObject({ byPool: new Map([['a', usd(5)]]), isYoung: false })
  })

  it('is the same for all pools if none has any', () => {
    const { byPool, isYoung } = new TokenFlows(flowsOf({ a: 0, b: 0 })).at(MINUTE)
    expect([Object.fromEntries(byPool), isYoung]).toEqual([{ a: 1n, b: 1n }, true])
  })

  it('counts for the eight pools that have most', () => {
    const nets = Object.fromEntries(Array.from('abcdefghij', (pool, n) => [pool, 100 - n]))
    expect([...new TokenFlows(flowsOf(nets)).at(MINUTE).byPool.keys()].join('')).toBe('abcdefgh')
  })
})

describe('the price of a token', () => {
  it('is the price up to which half of the weight lies', () => {
    const flows = flowsOf({ a: 40, b: 35, c: 25 })
    expect(priceOf(flows, { a: [103], b: [101], c: [102] })).toBe(102n)
    expect(priceOf(flowsOf({ a: 50, b: 50 }), { a: [103], b: [101] })).toBe(101n)
  })

  it('forgets pools without a hop in this minute and the four before', () => {
    const flows = flowsOf({ a: 70, b: 30 })
    expect(priceOf(flows, { a: [100, 4], b: [70] })).toBe(100n)
    expect(priceOf(flows, { a: [100, 5], b: [70] })).toBe(70n)
  })

  it('counts all pools while those with hops have less than a fifth of the weight', () => {
    const flows = flowsOf({ a: 70, b: 11, c: 19 })
    expect(priceOf(flows, { a: [100, 200], b: [99, 300], c: [70] })).toBe(100n)
    expect(priceOf(flowsOf({ a: 70, b: 10, c: 20 }), { a: [100, 200], b: [99, 300], c: [70] })).toBe(70n)
  })

  it('is null if no pool with weight has one', () => {
    expect(priceOf(flowsOf({ a: 70 }), { b: [100] })).toBeNull()
    expect(priceOf([], { b: [100] })).toBeNull()
  })

  it('stays within the honest prices while less than half of the weight says another', () => {
    const price = fc.bigInt({ min: 1n, max: 10n ** 30n })
    const honest = fc.array(fc.record({ price, weight: fc.bigInt({ min: 1n, max: 1_000n }) }), { minLength: 1 })
    fc.assert(
      fc.property(honest, fc.array(price), (pools, false_) => {
        const weight = pools.reduce((sum, pool) => sum + pool.weight, 0n)
        const others = false_.map((of) => ({ price: of, weight: (weight - 1n) / BigInt(false_.length) }))
        const found = weightedMedian([...others, ...pools]) ?? -1n
        const prices = pools.map((pool) => pool.price)
        expect(prices.some((of) => of <= found) && prices.some((of) => of >= found)).toBe(true)
      }),
      runs,
    )
  })
})

const POOLS = ['a', 'b', 'c', 'd']
const flow: fc.Arbitrary<HourFlow> = fc.record({
  pool: fc.constantFrom(...POOLS),
  hour: fc.integer({ min: -26, max: 0 }).map((hours) => MINUTE + hours * HOUR_S),
  net: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
})
const flowList = fc.uniqueArray(flow, { selector: ({ pool, hour }) => `${pool} ${hour}`, maxLength: 40 })
const price = fc.bigInt({ min: 1_000n, max: 10n ** 24n })
/** A pool's prices in an interval of one hour. */
const poolPrices: fc.Arbitrary<PoolPrices> = fc
  .record({
    pool: fc.constantFrom(...POOLS),
    prices: fc.array(price, { minLength: 1, maxLength: 5 }),
    minutes: fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 })),
  })
  .map(({ pool, prices, minutes }) => {
    const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1))
    const [first = 0, last = 0] = minutes.toSorted((a, b) => a - b).map((minute) => MINUTE + minute * MINUTE_S)
    const [open = 0n, close = 0n, low = 0n, high = 0n] = [prices[0], prices.at(-1), sorted[0], sorted.at(-1)]
    return { pool, open, high, low, close, first, last }
  })
const poolList = fc.uniqueArray(poolPrices, { selector: ({ pool }) => pool, minLength: 1 })
const lastPrice = fc.record({ price, minute: fc.integer({ min: -1_500, max: -1 }).map((n) => MINUTE + n * MINUTE_S) })
const before = fc.dictionary(fc.constantFrom(...POOLS), lastPrice).map((of) => new Map(Object.entries(of)))

const minutesOf = (pools: readonly PoolPrices[]) => ({
  first: Math.min(...pools.map(({ first }) => first)),
  last: Math.max(...pools.map(({ last }) => last)),
})

describe('the prices of an interval', () => {
  it('have open and close between low and high, in whatever order the rows come', () => {
    fc.assert(
      fc.property(flowList, poolList, before, (flows, pools, prices) => {
        const found = bucketPrices(minutesOf(pools), pools, prices, new TokenFlows(flows))
        if (found !== null) {
          for (const of of [found.open, found.close]) expect(found.low <= of && of <= found.high).toBe(true)
        }
        const turned = new Map([...prices].reverse())
        const again = bucketPrices(minutesOf(pools), pools.toReversed(), turned, new TokenFlows(flows.toReversed()))
        expect(again).toEqual(found)
      }),
      runs,
    )
  })

  it('are those of its pool if there is only one', () => {
    fc.assert(
      fc.property(poolPrices, fc.array(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })), (of, nets) => {
        const flows = [...nets, 1n].map((net, n) => ({ pool: of.pool, hour: MINUTE - n * HOUR_S, net }))
        const { open, high, low, close } = of
        expect(bucketPrices(of, [of], new Map(), new TokenFlows(flows))).toEqual({ open, high, low, close })
      }),
      runs,
    )
  })

  it('open and close with the prices of their first and their last minute', () => {
    const flows = new TokenFlows(flowsOf({ a: 60, b: 40 }))
    const [first, last] = [MINUTE, MINUTE + 50 * MINUTE_S]
    const a = { pool: 'a', open: 100n, high: 104n, low: 99n, close: 103n, first, last: first }
    const b = { pool: 'b', open: 98n, high: 98n, low: 70n, close: 71n, first: first + MINUTE_S, last }
    const early = lastPrices({ b: [97, 1] })
    // By the last minute, the price of pool `a` is too old to count.
    const found = bucketPrices({ first, last }, [a, b], early, flows)
    expect(found).toEqual({ open: 100n, high: 104n, low: 71n, close: 71n })
  })
})

// Attacks, hop by hop, on a listed token that two honest pools trade every minute, 1,440,000 USD a day.

interface MadeHop {
  pool: string
  time: number
  price: number
  /** USD that a buyer pays in; negative if a seller takes them out. */
  net: number
}

const HOURS = 27
const BEGIN = MIDNIGHT - DAY_S
const PRICE = 8.06
const BLOCK_S = 12
const VOLUME = 1_440_000

/** Trades of 100 to 900 USD at prices within 0.05 % of 8.06. */
function honest(change: (time: number) => number = () => 1): MadeHop[] {
  let state = 7
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  return Array.from({ length: HOURS * 60 }, (_, n) => BEGIN + n * MINUTE_S).flatMap((minute) =>
    ['a', 'b'].map((pool) => ({
      pool,
      time: minute + Math.floor(random() * 5) * BLOCK_S,
      price: PRICE * change(minute) * (1 + (random() - 0.5) / 1_000),
      net: (100 + Math.floor(random() * 800)) * (random() < 0.5 ? -1 : 1),
    })),
  )
}

/** Returns the prices of the token in the intervals that begin within three hours around midnight. */
function candlesOf(hops: readonly MadeHop[], interval: number): Map<number, TokenPrices> {
  const nets = new Map<string, HourFlow>()
  const buckets = new Map<number, Map<string, PoolPrices>>()
  for (const { pool, time, price: of, net } of hops.toSorted((x, y) => x.time - y.time)) {
    const hour = time - (time % HOUR_S)
    const flow = nets.get(`${pool} ${hour}`) ?? { pool, hour, net: 0n }
    flow.net += BigInt(net)
    nets.set(`${pool} ${hour}`, flow)
    const start = time - (time % interval)
    const found = buckets.get(start) ?? new Map<string, PoolPrices>()
    buckets.set(start, found)
    const close = BigInt(Math.round(of * 1e9))
    const minute = time - (time % MINUTE_S)
    const alike = { open: close, high: close, low: close, close }
    const known = found.get(pool) ?? { pool, ...alike, first: minute, last: minute }
    if (close > known.high) known.high = close
    if (close < known.low) known.low = close
    found.set(pool, Object.assign(known, { close, last: minute }))
  }
  const flows = new TokenFlows(nets.values())
  const last = new Map<string, LastPrice>()
  const candles = new Map<number, TokenPrices>()
  for (const [time, found] of [...buckets].sort(([x], [y]) => x - y)) {
    const pools = [...found.values()]
    const isNear = time >= MIDNIGHT - HOUR_S && time < MIDNIGHT + 2 * HOUR_S
    const prices = isNear ? bucketPrices(minutesOf(pools), pools, last, flows) : null
    if (prices !== null) candles.set(time, prices)
    for (const { pool, close, last: minute } of pools) last.set(pool, { price: close, minute })
  }
  return candles
}

/** Returns the largest move of any of the token's candle prices, in percent. */
function moveBy(attack: readonly MadeHop[], hops = HONEST): number {
  let move = 0
  for (const interval of [MINUTE_S, HOUR_S, DAY_S]) {
    const candles = candlesOf([...hops, ...attack], interval)
    expect(candles.size).toBeGreaterThan(0)
    for (const { open, high, low, close } of candles.values()) {
      for (const of of [open, high, low, close]) move = Math.max(move, 100 * Math.abs(Number(of) / 1e9 / PRICE - 1))
    }
  }
  return move
}

const HONEST = honest()
/** Hops in the attacker's own pool. */
const attackAt = (times: readonly number[], of: number, netOf: (n: number) => number) =>
  times.map((time, n): MadeHop => ({ pool: 'x', time, price: of, net: netOf(n) }))
const every = (seconds: number, from: number, to: number) =>
  Array.from({ length: (to - from) / seconds }, (_, n) => from + n * seconds)

const BLOCKS = every(BLOCK_S, BEGIN, MIDNIGHT)
const MINUTES = every(MINUTE_S, BEGIN, MIDNIGHT)
const NEXT_MINUTES = every(MINUTE_S, MIDNIGHT, MIDNIGHT + HOUR_S)

describe.each([PRICE * 125_000_000, 1e-6])('a listed token does not follow a price of %d', (of) => {
  it.each([
    ['at midnight', MIDNIGHT],
    ['in the block before it', MIDNIGHT - BLOCK_S],
    ['within an hour', MIDNIGHT + HOUR_S / 2],
  ])('that 10,000 USD set in an unused pool %s', (_, time) => {
    expect(moveBy(attackAt([time], of, () => 10_000))).toBeLessThan(0.1)
  })

  it.each<[string, readonly number[], (n: number) => number]>([
    ['10,000 USD set, going round in each block of 24 hours', BLOCKS, (n) => (n % 2 ? -10_000 : 10_000)],
    ['10,000 USD set, going round every two hours', MINUTES, (n) => (n % 120 < 60 ? 166 : -166)],
    ['a hundredth of its volume sets for an hour', NEXT_MINUTES, () => VOLUME / 100 / 60],
  ])('that %s', (_, times, netOf) => {
    expect(moveBy(attackAt(times, of, netOf))).toBeLessThan(0.1)
  })

  it('that a hundred pools set for 100 USD each', () => {
    const pools = Array.from({ length: 100 }, (_, n) => ({ pool: `x${n}`, time: MIDNIGHT + n, price: of, net: 100 }))
    expect(moveBy(pools)).toBeLessThan(0.1)
  })

  it('of the only pool that trades in a quiet half hour', () => {
    const quiet = HONEST.filter(({ time }) => time < MIDNIGHT || time >= MIDNIGHT + HOUR_S / 2)
    const blocks = every(BLOCK_S, MIDNIGHT - HOUR_S, MIDNIGHT + HOUR_S)
    const attack = attackAt(blocks, of, (n) => (n % 2 ? -9_000 : 9_000))
    expect(moveBy(attack, quiet)).toBeLessThan(0.1)
  })
})

it('follows an honest fall of 30 % within five minutes', () => {
  const fallen = honest((time) => (time < MIDNIGHT ? 1 : 0.7))
  const close = Number(candlesOf(fallen, MINUTE_S).get(MIDNIGHT + 4 * MINUTE_S)?.close) / 1e9
  expect(close).toBeLessThan(PRICE * (1 - 0.95 * 0.3))
})
