import { expect, it } from 'vitest'
import type { Address } from '../../src/chain.ts'
import { FLAG_PARTIAL } from '../../src/trades/trade.ts'
import { at } from '../made-hop.ts'
import {
  AUGUSTUS,
  amounts,
  BLIND,
  BUNDLER,
  begun,
  CENT,
  coins,
  DEEP,
  DIRECT,
  FALSE,
  filled,
  GOLD,
  JUNK,
  JUNK_POOL,
  LISTED,
  limitOrder,
  logOf,
  ME,
  moved,
  OTHER,
  operation,
  order,
  rowsOf,
  SIDE,
  type Steps,
  swap,
  THEM,
  TOK,
  traded,
  UNIT,
  USDC,
  WETH,
  YOU,
} from './settled-receipt.ts'

const [MAKER, STOCK] = [at('7a'), at('57')]
const ETHER = 100n * CENT
const tiny = (account: Address) => [moved(USDC, account, STOCK, 5n), moved(WETH, STOCK, account, 7n)]
/** A stranger's large swaps, there and back, with its own money or a loan. */
const large = [
  ...traded(MAKER, DEEP, [USDC, 1_000_000n * UNIT], [WETH, 500n * ETHER]),
  ...traded(MAKER, OTHER, [WETH, 500n * ETHER], [USDC, 999_990n * UNIT]),
]
const largeRows = [
  [null, USDC, 1_000_000n * UNIT],
  [null, WETH, 500n * ETHER],
]
const sales = (...steps: Steps) =>
  rowsOf(...steps).map(({ settledFor, sell }) => [settledFor, sell.token, sell.amount] as const)

it.each<[string, Steps, isRow: boolean]>([
  ['of the same tokens', [...tiny(ME), filled(ME)], true],
  ['of other tokens', [moved(JUNK, ME, STOCK, 5n), moved(LISTED, STOCK, ME, 7n), filled(ME)], false],
  ['of 1inch', [limitOrder(ME), moved(JUNK, ME, STOCK, 5n), moved(USDC, STOCK, ME, 100n * UNIT)], false],
  ['that is an operation', [begun, moved(USDC, ME, THEM, 5n), operation(ME)], false],
])('a tiny order %s gives its owner no other swap', (_, fill, isRow) => {
  expect(sales(...fill, ...large)).toEqual([...largeRows, ...(isRow ? [[ME, USDC, 5n]] : [])])
})

it('a tiny order gives its owner not even a single swap of its tokens', () => {
  expect(sales(...tiny(ME), filled(ME), ...large.slice(0, 3))).toEqual([largeRows[0], [ME, USDC, 5n]])
})

it.each<[string, Steps]>([
  ['three times as much of the same tokens', traded(STOCK, DEEP, [USDC, 3_000n * UNIT], [WETH, 150n * CENT])],
  ['other tokens', traded(STOCK, BLIND, [TOK, 9n], [at('b11d'), 9n])],
])('an order that a stock filled is a row without hops if the filler swaps %s', (_, swapped) => {
  const fill = [moved(USDC, ME, STOCK, 1_000n * UNIT), moved(WETH, STOCK, ME, 50n * CENT), filled(ME)]
  const rows = rowsOf(...fill, ...swapped)
  expect(rows.map(({ settledFor, hops }) => [settledFor, hops.length])).toEqual([
    [null, 1],
    [ME, 0],
  ])
  expect(rows.map(amounts)[1]).toEqual([ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, []])
})

it.each<[string, Steps, owners: Address[]]>([
  ['of a batch', [...tiny(ME), order(ME, USDC, WETH, [5n, 7n])], [ME]],
  ['beside another', [...tiny(ME), filled(ME), ...tiny(YOU), filled(YOU)], [ME, YOU]],
])('a tiny order %s is a row of its own, without the hops of others', (_, fills, owners) => {
  const rows = owners.map((owner) => [owner, USDC, 5n])
  expect(sales(...large, ...fills)).toEqual([...largeRows, ...rows])
})

