import { describe, expect, test } from 'vitest'
import { type AnchorPrices, USD } from '../src/anchor-prices.ts'
import type { Address } from '../src/chain.ts'
import { getSqrtRatioAtTick } from '../src/maths/tick-math.ts'
import type { EventState } from '../src/pool-state.ts'
import { FLAG_CAPPED, FLAG_DEPEGGED, FLAG_DISAGREEMENT, type Trade } from '../src/trades/trade.ts'
import { type ReferenceChange, type ReferencePool, referenceBlocks } from '../src/usd/reference/reference-pool.ts'
import { ReferenceBook } from '../src/usd/reference-book.ts'
import { priceTrade } from '../src/usd/trade-value.ts'
import { madeHop, madeTrade } from './made-hop.ts'

// Reproduces published incidents that misled other services. Each test names the incident and its source.

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [WETH, USDC, DAI, USDT] = [address('03'), address('01'), address('02'), address('04')]
const [BUSD, UST, FAKE, FOO] = [address('05'), address('06'), address('fa'), address('f0')]
const DECIMALS = new Map([
  [WETH, 18],
  [USDC, 6],
  [DAI, 18],
  [USDT, 6],
  [BUSD, 18],
  [UST, 6],
])
const NOW = 1_678_500_000
const AT = { number: 1_000, timestamp: NOW }
const BLOCKS = referenceBlocks('eth')
const E6 = 10n ** 6n
const E8 = 10n ** 8n
const E18 = 10n ** 18n
const Q96 = 2n ** 96n

interface Market {
  pools: ReferencePool[]
  changes: ReferenceChange[]
}

type Entry = [a: Address, b: Address, amountA: number, amountB: number]

function units(token: Address, whole: number): bigint {
  return (BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(DECIMALS.get(token) ?? 18)) / E6
}

/** A pool state that was set some minutes ago. */
function change(pool: Address, state: EventState): ReferenceChange {
  return { pool, event: { type: 'price', state }, block: { number: 900, timestamp: NOW - 1_200 } }
}

function market(entries: readonly Entry[], others: readonly [Address, Address, EventState][] = []): Market {
  const pairs = entries.map(([a, b, amountA, amountB]): [Address, Address, EventState] => {
    const [sideA, sideB] = [units(a, amountA), units(b, amountB)]
    const [reserve0, reserve1] = a < b ? [sideA, sideB] : [sideB, sideA]
    return [a, b, { kind: 'pair', reserve0, reserve1 }]
  })
  const pools: ReferencePool[] = []
  const changes: ReferenceChange[] = []
  for (const [index, [a, b, state]] of [...pairs, ...others].entries()) {
    const address: Address = `0x${(index + 1).toString(16).padStart(40, 'f')}`
    pools.push({ address, token0: a < b ? a : b, token1: a < b ? b : a, tickSpacing: 1 })
    changes.push(change(address, state))
  }
  return { pools, changes }
}

function prices(stablecoins: readonly Address[], ...given: Parameters<typeof market>): AnchorPrices {
  const { pools, changes } = market(...given)
  const config = { wrappedNative: WETH, stablecoins, anchors: [], decimals: DECIMALS, ...BLOCKS }
  const result = new ReferenceBook(config, pools, changes).pricesAt(AT)
  // For any order of pools and coins.
  const reversed = { ...config, stablecoins: stablecoins.toReversed() }
  const again = new ReferenceBook(reversed, pools.toReversed(), changes.toReversed()).pricesAt(AT)
  expect(new Map([...again.stablecoins].sort())).toEqual(new Map([...result.stablecoins].sort()))
  expect(again.native).toEqual(result.native)
  return result
}

/** Returns each stablecoin's price in cents, with a mark for those that lost their peg. */
function cents({ stablecoins }: AnchorPrices): string[] {
  return [...stablecoins.values()].map(
    ({ priceE18, depegged }) => `${(priceE18 * 100n) / USD}${depegged ? ' depegged' : ''}`,
  )
}

function trade(tokenIn: Address, amountIn: bigint, tokenOut: Address, amountOut: bigint, before?: [bigint, bigint]) {
  return madeTrade([madeHop(0, [tokenIn, amountIn], [tokenOut, amountOut], { reservesBefore: before ?? null })])
}

function value(made: Trade, at: AnchorPrices) {
  const { usdE8, source, flags } = priceTrade(made, at, true)
  return { usdE8, source, flags }
}

const honest: Entry[] = [
  [USDC, WETH, 3_000_000, 1_000],
  [USDT, WETH, 3_003_000, 1_000],
]
const calm = () => prices([USDC, USDT], [...honest, [USDC, USDT, 1_000_000, 1_000_000]])

