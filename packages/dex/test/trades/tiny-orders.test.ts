import { expect, it } from 'vitest'
import type { Address } from '../../src/chain.ts'
import { at } from '../made-hop.ts'
import {
  AUGUSTUS,
  amounts,
  BLIND,
  BUNDLER,
  begun,
  CENT,
  DEEP,
  DIRECT,
  filled,
  JUNK,
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
  const rows = rowsOf(...tiny(ME), filled(ME), ...swapped, unwrapped)
  expect(rows.map(({ settledFor, buy }) => [settledFor, buy.native])).toEqual([
    [null, true],
    [ME, false],
  ])
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

it('an account has all swaps within its operation', () => {
  const swapped = [moved(USDC, MAKER, DEEP, 9n), moved(TOK, DEEP, THEM, 5n), swap(DEEP, 9n, -5n)]
  expect(rowsOf(begun, ...swapped, operation(ME)).map(({ settledFor }) => settledFor)).toEqual([ME])
})