it('a tiny order takes no hop from an account that was paid elsewhere', () => {
  const paid = [moved(USDC, YOU, DEEP, 1_000n * UNIT), moved(WETH, DEEP, THEM, 50n * CENT)]
  const steps = [...tiny(ME), filled(ME), ...paid, swap(DEEP, 1_000n * UNIT, -50n * CENT), filled(YOU)]
  expect(sales(...steps)).toEqual([
    [YOU, USDC, 1_000n * UNIT],
    [ME, USDC, 5n],
  ])
})

it.each<[string, Address, bigint]>([
  ['another token', LISTED, 5n],
  ['as many units of another token', LISTED, 1_000_000n],
  ['the swapped token', TOK, 5n],
])('a tiny order of %s that is paid in coins gives its owner no swap whose coins are another’s', (_, sold, amount) => {
  const swapped = traded(MAKER, SIDE, [TOK, 1_000_000n], [WETH, 500n * ETHER])
  const unwrapped = logOf(WETH, 'Withdrawal(address,uint256)', [MAKER], [500n * ETHER])
  const fills = [moved(sold, ME, STOCK, amount), filled(ME), ...tiny(YOU), filled(YOU)]
  expect(sales(...fills, ...swapped, unwrapped)).toEqual([
    [null, TOK, 1_000_000n],
    [YOU, USDC, 5n],
  ])
})

it('an order that is paid in coins has neither coins far from what its hops paid, nor a hop beside these', () => {
  const swapped = [...traded(ME, SIDE, [TOK, 1_000_000n], [WETH, 500n * ETHER]), moved(WETH, ME, MAKER, 500n * ETHER)]
  const unwrapped = (amount: bigint) => logOf(WETH, 'Withdrawal(address,uint256)', [MAKER], [amount])
  const fills = [filled(ME), ...tiny(YOU), filled(YOU)]
  const [row] = rowsOf(...swapped, unwrapped(5n * ETHER), ...fills)
  expect([row?.settledFor, row?.buy.amount]).toEqual([ME, 500n * ETHER])
  const dust = traded(MAKER, DIRECT, [TOK, 9n], [USDC, 9n])
  const rows = sales(...swapped, ...dust, ...large.slice(0, 3), unwrapped(500n * ETHER), ...fills)
  expect(rows).toContainEqual(largeRows[0])
})

it('a tiny order that was paid in the wrapper makes no wrapper of the coins that somebody else bought', () => {
  const swapped = traded(MAKER, SIDE, [TOK, 1_000_000n], [WETH, 500n * ETHER])
  const unwrapped = logOf(WETH, 'Withdrawal(address,uint256)', [MAKER], [500n * ETHER])
  const fill = [...tiny(ME), filled(ME)]
  for (const rows of [rowsOf(...fill, ...swapped, unwrapped), rowsOf(...swapped, unwrapped, ...fill)]) {
    expect(rows.map(({ settledFor, buy }) => [settledFor, buy.native])).toEqual([
      [null, true],
      [ME, false],
    ])
  }
})

it('a swap on ParaSwap that somebody else paid is not the account’s for which it bought next to nothing', () => {
  const event = 'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)'
  const values = [1n, STOCK, 2n ** 248n, MAKER, 1_000_000n, 5n, 5n]
  const swapped = traded(MAKER, SIDE, [TOK, 1_000_000n], [WETH, 500n * ETHER])
  const paid = [moved(USDC, STOCK, ME, 5n), logOf(AUGUSTUS, event, [ME, TOK, USDC], values)]
  expect(sales(...swapped, ...paid)).toEqual([[null, TOK, 1_000_000n]])
})