describe('a token that lies', () => {
  // Tokens with the ticker of a known one, traded in real pools: P. Xia and others, "Trade or Trick? Detecting and
  // Characterizing Scam Tokens on Uniswap Decentralized Exchange" (arXiv 2109.00229).
  test('a token that calls itself USDC is worth what it was sold for, and its pools set no price', () => {
    const at = calm()
    expect(value(trade(FAKE, 10n ** 33n, USDC, 5n * E6), at)).toEqual({
      usdE8: 5n * E8,
      source: 'stablecoin',
      flags: 0,
    })
    expect(value(trade(FAKE, 10n ** 33n, FOO, 1n), at).usdE8).toBeNull()
    const config = { wrappedNative: WETH, stablecoins: [USDC], anchors: [], decimals: DECIMALS, ...BLOCKS }
    const book = new ReferenceBook(config, [])
    expect(book.isReference({ token0: WETH, token1: FAKE })).toBe(false)
    expect(book.isReference({ token0: USDC, token1: FAKE })).toBe(false)
  })

  // Two swaps of 2,000 and 400 USD were recorded as 10^32 USD, because a pool with almost no liquidity had set the
  // token's price earlier. Uniswap/v3-subgraph pull request 297 (2026), and Uniswap/v2-subgraph issue 7 (2020).
  test('a worthless token, whatever its own pools say that it costs, moves what its counterpart moved', () => {
    const at = calm()
    expect(value(trade(FOO, 10n ** 45n, USDC, 2_000n * E6), at).usdE8).toBe(2_000n * E8)
    expect(value(trade(WETH, E18 / 5n, FOO, 10n ** 45n), at).usdE8).toBe(
      (at.native.get(WETH)?.priceE18 ?? 0n) / 5n / 10n ** 10n,
    )
  })

  // Volumes of billions, from amounts that a pair never held: messari/subgraphs issue 2223 (2023).
  test('a pair cannot have paid out more of an anchor than it held and took in', () => {
    const reported = trade(FOO, 1n, USDC, 3n * 10n ** 9n * E6, [1_000n * E6, 1n])
    expect(value(reported, calm())).toEqual({ usdE8: 1_000n * E8, source: 'stablecoin', flags: FLAG_CAPPED })
  })

  // 2,080,000 USD of 3CRV were sold for 0.05 USDT on 11 March 2023, through a pool without liquidity. The sold leg was
  // valued by its amount (Cointelegraph, "USDC investor shells out $2M to receive $0.05 USDT trying to evade crash").
  test('two anchored legs that disagree flag the trade', () => {
    const at = calm()
    const sold = value(trade(USDC, 2_080_000n * E6, USDT, E6 / 20n), at)
    expect(sold).toEqual({ usdE8: 2_080_000n * E8, source: 'stablecoin', flags: FLAG_DISAGREEMENT })
  })

  // USDT was read with 18 decimals instead of 6 (1Hive/uniswap-interface issue 19), and a price of 5.03 as
  // 5,032,608,509 (1inch/spot-price-aggregator issue 202). USDT has 18 decimals on BNB Chain and 6 on Ethereum.
  test('decimals are those of the very token, on both sides of a reference pool', () => {
    const decimals = new Map([...DECIMALS, [USDT, 18]])
    const config = { wrappedNative: WETH, stablecoins: [USDT, USDC], anchors: [], decimals, ...BLOCKS }
    const pools = [
      { address: USDT, token0: WETH, token1: USDT, tickSpacing: 1 },
      { address: USDC, token0: USDC, token1: WETH, tickSpacing: 1 },
    ]
    const states = [
      change(USDT, { kind: 'pair', reserve0: 10n * E18, reserve1: 6_000n * E18 }),
      change(USDC, { kind: 'pair', reserve0: 6_000n * E6, reserve1: 10n * E18 }),
    ]
    const at = new ReferenceBook(config, pools, states).pricesAt(AT)
    expect(at.native.get(WETH)?.priceE18).toBe(600n * USD)
    expect(value(trade(USDT, 7n * E18, FOO, 1n), at).usdE8).toBe(7n * E8)
    expect(value(trade(USDC, 7n * E6, FOO, 1n), at).usdE8).toBe(7n * E8)
  })
})

