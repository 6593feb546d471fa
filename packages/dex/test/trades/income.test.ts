import { expect, test } from 'vitest'
import { type Address, ZERO_ADDRESS } from '../../src/chain.ts'
import { FLAG_AMOUNTS_DIFFER, FLAG_PARTIAL, type PricedTrade } from '../../src/trades/trade.ts'
import { at } from '../made-hop.ts'
import {
  CENT,
  DEEP,
  LISTED,
  moved,
  rowsOf,
  rowsWith,
  SIDE,
  BUNDLER as SIGNER,
  swap,
  TOK,
  traded,
  USDC,
  WETH,
} from './settled-receipt.ts'

/**
 *  What an account receives apart from its trade is not part of the trade:
 *
 *    TOK   distributor -> signer   100    a reward that it claims
 *    TOK   signer      -> pool     150    what it sells, not 50
 *    WETH  pool        -> signer     1
 */
const [AWETH, ADAPTER, DISTRIBUTOR, VENUE, TRACKER] = [at('a3e7'), at('ada'), at('d15'), at('7e40'), at('d1d')]
const [USD, ETHER] = [10n ** 6n, 100n * CENT]
type Steps = Parameters<typeof rowsOf>
const textOf = ({ sell, buy, flags }: PricedTrade) => [sell.token, sell.amount, buy.token, buy.amount, flags]

const sold = (amount: bigint) => traded(SIGNER, SIDE, [TOK, amount], [WETH, ETHER])
const bought = (amount: bigint) => traded(SIGNER, SIDE, [WETH, ETHER], [TOK, amount])
const claimed = (from: Address) => moved(TOK, from, SIGNER, 100n)

test.each<[string, Steps, unknown[]]>([
  ['rewards of a distributor, and sold with more', [claimed(DISTRIBUTOR), ...sold(150n)], [TOK, 150n, WETH, ETHER, 0]],
  [
    'rewards that were minted to their distributor',
    [moved(TOK, ZERO_ADDRESS, VENUE, 100n), moved(TOK, VENUE, DISTRIBUTOR, 100n), claimed(DISTRIBUTOR), ...sold(150n)],
    [TOK, 150n, WETH, ETHER, 0],
  ],
  ['minted rewards, and sold with more', [claimed(ZERO_ADDRESS), ...sold(150n)], [TOK, 150n, WETH, ETHER, 0]],
  ['minted rewards of what is bought', [...bought(50n), claimed(ZERO_ADDRESS)], [WETH, ETHER, TOK, 50n, 0]],
  ['rewards of what is bought', [claimed(DISTRIBUTOR), ...bought(50n)], [WETH, ETHER, TOK, 50n, 0]],
  [
    'the interest of a lending token that it sells',
    [
      ...[moved(AWETH, ZERO_ADDRESS, SIGNER, 30n * CENT), moved(AWETH, SIGNER, ADAPTER, ETHER)],
      ...[moved(AWETH, ADAPTER, ZERO_ADDRESS, ETHER), moved(WETH, AWETH, DEEP, ETHER)],
      ...[moved(USDC, DEEP, SIGNER, 2_000n * USD), swap(DEEP, -2_000n * USD, ETHER)],
    ],
    [AWETH, ETHER, USDC, 2_000n * USD, 0],
  ],
  [
    'the interest of a lending token that it supplies to',
    [
      ...[moved(TOK, SIGNER, SIDE, 100n), moved(WETH, SIDE, VENUE, ETHER), swap(SIDE, 100n, -ETHER)],
      ...[moved(WETH, VENUE, AWETH, ETHER), moved(AWETH, ZERO_ADDRESS, SIGNER, 2n * ETHER)],
      moved(AWETH, ZERO_ADDRESS, SIGNER, ETHER),
    ],
    [TOK, 100n, AWETH, ETHER, 0],
  ],
])('is %s', (_, steps, expected) => {
  expect(rowsOf(...steps).map(textOf)).toEqual([expected])
})