it('an account has the swap of which it moved half', () => {
  const swapped = [moved(WETH, DEEP, THEM, 50n * CENT), swap(DEEP, 1_000n * UNIT, -50n * CENT)]
  const paid = (amount: bigint) => [moved(USDC, ME, DEEP, amount), moved(USDC, BUNDLER, DEEP, 1_000n * UNIT - amount)]
  const ownerOf = (amount: bigint) => sales(...paid(amount), ...swapped, filled(ME))[0]?.[0]
  expect([ownerOf(500n * UNIT), ownerOf(500n * UNIT - 1n)]).toEqual([ME, null])
})

/** A stranger's swaps of a lot for next to nothing, and the other way round, in a pool that the stranger made. */
const forJunk = [
  ...[moved(USDC, MAKER, DEEP, 1_000_000n * UNIT), moved(WETH, DEEP, JUNK_POOL, 500n * ETHER)],
  ...[
    swap(DEEP, 1_000_000n * UNIT, -500n * ETHER),
    moved(JUNK, JUNK_POOL, MAKER, 2n),
    swap(JUNK_POOL, -2n, 500n * ETHER),
  ],
]
const ofJunk = [
  ...[moved(JUNK, MAKER, JUNK_POOL, 2n), moved(WETH, JUNK_POOL, DEEP, 500n * ETHER)],
  ...[swap(JUNK_POOL, 2n, -500n * ETHER), moved(USDC, DEEP, MAKER, 1_000_000n * UNIT)],
  swap(DEEP, -1_000_000n * UNIT, 500n * ETHER),
]
const gift = moved(JUNK, MAKER, ME, 2n)

it.each<[string, Steps]>([
  ['some of what was sold', [moved(USDC, ME, STOCK, 5n)]],
  ['a listed token', [moved(WETH, ME, STOCK, 5n)]],
  ['a listed token without a price', [moved(LISTED, ME, STOCK, 5n)]],
  ['another token', [moved(TOK, ME, STOCK, 5n), moved(FALSE, STOCK, ME, 7n)]],
])('an account that gave %s has no swap of a lot for a worthless token that it got', (_, fill) => {
  expect(sales(...forJunk, ...fill, gift, filled(ME))).toEqual([[null, USDC, 1_000_000n * UNIT]])
})

it.each<[string, Steps]>([
  ['some of what was bought', [moved(USDC, STOCK, ME, 5n)]],
  ['a listed token', [moved(WETH, STOCK, ME, 5n)]],
  ['another token', [moved(TOK, STOCK, ME, 5n)]],
])('an account that got %s has no swap of a worthless token for a lot', (_, fill) => {
  const rows = rowsOf(moved(JUNK, ME, MAKER, 1n), ...ofJunk, ...fill, filled(ME))
  expect(rows.map(({ settledFor }) => settledFor)).toEqual([null])
})

it('an account that only gave an end was paid elsewhere', () => {
  const sold = [moved(TOK, ME, SIDE, 10n), moved(WETH, SIDE, THEM, 5n * CENT), swap(SIDE, 10n, -5n * CENT), filled(ME)]
  expect(sales(...sold)).toEqual([[ME, TOK, 10n]])
  expect(sales(...sold, gift)).toEqual([[null, TOK, 10n]])
})

it('an account whose coins went elsewhere, by their logs, got another token', () => {
  const sold = [
    moved(USDC, ME, DEEP, 100n * UNIT),
    moved(WETH, DEEP, MAKER, 5n * CENT),
    swap(DEEP, 100n * UNIT, -5n * CENT),
  ]
  const unwrapped = [logOf(WETH, 'Withdrawal(address,uint256)', [MAKER], [5n * CENT]), coins(WETH, MAKER, 5n * CENT)]
  const flags = (...steps: Steps) =>
    rowsOf(...sold, ...unwrapped, ...steps, filled(ME)).map((row) => row.flags & FLAG_PARTIAL)
  expect(flags(gift)).toEqual([FLAG_PARTIAL])
  expect(flags(gift, coins(MAKER, ME, 5n * CENT))).toEqual([0])
})