describe('a reference pool that lies', () => {
  /** A one-tick position priced at its upper edge: `virtualUsd` of virtual reserves, almost no real ones. */
  function edge(usdPerWeth: number, virtualUsd: bigint): EventState {
    const tick = -Math.round(Math.log((usdPerWeth * 1e6) / 1e18) / Math.log(1.0001))
    // USDC is token0, so the price is that of token0 in token1. At the upper edge, the position holds only the coin.
    const sqrtPriceX96 = getSqrtRatioAtTick(tick + 1)
    return { kind: 'concentrated', sqrtPriceX96, tick, liquidity: (virtualUsd * E6 * sqrtPriceX96) / Q96 }
  }

  function expectNear({ native }: AnchorPrices, usd: number) {
    // Within 1/2,000.
    expect(Number((native.get(WETH)?.priceE18 ?? 0n) / 10n ** 12n) / 1e6 / usd).toBeCloseTo(1, 3)
  }

  // The price of an empty pool can be moved for free: Uniswap/v3-subgraph pull request 297 (2026) and
  // "MINIMUM_NATIVE_LOCKED" there. A one-tick position turns a few coins into virtual reserves of 10^15 USD.
  test.each([
    [10, 10n ** 8n],
    [1_000, 10n ** 10n],
    [10 ** 9, 10n ** 15n],
  ])('a dust position of endless virtual depth at %d times the price says nothing', (times, virtualUsd) => {
    const at = prices([USDC, USDT], honest, [[USDC, WETH, edge(3_000 * times, virtualUsd)]])
    expectNear(at, 3_001.5)
  })

  test('nor at a small part of the price, where all that it holds is on the other side', () => {
    const tick = -Math.round(Math.log((3 * 1e6) / 1e18) / Math.log(1.0001))
    const sqrtPriceX96 = getSqrtRatioAtTick(tick)
    const virtualUsd = 10n ** 7n
    const spoof: EventState = {
      kind: 'concentrated',
      sqrtPriceX96,
      tick,
      liquidity: (virtualUsd * E6 * sqrtPriceX96) / Q96,
    }
    expectNear(prices([USDC, USDT], honest, [[USDC, WETH, spoof]]), 3_001.5)
  })

  // A pair of a few dollars that trades far from the market price: Uniswap/v2-subgraph issue 7 (2020).
  test('dust pairs at any price say nothing', () => {
    const dust: Entry[] = [
      [USDC, WETH, 5, 0.000_001],
      [USDT, WETH, 0.01, 5],
      [DAI, WETH, 20_000, 0.001],
    ]
    expectNear(prices([USDC, USDT, DAI], [...honest, ...dust]), 3_001.5)
  })

  // DAI was at 1.30 USD for some minutes of 26 November 2020, on the only market that was read. It cost borrowers 89
  // million USD (Decrypt, "Oracle Exploit Sees $89 Million Liquidated on Compound").
  test('one market that is far off is outvoted', () => {
    const others: Entry[] = [
      [DAI, WETH, 3_900_000, 1_000],
      [BUSD, WETH, 3_001_000, 1_000],
    ]
    expectNear(prices([USDC, USDT, DAI, BUSD], [...honest, ...others]), 3_002)
  })

  // bZx, 18 February 2020: prices were read in the middle of a transaction that had moved the pool with a flash loan
  // (PeckShield, "bZx Hack II Full Disclosure"). Harvest Finance, 26 October 2020: the same.
  test('what a flash loan does to a reference pool in a block does not count in that block', () => {
    const { pools, changes } = market(honest.slice(0, 1))
    const config = { wrappedNative: WETH, stablecoins: [USDC], anchors: [], decimals: DECIMALS, ...BLOCKS }
    const book = new ReferenceBook(config, pools, changes)
    const pool = pools[0]?.address ?? '0x'
    const before = book.pricesAt(AT)
    const moved = [
      { kind: 'pair', reserve0: 300_000_000n * E6, reserve1: 10n * E18 },
      { kind: 'pair', reserve0: 3_000_001n * E6, reserve1: 1_000n * E18 },
    ] as const
    for (const state of moved) book.record(pool, { type: 'price', state }, AT)
    expect(before.native.get(WETH)?.priceE18).toBe(3_000n * USD)
    const later = { number: AT.number + 5, timestamp: NOW + 60 }
    expect(book.pricesAt(later).native.get(WETH)?.priceE18).toBe((3_000_001n * USD) / 1_000n)
  })

  test('a mutual pool of stablecoins with endless virtual depth does not depeg them', () => {
    // 100,000,000 DAI for a USDC: virtual reserves of 10^11 DAI and 1,000 USDC, but only a few cents of real ones.
    const sqrtPriceX96 = getSqrtRatioAtTick(460_540)
    const spoof: EventState = { kind: 'concentrated', sqrtPriceX96, tick: 460_540, liquidity: 10n ** 19n }
    const mutual: Entry[] = [
      [USDC, DAI, 1_000_000, 1_000_000],
      [USDC, USDT, 1_000_000, 1_000_000],
      [DAI, USDT, 1_000_000, 1_000_000],
    ]
    expect(cents(prices([USDC, DAI, USDT], mutual, [[USDC, DAI, spoof]]))).toEqual(['100', '100', '100'])
  })
})

