import { expect, test } from 'vitest'
import { USD } from '../../anchor-prices.ts'
import type { Address } from '../../chain.ts'
import type { ReferenceEvent } from '../../pool-event.ts'
import { afterEvent, followedPool, type ReferencePool } from './reference-pool.ts'
import { settledRates } from './settled-rates.ts'

const [WETH, USDC]: [Address, Address] = ['0x01', '0x02']
const decimals = new Map([WETH, USDC].map((token) => [token, 18]))
const SETTLING = 9
const config = {
  wrappedNative: WETH,
  stablecoins: [USDC],
  anchors: [],
  decimals,
  settlingBlocks: SETTLING,
  hourBlocks: 360,
}
const POOL: ReferencePool = { address: '0xa1', token0: WETH, token1: USDC, tickSpacing: 10 }
const E18 = 10n ** 18n

/** A pair with these prices of WETH at the ends of blocks, and this many thousand WETH in it. */
function pricedPool(...entries: [number: number, price: number, thousands?: number][]) {
  return entries.reduce((pool, [number, price, thousands = 20]) => {
    const reserve0 = BigInt(thousands * 1_000) * E18
    const event: ReferenceEvent = {
      type: 'price',
      state: { kind: 'pair', reserve0, reserve1: reserve0 * BigInt(price) },
    }
    return afterEvent(config, pool, event, { number, timestamp: number * 12 })
  }, followedPool(POOL))
}

function before(number: number, pool: ReturnType<typeof pricedPool>, settling = SETTLING) {
  const { isSettled, rates } = settledRates(pool, { number, timestamp: number * 12 }, settling)
  const [rate] = rates
  // A pair holds the same value on either side.
  if (rate !== undefined) expect(rate.bid).toBe((rate.ask * rate.price) / USD)
  return { isSettled, price: rate && rate.price / USD, ask: rate && rate.ask / E18 }
}

//  block   10  11  12  13  14  15  16  17  18 | 19
//  price    1   1   1   1   9   9   9   9   9
test('the price at most of the block ends that count is the price', () => {
  expect(before(19, pricedPool([5, 1], [14, 9])).price).toBe(9n)
  expect(before(19, pricedPool([5, 1], [15, 9])).price).toBe(1n)
  expect(before(18, pricedPool([5, 1], [14, 9])).price).toBe(1n)
})

test('of two prices at equally many block ends, the lower one counts', () => {
  expect(before(19, pricedPool([5, 1], [15, 9]), 8).price).toBe(1n)
  expect(before(19, pricedPool([5, 9], [15, 1]), 8).price).toBe(1n)
})

test('the state at the end of the oldest block that counts is kept, however many came after', () => {
  // Of the block ends from 10 on, the first still has the price of block 5.
  expect(before(19, pricedPool([5, 9], [11, 1], [15, 9], [18, 9])).price).toBe(9n)
})

test('the end of a block counts, not what happened in it', () => {
  expect(before(19, pricedPool([5, 1], [14, 9], [14, 1])).price).toBe(1n)
})

test('money that was not there at most of the ends does not count', () => {
  expect(before(19, pricedPool([5, 1, 20], [14, 1, 1_000])).ask).toBe(9_900n)
  expect(before(19, pricedPool([5, 1, 20], [15, 1, 1_000])).ask).toBe(198n)
})

test('a pool without a price at most of them is not settled: the prices that it had count', () => {
  expect(before(19, pricedPool([15, 1], [18, 9]))).toEqual({ isSettled: false, price: 1n, ask: 198n })
  expect(before(19, pricedPool([14, 1], [18, 9]))).toEqual({ isSettled: true, price: 1n, ask: 198n })
  expect(before(19, followedPool(POOL))).toEqual({ isSettled: false, price: undefined, ask: undefined })
})

test('money does not count at the ends at which its pool had no price', () => {
  // It had a price at five of nine ends, and this much money at three of them.
  expect(before(19, pricedPool([14, 1, 1_000], [17, 1, 20])).ask).toBe(198n)
  expect(before(19, pricedPool([10, 1, 1_000], [17, 1, 20])).ask).toBe(9_900n)
})
