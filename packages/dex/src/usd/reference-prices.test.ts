import { expect, test } from 'vitest'
import { USD } from '../anchor-prices.ts'
import type { Address } from '../chain.ts'
import type { EventState } from '../pool-state.ts'
import type { ReferenceChange, ReferencePool } from './reference/reference-pool.ts'
import { ReferenceBook } from './reference-book.ts'

const [WETH, USDC, DAI, USDT]: [Address, Address, Address, Address] = ['0x03', '0x01', '0x02', '0x04']
const config = {
  wrappedNative: WETH,
  stablecoins: [USDC, DAI, USDT],
  anchors: [],
  decimals: new Map([
    [WETH, 18],
    [USDC, 6],
    [DAI, 18],
    [USDT, 6],
  ]),
  settlingBlocks: 9,
  hourBlocks: 360,
}
const E6 = 10n ** 6n
const E18 = 10n ** 18n
const NOW = 1_000_000
const pair = (reserve0: bigint, reserve1: bigint): EventState => ({ kind: 'pair', reserve0, reserve1 })

function prices(...entries: [Address, Address, EventState, number?][]) {
  const pools: ReferencePool[] = []
  const changes: ReferenceChange[] = []
  entries.forEach(([a, b, state, timestamp = NOW - 1], index) => {
    const address: Address = `0xf${index}`
    const [token0, token1] = a < b ? [a, b] : [b, a]
    pools.push({ address, token0, token1, tickSpacing: 1 })
    changes.push({ pool: address, event: { type: 'price', state }, block: { number: 1, timestamp } })
  })
  return new ReferenceBook(config, pools, changes).pricesAt({ number: 100, timestamp: NOW })
}

test('the native price is the reserves ratio with the decimals accounted for', () => {
  expect(prices([USDC, WETH, pair(3_000n * E6, 1n * E18)]).native.get(WETH)?.priceE18).toBe(3_000n * USD)
})

test('of two pools with as much money the price is about the mean', () => {
  const { native } = prices([USDC, WETH, pair(3_000n * E6, E18)], [DAI, WETH, pair(3_001n * E18, E18)])
  expect((native.get(WETH)?.priceE18 ?? 0n) / 10n ** 17n).toBe(30_005n)
})

test('a mean that lies between two prices is the lower one', () => {
  const { native } = prices([USDC, WETH, pair(3_000n * E6, E18)], [DAI, WETH, pair(3_000n * E18 + 1n, E18)])
  expect(native.get(WETH)?.priceE18).toBe(3_000n * USD)
})

test('a pool whose stable side is under 1 % of the largest says nothing', () => {
  const { native } = prices([USDC, WETH, pair(300_000n * E6, 100n * E18)], [DAI, WETH, pair(2_999n * E18, 99n * E18)])
  expect(native.get(WETH)?.priceE18).toBe(3_000n * USD)
})

test('a state older than 24 hours says nothing, one of exactly 24 hours still does', () => {
  const state = pair(3_000n * E6, E18)
  expect(prices([USDC, WETH, state, NOW - 86_401]).native.size).toBe(0)
  expect(prices([USDC, WETH, state, NOW - 86_400]).native.get(WETH)?.priceE18).toBe(3_000n * USD)
})

test('a concentrated pool gives its price by sqrtPriceX96', () => {
  // USDC is token0, so the price of token0 in token1 is 1e18 / (2500 * 1e6); this is its square root times 2^96.
  const sqrtPriceX96 = 20_000n * 2n ** 96n
  const state: EventState = { kind: 'concentrated', sqrtPriceX96, tick: 0, liquidity: 10n ** 20n }
  expect(prices([USDC, WETH, state]).native.get(WETH)?.priceE18).toBe(2_500n * USD)
})

test.each([
  ['inside the band', 1_020_000n, USD, false],
  ['below the band', 900_000n, (9n * USD) / 10n, true],
])('a stablecoin %s', (_, usdcPerDai, expected, depegged) => {
  const { stablecoins } = prices(
    [USDC, DAI, pair(usdcPerDai * 1_000n, 1_000n * E18)],
    [USDT, DAI, pair(1_000n * E18, usdcPerDai * 1_000n)],
  )
  expect(stablecoins.get(DAI)).toEqual({ priceE18: expected, decimals: 18, depegged, isOld: false })
})

test('empty reserves, a zero price and an unknown token give no price', () => {
  expect(prices([USDC, WETH, pair(0n, 0n)]).native.size).toBe(0)
  const dead: EventState = { kind: 'concentrated', sqrtPriceX96: 0n, tick: 0, liquidity: 0n }
  expect(prices([USDC, WETH, dead]).native.size).toBe(0)
})