describe('a stablecoin that leaves its peg', () => {
  // 11 March 2023: USDC at 0.88 USD, while Tether and BUSD kept their peg (The Block, "USDC remains at about $0.90
  // following Circle's disclosure of funds at SVB").
  test('USDC in March 2023 counts for its rate, and the others for one', () => {
    const pools: Entry[] = [
      [USDC, USDT, 1_000_000, 880_000],
      [USDC, BUSD, 1_000_000, 880_000],
      [USDT, BUSD, 1_000_000, 1_000_000],
      [USDC, WETH, 3_000_000, 2_000],
      [USDT, WETH, 2_640_000, 2_000],
    ]
    const at = prices([USDT, BUSD, USDC], pools)
    expect(cents(at)).toEqual(['100', '100', '88 depegged'])
    expect(at.native.get(WETH)?.priceE18).toBe(1_320n * USD)
    const sold = value(trade(USDC, 100n * E6, FOO, 1n), at)
    expect(sold).toEqual({ usdE8: 88n * E8, source: 'stablecoin', flags: FLAG_DEPEGGED })
  })

  // In the same night, DAI and FRAX fell with USDC, which backs them. Pools alone cannot show whether half of the coins
  // fell or the other half rose, so the larger group counts as stable. The disagreement is flagged.
  test('coins that fall together outvote the one that does not, which is flagged', () => {
    const pools: Entry[] = [
      [USDC, USDT, 1_000_000, 880_000],
      [DAI, USDT, 1_000_000, 880_000],
      [DAI, USDC, 1_000_000, 1_000_000],
    ]
    expect(cents(prices([USDT, DAI, USDC], pools))).toEqual(['113 depegged', '100', '100'])
  })

  // May 2022: TerraUSD fell to 0.10 and below (J. Liu, I. Makarov, A. Schoar, "Anatomy of a Run: The Terra Luna Crash",
  // NBER working paper 31160).
  test('UST in May 2022 pulls no other coin down, however many pools it has', () => {
    const pools: Entry[] = [
      [UST, USDC, 3_000_000, 300_000],
      [UST, USDC, 2_000_000, 200_000],
      [UST, USDC, 2_500_000, 250_000],
      [UST, DAI, 1_000_000, 100_000],
      [UST, USDT, 1_000_000, 100_000],
      [USDC, DAI, 1_000_000, 1_000_000],
      [USDC, USDT, 1_000_000, 1_000_000],
    ]
    expect(cents(prices([UST, USDC, DAI, USDT], pools))).toEqual(['10 depegged', '100', '100', '100'])
  })

  // 12 March 2020: DAI rose to 1.10 USD because its borrowers needed it (MakerDAO, "The Market Collapse of March 12-13,
  // 2020: How It Impacted MakerDAO").
  test('DAI in March 2020 is worth more than one', () => {
    const pools: Entry[] = [
      [DAI, USDC, 1_000_000, 1_100_000],
      [DAI, USDT, 1_000_000, 1_100_000],
      [USDC, USDT, 1_000_000, 1_000_000],
    ]
    expect(cents(prices([DAI, USDC, USDT], pools))).toEqual(['110 depegged', '100', '100'])
  })

  test('a coin with one healthy and one fallen partner stays at one', () => {
    const pools: Entry[] = [
      [USDC, DAI, 900_000, 1_000_000],
      [USDC, USDT, 1_000_000, 1_000_000],
    ]
    expect(cents(prices([USDC, DAI, USDT], pools))).toEqual(['100', '90 depegged', '100'])
  })

  test('the coin in the middle of all pools falls alone', () => {
    const pools: Entry[] = [DAI, USDT, BUSD].map((coin) => [USDC, coin, 1_000_000, 900_000])
    expect(cents(prices([DAI, USDT, BUSD, USDC], pools))).toEqual(['100', '100', '100', '90 depegged'])
  })

  test('two that fall by different rates are both found, from the steady one', () => {
    const pools: Entry[] = [
      [DAI, USDT, 1_000_000, 900_000],
      [USDC, USDT, 1_000_000, 500_000],
      [DAI, USDC, 1_000_000, 1_800_000],
    ]
    expect(cents(prices([DAI, USDC, USDT], pools))).toEqual(['90 depegged', '50 depegged', '100'])
  })

  test('of two coins alone the lower one has fallen, and one alone is one', () => {
    expect(cents(prices([DAI, USDC], [[DAI, USDC, 1_000_000, 900_000]]))).toEqual(['90 depegged', '100'])
    expect(cents(prices([DAI], [[DAI, WETH, 3_000, 1]]))).toEqual(['100'])
  })
})