test.each<[string, Steps, unknown[]]>([
  [
    'a router’s refund',
    [
      ...[moved(TOK, SIGNER, VENUE, 160n), moved(TOK, VENUE, SIDE, 140n), moved(TOK, VENUE, SIGNER, 10n)],
      ...[moved(WETH, SIDE, SIGNER, ETHER), swap(SIDE, 140n, -ETHER)],
    ],
    [TOK, 150n, WETH, ETHER, 0],
  ],
  [
    'a refund through another contract',
    [
      ...[moved(TOK, SIGNER, VENUE, 160n), moved(TOK, VENUE, SIDE, 150n), moved(TOK, VENUE, DISTRIBUTOR, 10n)],
      ...[moved(TOK, DISTRIBUTOR, SIGNER, 10n), moved(WETH, SIDE, SIGNER, ETHER), swap(SIDE, 150n, -ETHER)],
    ],
    [TOK, 150n, WETH, ETHER, 0],
  ],
  [
    'a part that a venue sold which took tokens',
    [...bought(50n), moved(WETH, SIGNER, VENUE, 2n * ETHER), moved(TOK, VENUE, SIGNER, 100n)],
    [WETH, 3n * ETHER, TOK, 150n, FLAG_AMOUNTS_DIFFER],
  ],
  [
    'what the account paid for with another token',
    [moved(LISTED, SIGNER, VENUE, 7n), claimed(ZERO_ADDRESS), ...sold(100n)],
    [TOK, 100n, WETH, ETHER, FLAG_PARTIAL],
  ],
  [
    'what its pool minted',
    [moved(WETH, SIGNER, SIDE, ETHER), claimed(ZERO_ADDRESS), swap(SIDE, -100n, ETHER)],
    [WETH, ETHER, TOK, 100n, 0],
  ],
  [
    'what a contract paid that burnt its own token',
    [
      ...[moved(AWETH, SIGNER, ZERO_ADDRESS, ETHER), moved(WETH, AWETH, SIGNER, ETHER)],
      ...traded(SIGNER, DEEP, [WETH, ETHER], [USDC, 2_000n * USD]),
    ],
    [AWETH, ETHER, USDC, 2_000n * USD, 0],
  ],
])('is not %s', (_, steps, expected) => {
  expect(rowsOf(...steps).map(textOf)).toEqual([expected])
})

test('minted tokens are not income of an account that sent coins for them', () => {
  // The account paid 2,000 USD in coins for 100 TOK, and sold these for the same value.
  const steps = [claimed(ZERO_ADDRESS), moved(TOK, SIGNER, SIDE, 100n), moved(WETH, SIDE, DEEP, ETHER)]
  const [row] = rowsWith(
    ETHER + CENT,
    ...[...steps, swap(SIDE, 100n, -ETHER), moved(USDC, DEEP, SIGNER, 2_000n * USD), swap(DEEP, -2_000n * USD, ETHER)],
  )
  expect(row && [row.sell.native, row.sell.amount, row.buy.amount]).toEqual([true, ETHER + CENT, 2_000n * USD])
})

test('a lending token is the end also where the account gave something else, too', () => {
  const repaid = (debt: bigint) => [
    ...[
      moved(AWETH, SIGNER, ADAPTER, ETHER),
      moved(AWETH, ADAPTER, ZERO_ADDRESS, ETHER),
      moved(WETH, AWETH, DEEP, ETHER),
    ],
    ...[moved(USDC, DEEP, VENUE, 2_000n * USD), swap(DEEP, -2_000n * USD, ETHER)],
    moved(TRACKER, SIGNER, ZERO_ADDRESS, debt),
  ]
  expect(rowsOf(...repaid(2_000n * USD)).map(textOf)).toEqual([[AWETH, ETHER, USDC, 2_000n * USD, 0]])
  // It paid an amount other than the one burnt.
  const [paid, , ...rest] = repaid(1n)
  if (paid === undefined) throw new Error('it pays first')
  expect(rowsOf(paid, ...rest).map(textOf)).toEqual([[WETH, ETHER, USDC, 2_000n * USD, FLAG_PARTIAL]])
})

/** The pool's token takes a tenth of each transfer, and its contract has a tracker log all holders' balances. */
test('a second token that repeats the transfers of a traded one hides no amount', () => {
  const taxed = [moved(TOK, SIGNER, TOK, 10n), moved(TOK, SIGNER, SIDE, 90n), moved(WETH, SIDE, SIGNER, ETHER)]
  const rowsBeside = (...others: Steps) => rowsOf(...taxed, swap(SIDE, 90n, -ETHER), ...others).map(textOf)
  const row = (amount: bigint) => [[TOK, amount, WETH, ETHER, 0]]
  expect(rowsBeside(moved(TRACKER, SIGNER, ZERO_ADDRESS, 100n))).toEqual(row(100n))
  expect(rowsBeside(moved(TRACKER, SIGNER, TOK, 10n), moved(TRACKER, SIGNER, SIDE, 90n))).toEqual(row(100n))
  // Of a purchase, another amount, or a listed token, counts as something that the account paid with.
  const bought = [moved(WETH, SIGNER, SIDE, ETHER), moved(TOK, SIDE, SIGNER, 90n), swap(SIDE, -100n, ETHER)]
  const boughtBeside = (other: Steps[number]) => rowsOf(...bought, other).map(({ buy }) => buy.amount)
  expect(boughtBeside(moved(TRACKER, ZERO_ADDRESS, SIGNER, 90n))).toEqual([90n])
  expect(boughtBeside(moved(TRACKER, ZERO_ADDRESS, SIGNER, 999n))).toEqual([90n])
  expect(boughtBeside(moved(TRACKER, SIGNER, VENUE, 99n))).toEqual([100n])
  expect(boughtBeside(moved(LISTED, SIGNER, VENUE, 90n))).toEqual([100n])
})
