import { describe, expect, test } from 'vitest'
import { ZERO_ADDRESS } from '../../src/chain.ts'
import { FLAG_AMOUNTS_DIFFER, FLAG_PARTIAL, FLAG_SETTLEMENT, type PricedTrade } from '../../src/trades/trade.ts'
import { at } from '../made-hop.ts'
import {
  begun,
  CENT,
  DEEP,
  FALSE,
  FALSE_POOL,
  filled,
  JUNK,
  JUNK_POOL,
  LISTED,
  logOf,
  ME,
  moved,
  operation,
  order,
  rowsOf,
  rowsWith,
  SETTLEMENT,
  SIDE,
  BUNDLER as SIGNER,
  swap,
  TOK,
  traded,
  USDC,
  WETH,
  YOU,
} from './settled-receipt.ts'

/**
 *  Anybody can deploy a contract that logs `Transfer`, and anybody can send a real token to themselves. So neither
 *  proves that an account gave or received a token that no pool of its trade took or paid:
 *
 *    JUNK   signer -> mask       forged
 *    USDC   mask   -> pool       100,000, the mask's own
 *    WETH   pool   -> mask        50
 *    FALSE  mask   -> signer     forged
 */
const [MASK, VENUE, AWETH] = [at('3a5c'), at('7e40'), at('a3e7')]
const USD = 10n ** 6n
const ETHER = 100n * CENT
const masked = traded(MASK, DEEP, [USDC, 100_000n * USD], [WETH, 50n * ETHER])
const row = ({ sell, buy, usdE8, flags }: PricedTrade) => [
  `${sell.token === WETH && sell.native ? 'coin' : sell.token}`,
  sell.amount,
  `${buy.token === WETH && buy.native ? 'coin' : buy.token}`,
  buy.amount,
  usdE8 === null ? null : Number(usdE8) / 1e8,
  flags,
]
const asPools = [USDC, 100_000n * USD, WETH, 50n * ETHER, 100_000, FLAG_PARTIAL]

describe('an end that only its own token’s events show', () => {
  test('is the pools’, where both are forged', () => {
    const rows = rowsOf(moved(JUNK, SIGNER, MASK, 1n), ...masked, moved(FALSE, MASK, SIGNER, 10n ** 30n))
    expect(rows.map(row)).toEqual([asPools])
  })

  test('is the pools’, where the signer really sold', () => {
    const rows = rowsOf(
      ...[moved(USDC, SIGNER, DEEP, 100_000n * USD), moved(WETH, DEEP, MASK, 50n * ETHER)],
      ...[swap(DEEP, 100_000n * USD, -50n * ETHER), moved(FALSE, MASK, SIGNER, 10n ** 30n)],
    )
    expect(rows.map(row)).toEqual([asPools])
  })

  test('is the pools’, where coins were sent along and another token forged', () => {
    const rows = rowsWith(7n, ...masked, moved(FALSE, MASK, SIGNER, 10n ** 30n))
    expect(rows.map(row)).toEqual([asPools])
  })

  test('is the pools’ for each operation of a bundle', () => {
    const of = (account: typeof ME) => [
      ...[moved(JUNK, account, MASK, 1n), ...masked, moved(FALSE, MASK, account, 10n ** 30n)],
      operation(account),
    ]
    expect(rowsOf(begun, ...of(ME), ...of(YOU)).map(row)).toEqual([asPools, asPools])
  })

  test('makes no order of an account that an event only names', () => {
    const order = (account: typeof ME) => [
      ...[moved(JUNK, account, MASK, 1n), moved(FALSE, MASK, account, 10n ** 30n)],
      filled(account),
    ]
    const rows = rowsOf(...order(ME), ...masked, ...order(YOU))
    expect(rows.map(({ sell, buy }) => [sell.token, buy.token])).toEqual([[USDC, WETH]])
  })

  test('is what its order’s part of the hops shows', () => {
    const sold = moved(USDC, ME, SETTLEMENT, 100_000n * USD)
    const honest = [moved(TOK, YOU, SETTLEMENT, 5n), ...traded(SETTLEMENT, SIDE, [TOK, 5n], [WETH, ETHER])]
    const rows = rowsOf(
      ...[sold, ...traded(SETTLEMENT, DEEP, [USDC, 100_000n * USD], [WETH, 50n * ETHER])],
      ...[moved(FALSE, MASK, ME, 10n ** 30n), ...honest, moved(WETH, SETTLEMENT, YOU, ETHER)],
      ...[filled(ME), filled(YOU)],
    )
    expect(rows.map(row)).toEqual([asPools, [TOK, 5n, WETH, ETHER, 2_000, 0]])
  })
})