it('the worth of the one end that shows an account decides', () => {
  const sold = (amount: bigint, paid: bigint) => [
    ...[moved(USDC, ME, DEEP, amount), moved(WETH, DEEP, THEM, paid), swap(DEEP, amount, -paid), gift, filled(ME)],
  ]
  expect(sales(...sold(100n * UNIT, 5n * CENT))).toEqual([[ME, USDC, 100n * UNIT]])
  const bought = (amount: bigint, paid: bigint) => [
    ...[moved(USDC, THEM, DEEP, amount), moved(WETH, DEEP, ME, paid), swap(DEEP, amount, -paid), filled(ME)],
  ]
  expect(sales(...bought(100n * UNIT, (25n * CENT) / 10n))).toEqual([[ME, USDC, 100n * UNIT]])
  expect(sales(...bought(100n * UNIT, (25n * CENT) / 10n - (1n * CENT) / 100n))).toEqual([[null, USDC, 100n * UNIT]])
})

it('money that goes there and back makes no dust worth half of a swap', () => {
  const [lot, back] = [1_000_000n * UNIT, 999_999n * UNIT]
  const loop = [...traded(MAKER, DEEP, [USDC, lot], [WETH, 2n]), ...traded(MAKER, DEEP, [WETH, 2n], [USDC, back])]
  expect(sales(...loop, moved(TOK, ME, STOCK, 5n), moved(WETH, MAKER, ME, 1n), filled(ME))[0]).toEqual([
    null,
    USDC,
    lot,
  ])
})

it.each<[string, Address, bigint, Address | null]>([
  ['of little worth', USDC, 5n, null],
  ['without a price', LISTED, 5n, null],
  ['worth as much', GOLD, 500n * ETHER, ME],
])(
  'a token %s that an event states does not show whose a swap for a worthless token is',
  (_, sold, amount, account) => {
    const event = 'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)'
    const stated = logOf(AUGUSTUS, event, [ME, sold, JUNK], [1n, 0n, 0n, ME, amount, 2n, 2n])
    const swapped = [
      moved(WETH, MAKER, JUNK_POOL, 500n * ETHER),
      moved(JUNK, JUNK_POOL, ME, 2n),
      swap(JUNK_POOL, -2n, 500n * ETHER),
    ]
    const rows = rowsOf(moved(sold, ME, MAKER, amount), ...swapped, stated)
    expect(rows.map(({ settledFor, sell }) => [settledFor, sell.token])).toEqual([[account, account ? sold : WETH]])
  },
)

it('an account of which an event states both tokens has a swap between these if one is worth half of it', () => {
  const event = 'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)'
  const swapped = traded(STOCK, DEEP, [USDC, 2_000n * UNIT], [WETH, ETHER])
  const rows = (gold: bigint) => {
    const stated = logOf(AUGUSTUS, event, [ME, GOLD, LISTED], [1n, 0n, 0n, ME, gold, 5n, 5n])
    return sales(moved(GOLD, ME, STOCK, gold), ...swapped, moved(LISTED, STOCK, ME, 5n), stated)
  }
  expect(rows(ETHER / 2n)).toEqual([[ME, GOLD, ETHER / 2n]])
  expect(rows(ETHER / 2n - 1n)).toEqual([[null, USDC, 2_000n * UNIT]])
})

it('a lending token that was burnt or minted for what the pool moved shows its account', () => {
  const lent = at('a70')
  const burnt = [moved(lent, ME, STOCK, ETHER), moved(lent, STOCK, at(''), ETHER), moved(WETH, lent, STOCK, ETHER)]
  const bought = [moved(WETH, STOCK, SIDE, ETHER), moved(TOK, SIDE, ME, 90n), swap(SIDE, -90n, ETHER)]
  expect(sales(...burnt, ...bought, gift, filled(ME))).toEqual([[ME, lent, ETHER]])
  const sold = [moved(TOK, ME, SIDE, 90n), moved(WETH, SIDE, STOCK, ETHER), swap(SIDE, 90n, -ETHER)]
  const minted = [moved(WETH, STOCK, lent, ETHER), moved(lent, at(''), ME, ETHER)]
  expect(sales(...sold, ...minted, gift, filled(ME))).toEqual([[ME, TOK, 90n]])
})

