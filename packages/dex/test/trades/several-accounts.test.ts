import { id } from 'ethers'
import { describe, expect, it, test } from 'vitest'
import type { Block, Log } from '../../src/chain/block.ts'
import type { Address, Hex } from '../../src/chain/hex.ts'
import type { Pool } from '../../src/pool.ts'
import { blockHops, toTrades } from '../../src/trades/to-trades.ts'
import type { PricedTrade } from '../../src/trades/trade.ts'
import { type AnchorPrices, USD } from '../../src/usd/anchor-prices.ts'
import { priceTrade } from '../../src/usd/trade-value.ts'
import { at } from '../made-hop.ts'

const [WETH, USDC, TOK] = [at('e1'), at('c'), at('f00')]
const [ME, YOU, THEM, BUNDLER, SETTLEMENT, ENTRY_POINT] = [at('a1'), at('a2'), at('a3'), at('b0'), at('c0'), at('4337')]
const COIN: Address = `0x${'ee'.repeat(20)}`
const poolOf = (address: Address, token0: Address, token1: Address): [Address, Pool] => [
  address,
  {
    ...{ address, token0, token1, fee: 3000, tickSpacing: null },
    dex: { name: 'v2', kind: 'uniswap-v2', factory: at('f') },
  },
]
const [DEEP, OTHER, SIDE, TWIN] = [at('d1'), at('d2'), at('d3'), at('d4')]
const pools = new Map([
  poolOf(DEEP, USDC, WETH),
  poolOf(OTHER, USDC, WETH),
  poolOf(SIDE, TOK, WETH),
  poolOf(TWIN, TOK, WETH),
])
const settlements = [
  { kind: 'cow', address: SETTLEMENT },
  { kind: 'erc4337', address: ENTRY_POINT },
] as const
const rules = { wrappedNative: WETH, trusted: new Set<Address>(), settlements }
const [UNIT, CENT] = [10n ** 6n, 10n ** 16n]
const prices: AnchorPrices = {
  stablecoins: new Map([[USDC, { priceE18: USD, decimals: 6, depegged: false }]]),
  native: new Map([[WETH, { priceE18: 2_000n * USD, decimals: 18, depegged: false }]]),
  others: new Map(),
}

const word = (value: Address | bigint) =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')
const topic = (value: Address | bigint): Hex => `0x${word(value)}`
const logOf = (address: Address, signature: string, topics: (Address | bigint)[], data: (Address | bigint)[]): Log => ({
  ...{ address, topics: [id(signature) as Hex, ...topics.map(topic)], data: `0x${data.map(word).join('')}` },
  ...{ transactionIndex: 3, logIndex: 0 },
})
const moved = (token: Address, from: Address, to: Address, amount: bigint) =>
  logOf(token, 'Transfer(address,address,uint256)', [from, to], [amount])
const begun = logOf(ENTRY_POINT, 'BeforeExecution()', [], [])
const operation = (account: Address, success = 1n) =>
  logOf(
    ENTRY_POINT,
    'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
    [9n, account, BUNDLER],
    [0n, success, 5n, 6n],
  )
const order = (account: Address, sold: Address, bought: Address) =>
  logOf(
    SETTLEMENT,
    'Trade(address,address,address,uint256,uint256,uint256,bytes)',
    [account],
    [sold, bought, 5n, 6n, 0n, 0xe0n, 0n],
  )
/** A swap of a pool: what came into it of its first token and of its second one. */
const swap = (pool: Address, amount0: bigint, amount1: bigint) => ({ pool, amount0, amount1 })
type Step = Log | ReturnType<typeof swap>

/** The rows of a transaction with these logs and swaps, in this order. */
function rowsOf(...steps: Step[]): PricedTrade[] {
  const place = (logIndex: number) => ({ transactionIndex: 3, logIndex })
  const logs = steps.map((step, index) =>
    'pool' in step ? { ...logOf(step.pool, 'Swap()', [], []), ...place(index) } : { ...step, ...place(index) },
  )
  const events = steps.flatMap((step, index) =>
    'pool' in step ? [{ ...step, ...place(index), type: 'swap', family: 'pair', state: null } as const] : [],
  )
  const block: Block = {
    ...{ number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1_000, logs: [] },
    transactions: new Map([[3, { hash: '0xbeef', from: BUNDLER, value: 0n }]]),
  }
  const hops = blockHops(block, events, pools, WETH)
  return toTrades(hops, rules, new Map([['0xbeef', logs]])).map((trade) => priceTrade(trade, prices, true))
}