/**
 * The signer sells 100 TOK for one WETH, which goes to a venue that is not indexed; then it receives something else.
 */
const sale = [...[moved(TOK, SIGNER, SIDE, 100n), moved(WETH, SIDE, VENUE, ETHER)], swap(SIDE, 100n, -ETHER)]
const asSold = [TOK, 100n, WETH, ETHER, 2_000, FLAG_PARTIAL]

describe('a listed token', () => {
  test.each([
    [1_990n * USD, [TOK, 100n, USDC, 1_990n * USD, 2_000, 0]],
    [1_650n * USD, asSold],
    [1n, asSold],
    [10n ** 9n * USD, asSold],
  ])('that a friend sent (%s) counts only if it is worth what the hops moved', (amount, expected) => {
    expect(rowsOf(...sale, moved(USDC, VENUE, SIGNER, amount)).map(row)).toEqual([expected])
  })

  test('without a price does not count', () => {
    expect(rowsOf(...sale, moved(LISTED, VENUE, SIGNER, 1_990n)).map(row)).toEqual([asSold])
  })

  test('counts if the pools that are read took their part of what was sold', () => {
    const parts = [moved(TOK, SIGNER, VENUE, 300n), moved(USDC, VENUE, SIGNER, 7_990n * USD)]
    expect(rowsOf(...sale, ...parts).map(row)).toEqual([[TOK, 400n, USDC, 7_990n * USD, 2_000, FLAG_AMOUNTS_DIFFER]])
  })

  test('counts where coins of that worth were sent along', () => {
    const bought = [moved(USDC, VENUE, DEEP, 2_000n * USD), moved(TOK, SIDE, SIGNER, 100n)]
    const steps = [...bought, swap(DEEP, 2_000n * USD, -ETHER), swap(SIDE, -100n, ETHER)]
    const [first] = rowsWith(ETHER + CENT, ...steps)
    expect(first && row(first)).toEqual(['coin', ETHER + CENT, TOK, 100n, 2_000, 0])
    const [dust] = rowsWith(1n, ...steps)
    expect(dust && row(dust)).toEqual([USDC, 2_000n * USD, TOK, 100n, 2_000, FLAG_PARTIAL])
  })
})

describe('a wrapper', () => {
  const supplied = (kept: bigint, minted: bigint, got: bigint) => [
    ...[moved(WETH, VENUE, AWETH, kept), moved(AWETH, ZERO_ADDRESS, VENUE, minted)],
    moved(AWETH, VENUE, SIGNER, got),
  ]
  test.each([
    ['minted for exactly what it received', ETHER, ETHER, ETHER, true],
    ['minted for more than it received', ETHER - 1n, ETHER, ETHER, false],
    ['minted for a dust of it', 1n, 1n, ETHER, false],
    ['minted right, and given in a number that nothing shows', ETHER, ETHER, 10n ** 30n, false],
  ])('%s', (_, kept, minted, got, counts) => {
    const rows = rowsOf(...sale, ...supplied(kept, minted, got))
    expect(rows.map(row)).toEqual([counts ? [TOK, 100n, AWETH, got, 2_000, 0] : asSold])
  })

  test('that tells its mint with the event of pairs counts, too; a pair’s own mint does not', () => {
    const mint = (amount: bigint) => logOf(AWETH, 'Mint(address,uint256,uint256)', [VENUE], [amount, 10n ** 27n])
    const [kept, made, got] = supplied(ETHER, ETHER, ETHER)
    const rowsAfter = (...event: Parameters<typeof rowsOf>) => rowsOf(...sale, ...event).map(row)
    if (kept === undefined || made === undefined || got === undefined) throw new Error('three transfers')
    expect(rowsAfter(kept, made, mint(ETHER), got)).toEqual([[TOK, 100n, AWETH, ETHER, 2_000, 0]])
    // A pair emits `Sync` before it.
    const synced = logOf(AWETH, 'Sync(uint112,uint112)', [], [5n, 6n])
    expect(rowsAfter(kept, made, synced, mint(ETHER), got)).toEqual([asSold])
  })

  test('of other decimals does not count, bought or sold', () => {
    const minted = [moved(WETH, VENUE, FALSE, ETHER), moved(FALSE, ZERO_ADDRESS, SIGNER, ETHER)]
    expect(rowsOf(...sale, ...minted).map(row)).toEqual([asSold])
    const burnt = [moved(FALSE, SIGNER, ZERO_ADDRESS, ETHER), moved(WETH, FALSE, SIDE, ETHER)]
    const rows = rowsOf(...burnt, moved(TOK, SIDE, SIGNER, 100n), swap(SIDE, -100n, ETHER))
    expect(rows.map(row)).toEqual([[WETH, ETHER, TOK, 100n, 2_000, FLAG_PARTIAL]])
  })

  test('burnt for exactly what it paid is sold', () => {
    const rows = rowsOf(
      ...[moved(AWETH, SIGNER, VENUE, ETHER), moved(AWETH, VENUE, ZERO_ADDRESS, ETHER)],
      ...[moved(WETH, AWETH, SIDE, ETHER), moved(TOK, SIDE, SIGNER, 100n), swap(SIDE, -100n, ETHER)],
    )
    expect(rows.map(row)).toEqual([[AWETH, ETHER, TOK, 100n, 2_000, 0]])
  })
})

