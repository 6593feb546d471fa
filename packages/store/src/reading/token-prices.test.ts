import { type Address, HOUR_S, MINUTE_S, type Pool, type PricedTrade } from '@dexfeed/dex'
import { openReader } from '@dexfeed/store'
import { beforeEach, describe, expect, it } from 'vitest'
import { address, deployment, hop, MIDNIGHT, POOL, sidesOf, TOKEN, trade, within } from '../../test/rows/sample.ts'
import { database, fill, lease, store, useStore } from '../../test/rows/scene.ts'

// The prices that readers return for a token while somebody trades it at a price of their own, with roll-ups in a real
// database.

const [UNI, USDC, WETH, JUNK] = [address(1), address(2), address(0xee), address(4)] as const
const TOKENS = [UNI, USDC, WETH, JUNK].map((of) => ({ ...TOKEN, address: of, decimals: 18 }))
const pool = (n: number, token0: Address, token1: Address): Pool => ({ ...POOL, address: address(n), token0, token1 })
const [A, B, UNUSED] = [pool(0xa1, UNI, WETH), pool(0xa2, UNI, USDC), pool(0xa3, UNI, WETH)]
const [REFERENCE, JUNK_POOL] = [pool(0xa4, USDC, WETH), pool(0xa5, JUNK, WETH)]
const MANY = Array.from({ length: 12 }, (_, n) => pool(0xb0 + n, UNI, WETH))
const POOLS = [A, B, UNUSED, REFERENCE, JUNK_POOL, ...MANY]
const BEGIN = MIDNIGHT - 30 * HOUR_S
/** Four blocks per minute. */
const numberOf = (time: number) => 1_000 + (time - BEGIN) / 15
const END = MIDNIGHT + 2 * HOUR_S

/** A swap of a pool's first token at a price in USD; with negative `usd`, the token is sold. */
function swap(of: Pool, time: number, price: number, usd: number): PricedTrade {
  const [amount, usdE8] = [
    BigInt(Math.round((Math.abs(usd) / price) * 1e12)) * 10n ** 6n,
    BigInt(Math.abs(usd)) * 10n ** 8n,
  ]
  const [one, other] = [
    { token: of.token0, amount },
    { token: of.token1, amount: 10n ** 18n },
  ]
  const [sold, bought] = usd < 0 ? [one, other] : [other, one]
  const sides = { tokenIn: sold.token, amountIn: sold.amount, tokenOut: bought.token, amountOut: bought.amount }
  const only = hop(of, 0, sides)
  return trade(numberOf(time), time, { hops: [only], ...sidesOf(only), usdE8, hopsUsdE8: [usdE8] })
}

/** UNI trades at 8 and 8.01 USD every twenty minutes, and the reference pool trades every hour. */
const HONEST = Array.from({ length: 32 * 3 }, (_, n) => BEGIN + n * 1_200).flatMap((time, n) => [
  swap(A, time, 8, n % 6 < 3 ? 900 : -800),
  swap(B, time + 15, 8.01, n % 8 < 4 ? 700 : -700),
  ...(n % 3 === 0 ? [swap(REFERENCE, time + 30, 1, 500)] : []),
])

useStore('bsc', 4)
beforeEach(() => store.configure(lease.epoch, { ...deployment('bsc'), stablecoins: [USDC] }))

/** Fills two ranges of blocks, the later one first. */
async function fillBoth(trades: readonly PricedTrade[], from = BEGIN): Promise<void> {
  const middle = numberOf(MIDNIGHT - 7 * HOUR_S - 300)
  const timeOf = (number: number) => BEGIN + (number - 1_000) * 15
  const spans: [from: number, to: number][] = [
    [middle + 1, numberOf(END) - 1],
    [numberOf(from), middle],
  ]
  for (const [low, high] of spans) {
    const sorted = within(trades, low, high).toSorted((a, b) => a.blockNumber - b.blockNumber)
    await fill(low, high, sorted, { fromTime: timeOf(low), toTime: timeOf(high), pools: POOLS, tokens: TOKENS })
  }
}

const candlesOf = (token: Address, interval: number, from: number, to: number) =>
  openReader(database).candles({ network: 'bsc', token, within: null, interval, from, to })

/** Returns every price of a token that a reader returns for the two hours after midnight, as numbers. */
async function pricesOf(token: Address): Promise<number[]> {
  const reader = openReader(database)
  const found: (string | null)[] = []
  for (const interval of [MINUTE_S, HOUR_S, 24 * HOUR_S]) {
    const candles = await candlesOf(token, interval, MIDNIGHT, MIDNIGHT + 24 * HOUR_S)
    for (const { open, high, low, close } of candles) found.push(open, high, low, close)
  }
  for (let at = MIDNIGHT + MINUTE_S; at <= END; at += 1_800) {
    found.push((await reader.pastPrices('bsc', [token], at)).get(token)?.priceUsd ?? null)
  }
  await reader.lastDay('bsc', END, {
    begin() {},
    takeTokens: (days) => void found.push(...days.filter((day) => day.token === token).map(({ priceUsd }) => priceUsd)),
    takePools() {},
  })
  expect(found).not.toContain(null)
  return found.map(Number)
}