it('a wrapping token that somebody made shows no account', () => {
  const wrapper = at('bad3')
  const supplied = [moved(WETH, DEEP, wrapper, 500n * ETHER), moved(wrapper, at(''), ME, 500n * ETHER)]
  const swapped = [
    moved(USDC, MAKER, DEEP, 1_000_000n * UNIT),
    ...supplied,
    swap(DEEP, 1_000_000n * UNIT, -500n * ETHER),
  ]
  expect(sales(...swapped, moved(USDC, ME, STOCK, 5n), filled(ME)).map(([account]) => account)).toEqual([null])
})

it('an order beside another has no hop that gave it something worthless for a lot', () => {
  const fill = [moved(USDC, ME, STOCK, 5n), gift, filled(ME)]
  const rows = sales(...forJunk, ...fill, ...tiny(YOU), filled(YOU))
  expect(rows.filter(([settledFor]) => settledFor === ME)).toEqual([])
  for (const token of [LISTED, FALSE]) {
    const ofOther = [moved(token, ME, STOCK, 5n), gift, filled(ME)]
    const others = sales(...forJunk, ...ofOther, ...tiny(YOU), filled(YOU))
    expect(others.filter(([settledFor]) => settledFor === ME)).toEqual([])
  }
})

it('an account has no swaps that are together more than twice its own', () => {
  const swapped = (account: Address) => traded(account, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
  // Two tokens are bought, so each hop is a swap of its own.
  const dust = traded(MAKER, SIDE, [WETH, 1n], [TOK, 9n])
  const owners = (strangers: number) => {
    const others = Array.from({ length: strangers }, () => swapped(MAKER)).flat()
    return rowsOf(...swapped(ME), filled(ME), ...others, ...dust).map(({ settledFor }) => settledFor)
  }
  expect(owners(1)).toEqual([ME, ME, null])
  expect(owners(2)).toEqual([null, null, null, null, ME])
})

it('vault shares, and a lending token beside a third token, that coins paid for show no account', () => {
  const [shares, sold] = [at('5a2e'), 1_000n * UNIT]
  const swapped = [
    ...traded(STOCK, DEEP, [USDC, sold], [WETH, 50n * CENT]),
    logOf(WETH, 'Withdrawal(address,uint256)', [STOCK], [50n * CENT]),
  ]
  const redeemed = (amount: bigint) => [
    moved(shares, ME, STOCK, amount),
    moved(shares, STOCK, at(''), amount),
    moved(USDC, shares, STOCK, sold),
  ]
  const ofNobody = [[null, USDC, sold]]
  expect(sales(...redeemed(900n * UNIT), ...swapped, filled(ME))).toEqual(ofNobody)
  expect(sales(...redeemed(900n * UNIT), ...swapped, filled(ME), ...tiny(YOU), filled(YOU))).toEqual([
    ...ofNobody,
    [YOU, USDC, 5n],
  ])
  expect(sales(...redeemed(sold), ...swapped, moved(TOK, THEM, ME, 5n), filled(ME))).toEqual(ofNobody)
})

it('an account has all swaps within its operation', () => {
  const swapped = [moved(USDC, MAKER, DEEP, 9n), moved(TOK, DEEP, THEM, 5n), swap(DEEP, 9n, -5n)]
  expect(rowsOf(begun, ...swapped, operation(ME)).map(({ settledFor }) => settledFor)).toEqual([ME])
})