const amounts = ({ sell, buy, settledFor, usdE8, hops }: PricedTrade) => [
  ...[settledFor, sell.token, sell.amount, buy.token, buy.amount],
  ...[usdE8 === null ? null : Number(usdE8) / 1e8, hops.map(({ logIndex }) => logIndex)],
]

/** One account pays a pool, the pool pays it. */
const traded = (account: Address, pool: Address, [paid, sold]: [Address, bigint], [got, bought]: [Address, bigint]) => {
  const [token0] = [pools.get(pool)?.token0]
  return [
    moved(paid, account, pool, sold),
    moved(got, pool, account, bought),
    paid === token0 ? swap(pool, sold, -bought) : swap(pool, -bought, sold),
  ]
}

describe('operations of one bundle', () => {
  const bought = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
  const sold = traded(YOU, DEEP, [WETH, 100n * CENT], [USDC, 1_990n * UNIT])

  it('of opposite directions are two rows', () => {
    expect(rowsOf(begun, ...bought, operation(ME), ...sold, operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [7]],
    ])
  })

  it('that go on with each other’s tokens are two rows', () => {
    const onwards = traded(YOU, SIDE, [WETH, 50n * CENT], [TOK, 900n])
    expect(rowsOf(begun, ...bought, operation(ME), ...onwards, operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 50n * CENT, TOK, 900n, 1_000, [7]],
    ])
  })

  it('of one account are one trade', () => {
    const onwards = traded(ME, SIDE, [WETH, 50n * CENT], [TOK, 900n])
    const other = traded(YOU, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
    expect(
      rowsOf(begun, ...bought, operation(ME), ...other, operation(YOU), ...onwards, operation(ME)).map(amounts),
    ).toEqual([
      [ME, USDC, 1_000n * UNIT, TOK, 900n, 1_000, [3, 11]],
      [YOU, USDC, 10n * UNIT, WETH, CENT, 10, [7]],
    ])
  })

  it('do not mix with what is paid before them, which counts for its account', () => {
    const gas = moved(USDC, ME, BUNDLER, 3n * UNIT)
    expect(rowsOf(gas, begun, ...bought, operation(ME), ...sold, operation(YOU)).map(amounts)).toMatchObject([
      [ME, USDC, 1_003n * UNIT, WETH, 50n * CENT, 1_000, [4]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [8]],
    ])
  })

  it('do not give an account what another one paid it in its own operation', () => {
    const gift = moved(WETH, YOU, ME, 7n)
    expect(rowsOf(begun, ...bought, operation(ME), gift, ...sold, operation(YOU)).map(amounts)[0]).toEqual([
      ...[ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
    ])
  })

  it('leave a swap beside them to nobody', () => {
    const beside = traded(BUNDLER, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
    expect(rowsOf(...beside, begun, ...bought, operation(ME), ...sold, operation(YOU)).map(amounts)).toEqual([
      [null, USDC, 10n * UNIT, WETH, CENT, 10, [2]],
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [10]],
    ])
  })

  it('whose events all come at the end are told by the nets of their accounts', () => {
    expect(rowsOf(begun, ...bought, ...sold, operation(ME), operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [6]],
    ])
  })

  it('that failed end the logs before them, too', () => {
    const fee = moved(USDC, YOU, BUNDLER, UNIT)
    const rows = rowsOf(begun, ...bought, operation(ME), fee, operation(YOU, 0n), ...sold, operation(THEM))
    expect(rows.map(({ settledFor }) => settledFor)).toEqual([ME, THEM])
  })
})