describe('the price of a token', () => {
  it('is not set by a dollar, or 500, in an unused pool', async () => {
    const attack = [
      swap(UNUSED, MIDNIGHT - 45, 10 ** 9, 500),
      swap(UNUSED, MIDNIGHT + 45, 10 ** 9, 1),
      swap(UNUSED, MIDNIGHT + 1_845, 1e-6, -1),
    ]
    await fillBoth([...HONEST, ...attack])
    const prices = await pricesOf(UNI)
    expect(Math.min(...prices)).toBeGreaterThan(7.99)
    expect(Math.max(...prices)).toBeLessThan(8.02)
    // The candles of the pool itself show its prices.
    const span = { interval: MINUTE_S, from: MIDNIGHT, to: MIDNIGHT + HOUR_S }
    const selection = { network: 'bsc', token: UNI, within: { pool: UNUSED.address }, ...span } as const
    expect((await openReader(database).candles(selection)).map(({ close }) => Number(close))).toEqual([10 ** 9, 1e-6])
  })

  it('that is an anchor comes from pools of two anchors', async () => {
    await fillBoth([...HONEST, swap(JUNK_POOL, MIDNIGHT + 45, 1, 900), swap(JUNK_POOL, MIDNIGHT + 105, 1e9, -900)])
    // The price of the reference pool, where a coin is sold for 500 USDC; all other pools have 900, 800 or 1.
    expect([...new Set(await pricesOf(WETH))]).toEqual([500])
    expect([...new Set(await pricesOf(JUNK))].length).toBeGreaterThan(1)
  })

  it('is the same in candles of any length, events of the stream, and at a moment', async () => {
    await fillBoth([...HONEST, swap(UNUSED, MIDNIGHT + 45, 77, 3_000)])
    const reader = openReader(database)
    const minutes = await candlesOf(UNI, MINUTE_S, MIDNIGHT, END)
    const requested = minutes.map(({ time }) => ({ token: UNI, minute: time }))
    await reader.edge(new Map(), AbortSignal.timeout(60_000), async (edge) => {
      for (const of of edge.networks) {
        const sent = await edge.candles(of, requested, TOKENS)
        expect(sent.sort((a, b) => a.time - b.time)).toEqual(minutes.map((candle) => ({ token: UNI, ...candle })))
      }
    })
    for (const { time, close } of minutes) {
      const past = (await reader.pastPrices('bsc', [UNI], time + 119)).get(UNI)
      expect(past).toMatchObject({ priceUsd: close, time: time + 60 })
    }
    const [day] = await candlesOf(UNI, 24 * HOUR_S, MIDNIGHT, END)
    expect(day).toMatchObject({ open: minutes[0]?.open, close: minutes.at(-1)?.close })
  })
})

it('a page of candles has the prices of each interval alone, while other pools come to weigh', async () => {
  const trades = Array.from({ length: 31 * 4 }, (_, n) => {
    const [hour, of] = [Math.floor(n / 4), MANY[(n * 5 + Math.floor(n / 24)) % 12]]
    const usd = 100 + ((n * 37) % 9) * (hour % 5 === 0 ? 90 : 1)
    return of ? [swap(of, BEGIN + n * 900, 8 + (n % 13) / 100, n % 3 ? usd : -usd)] : []
  })
  await fillBoth(trades.flat())
  for (const [interval, hours] of [
    [MINUTE_S, 2],
    [HOUR_S, 4],
  ] as const) {
    const page = await candlesOf(UNI, interval, MIDNIGHT - hours * HOUR_S, MIDNIGHT + HOUR_S)
    expect(page.length).toBeGreaterThan(4)
    for (const candle of page) {
      expect(await candlesOf(UNI, interval, candle.time, candle.time + interval)).toEqual([candle])
    }
  }
})

describe('a price is weighted', () => {
  const weighted = async (from: number) => {
    const candles = await candlesOf(UNI, HOUR_S, from, END)
    const past = (await openReader(database).pastPrices('bsc', [UNI], END)).get(UNI)
    return { candles: candles.map(({ isWeighted }) => isWeighted), past: past?.isWeighted }
  }

  it('if the 24 hours before its hour are indexed', async () => {
    await fillBoth(HONEST)
    const hours = Array.from({ length: 32 }, (_, n) => n >= 25)
    expect(await weighted(BEGIN)).toEqual({ candles: hours, past: true })
  })

  it('and not while hours are missing', async () => {
    await fillBoth(HONEST, MIDNIGHT - 20 * HOUR_S)
    expect(await weighted(MIDNIGHT)).toEqual({ candles: [false, false], past: false })
  })
})