test('tokens that a settlement’s event tells are the order’s, which is worth nothing of hops that have neither', () => {
  const [sold, bought] = [moved(JUNK, ME, SETTLEMENT, 5n), moved(FALSE, SETTLEMENT, ME, 6n)]
  const rows = rowsOf(sold, ...masked, bought, order(ME, JUNK, FALSE))
  expect(rows.map(row)).toEqual([
    [...asPools.slice(0, -1), 0],
    [JUNK, 5n, FALSE, 6n, null, FLAG_SETTLEMENT],
  ])
  expect(rowsOf(...sale, moved(FALSE, VENUE, SIGNER, 6n), order(SIGNER, TOK, FALSE)).map(row)).toEqual([
    [TOK, 100n, FALSE, 6n, 2_000, 0],
  ])
})

// WETH -> FALSE moves dust through the attacker's pool, while the attacker keeps the WETH of the previous hop; likewise
// with JUNK.
test('an end whose own hops moved nothing does not account for what the signer gave, or got', () => {
  const sold = rowsOf(
    ...[moved(USDC, SIGNER, MASK, 100_000n * USD), ...masked],
    ...[...traded(MASK, FALSE_POOL, [WETH, 10n], [FALSE, 10n ** 30n]), moved(FALSE, MASK, SIGNER, 10n ** 30n)],
  )
  expect(sold.map(row)).toEqual([[USDC, 100_000n * USD, FALSE, 10n ** 30n, 100_000, FLAG_PARTIAL]])
  const bought = rowsOf(
    ...[...traded(SIGNER, JUNK_POOL, [JUNK, 9n], [WETH, 10n]), moved(WETH, SIGNER, MASK, 10n)],
    ...[...traded(MASK, DEEP, [WETH, 50n * ETHER], [USDC, 100_000n * USD]), moved(USDC, MASK, SIGNER, 100_000n * USD)],
  )
  expect(bought.map(row)).toEqual([[JUNK, 9n, USDC, 100_000n * USD, 100_000, FLAG_PARTIAL]])
})

// JUNK -> WETH and WETH -> FALSE move dust through the attacker's pools, with somebody else's hop between them.
test('two ends whose own hops moved nothing do not account for the value of the hops between', () => {
  const rows = rowsOf(
    ...traded(SIGNER, JUNK_POOL, [JUNK, 9n], [WETH, 10n]),
    ...masked,
    ...traded(SIGNER, FALSE_POOL, [WETH, 10n], [FALSE, 9n]),
  )
  expect(rows.map(({ sell, buy, flags }) => [sell.token, buy.token, flags & FLAG_PARTIAL])).toEqual([
    [JUNK, FALSE, FLAG_PARTIAL],
  ])
})