describe('orders of one batch', () => {
  const paidIn = (account: Address, token: Address, amount: bigint) => moved(token, account, SETTLEMENT, amount)
  const paidOut = (account: Address, token: Address, amount: bigint) => moved(token, SETTLEMENT, account, amount)
  const mine = [order(ME, USDC, WETH), paidIn(ME, USDC, 1_000n * UNIT), paidOut(ME, WETH, 50n * CENT)]
  const yours = [order(YOU, WETH, USDC), paidIn(YOU, WETH, 100n * CENT), paidOut(YOU, USDC, 1_990n * UNIT)]
  const sum = (rows: PricedTrade[]) => rows.reduce((total, { usdE8 }) => total + Number(usdE8), 0) / 1e8

  it('of opposite directions through two pools are two rows', () => {
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(OTHER, -1_990n * UNIT, 100n * CENT)]
    expect(rowsOf(...mine, ...yours, ...hops).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [7]],
    ])
  })

  it('of which one is matched by the other are two rows, and worth what went through the pool', () => {
    const rows = rowsOf(...mine, ...yours, swap(DEEP, -990n * UNIT, 50n * CENT))
    expect(rows.map(amounts)).toEqual([
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 990, [6]],
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 0, []],
    ])
    expect(rows.map(({ flags }) => flags)).toEqual([32, 32])
  })

  it('that go on with each other’s tokens are two rows', () => {
    const onwards = [order(YOU, WETH, TOK), paidIn(YOU, WETH, 50n * CENT), paidOut(YOU, TOK, 900n)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, -900n, 50n * CENT)]
    expect(rowsOf(...mine, ...onwards, ...hops).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
      [YOU, WETH, 50n * CENT, TOK, 900n, 1_000, [7]],
    ])
  })

  it('of one direction share the hop, which is stored once', () => {
    const more = [order(THEM, USDC, WETH), paidIn(THEM, USDC, 2_000n * UNIT), paidOut(THEM, WETH, 100n * CENT)]
    const rows = rowsOf(...mine, ...more, swap(DEEP, 3_000n * UNIT, -150n * CENT))
    expect(rows.map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, []],
      [THEM, USDC, 2_000n * UNIT, WETH, 100n * CENT, 2_000, [6]],
    ])
    expect(rows.map(({ flags, hopsUsdE8 }) => [flags, hopsUsdE8])).toEqual([
      [0, []],
      [0, [3_000n * 10n ** 8n]],
    ])
    expect(sum(rows)).toBe(3_000)
  })

  it('that bought coins have what the pools paid for them', () => {
    const coins = [order(YOU, TOK, COIN), paidIn(YOU, TOK, 900n)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, 900n, -51n * CENT)]
    const rows = rowsOf(...mine, ...coins, ...hops)
    expect(rows.map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [5]],
      [YOU, TOK, 900n, WETH, 51n * CENT, 1_020, [6]],
    ])
    expect(rows.map(({ buy }) => buy.native)).toEqual([false, true])
  })

  it('leave the others’ hops to those, or to nobody', () => {
    const two = [order(YOU, TOK, USDC), paidIn(YOU, TOK, 900n), paidIn(YOU, WETH, CENT), paidOut(YOU, USDC, 9n)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, 900n, -51n * CENT)]
    expect(rowsOf(...mine, ...two, ...hops).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [7]],
      [YOU, TOK, 900n, WETH, 51n * CENT, 1_020, [8]],
    ])
    const both = rowsOf(...mine, order(YOU, USDC, WETH), paidIn(YOU, USDC, 1n), paidOut(YOU, WETH, 1n), ...hops)
    expect(both.map(({ settledFor }) => settledFor)).toEqual([ME, YOU, null])
  })
})

test('a token that two accounts trade in does not go from pool to pool', () => {
  const bought = traded(ME, SIDE, [WETH, 50n * CENT], [TOK, 900n])
  const sold = traded(YOU, TWIN, [TOK, 500n], [WETH, 27n * CENT])
  const rows = rowsOf(begun, ...bought, operation(ME), ...sold, operation(YOU))
  expect(rows.map(({ moves }) => moves)).toEqual([undefined, undefined])
  const mine = traded(ME, TWIN, [TOK, 500n], [WETH, 27n * CENT])
  expect(rowsOf(begun, ...bought, ...mine, operation(ME))[0]?.moves).toEqual([{ token: TOK, isWhole: false }])
})

test('what a bundler swaps beside an operation is not the account’s', () => {
  const bought = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
  const beside = traded(BUNDLER, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
  expect(rowsOf(...beside, begun, ...bought, operation(ME)).map(amounts)).toEqual([
    [null, USDC, 10n * UNIT, WETH, CENT, 10, [2]],
    [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
  ])
})

test('events before all hops name their accounts', () => {
  const bought = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
  const sold = traded(YOU, OTHER, [WETH, 100n * CENT], [USDC, 1_990n * UNIT])
  expect(rowsOf(operation(ME), ...bought).map(amounts)).toEqual([
    [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
  ])
  expect(rowsOf(operation(ME), operation(YOU), ...bought, ...sold).map(amounts)).toEqual([
    [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [4]],
    [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [7]],
  ])
})
