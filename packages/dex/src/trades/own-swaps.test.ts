import { expect, test } from 'vitest'
import { at, madeHop } from '../../test/made-hop.ts'
import type { Address } from '../chain.ts'
import { ownSwaps } from './own-swaps.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'
import type { Hop } from './trade.ts'

const [TAXED, WETH, BUSD, FOO] = [at('7a'), at('e1'), at('d1'), at('f00')]
const [TRADER, ROUTER, HELPER, PAIR] = [at('ee'), at('10'), at('4e'), at('aa')]
const DEAD: Address = `0x${'0'.repeat(36)}dead`

const pair = madeHop(0, [TAXED, 1n], [WETH, 1n]).pool
const samePool = { pool: { ...pair, address: PAIR } }
const sale = (logIndex: number, amount: bigint, over: Partial<Hop> = {}) =>
  madeHop(logIndex, [TAXED, amount], [WETH, amount / 10n], { ...samePool, ...over })
const moved = (logIndex: number, from: Address, to: Address, amount: bigint, token = TAXED): TokenTransfer => {
  return { token, from, to, amount, logIndex }
}
const ownOf = (hops: readonly Hop[], transfers: readonly TokenTransfer[]) =>
  [...ownSwaps(hops, transfers, TRADER, WETH)].map(({ logIndex }) => logIndex)

/*
 *  log   1      2        3          4       5
 *     taxed -> pair   its swap   trader -> pair   the trader's swap
 */
const BOTH = [sale(2, 100n), sale(5, 1_000n)]

test('the swap that the token paid for is its own, the other one the trader’s', () => {
  expect(ownOf(BOTH, [moved(1, TAXED, PAIR, 100n), moved(4, TRADER, PAIR, 1_000n)])).toEqual([2])
})

test('the order of the two does not matter', () => {
  const hops = [sale(2, 1_000n), sale(5, 100n)]
  expect(ownOf(hops, [moved(1, TRADER, PAIR, 1_000n), moved(4, TAXED, PAIR, 100n)])).toEqual([5])
})

test('liquidity that is added in between is not taken for the payment', () => {
  const transfers = [moved(1, TAXED, PAIR, 100n), moved(3, TAXED, PAIR, 90n), moved(4, TRADER, PAIR, 1_000n)]
  expect(ownOf(BOTH, transfers)).toEqual([2])
})

test('a payment that arrives smaller than it was sent is still the payment', () => {
  const transfers = [moved(1, TAXED, PAIR, 97n), moved(4, TRADER, PAIR, 1_100n)]
  expect(ownOf(BOTH, transfers)).toEqual([2])
})

test('a helper of the token that sells out of its stock makes a swap of the token’s own', () => {
  expect(ownOf(BOTH, [moved(1, HELPER, PAIR, 100n), moved(4, TRADER, PAIR, 1_000n)])).toEqual([2])
  const funded = [moved(0, TAXED, HELPER, 100n), moved(1, HELPER, PAIR, 100n), moved(4, TRADER, PAIR, 1_000n)]
  expect(ownOf(BOTH, funded)).toEqual([2])
})

test('a router that passes the trader’s token on pays for the trader', () => {
  const transfers = [moved(0, TRADER, ROUTER, 1_100n), moved(1, ROUTER, PAIR, 100n), moved(4, ROUTER, PAIR, 1_000n)]
  expect(ownOf(BOTH, transfers)).toEqual([])
})

test('a contract that sells twice from its stock sells for the trader', () => {
  expect(ownOf(BOTH, [moved(1, ROUTER, PAIR, 100n), moved(4, ROUTER, PAIR, 1_000n)])).toEqual([])
})

test('if the token pays for every hop, they are its own only where it sells what it held before', () => {
  const paid = [moved(1, TAXED, PAIR, 100n), moved(4, TAXED, PAIR, 1_000n)]
  expect(ownOf(BOTH, paid)).toEqual([2, 5])
  expect(ownOf(BOTH, [moved(0, TRADER, TAXED, 1_100n), ...paid])).toEqual([])
  expect(ownOf(BOTH.slice(1), paid)).toEqual([])
})

/*
 *  log  1              2     3               4
 *     taxed -> pair   swap  pair -> second  swap       or by way of a router
 */
test.each([
  ['directly', PAIR, at('ab')],
  ['by way of a router', ROUTER, ROUTER],
])('what the token’s own sale bought and sells on is its own, too: %s', (_, payer, recipient) => {
  const second = { ...pair, address: at('ab') }
  const onwards = madeHop(4, [WETH, 10n], [BUSD, 30n], { pool: second })
  const sold = sale(2, 100n, { recipient })
  const transfers = [moved(1, TAXED, PAIR, 100n), moved(3, payer, second.address, 10n, WETH)]
  expect(ownOf([sold, onwards], transfers)).toEqual([2, 4])
  // A later hop, which is the trader's, paid the same account.
  const traders = sale(6, 1_000n, { recipient })
  const more = madeHop(8, [WETH, 100n], [BUSD, 300n], { pool: second })
  const paid = [moved(5, TRADER, PAIR, 1_000n), moved(7, payer, second.address, 100n, WETH)]
  expect(ownOf([sold, onwards, traders, more], [...transfers, ...paid])).toEqual([2, 4])
})

test('without a word about payments nothing is known', () => {
  expect(ownOf(BOTH, [])).toEqual([])
})

test('what a token buys back to burn is its own', () => {
  const buyBack = madeHop(2, [WETH, 5n], [TAXED, 50n], { ...samePool, recipient: DEAD })
  const transfers = [moved(1, ROUTER, PAIR, 5n, WETH), moved(4, TRADER, PAIR, 1_000n)]
  expect(ownOf([buyBack, sale(5, 1_000n)], transfers)).toEqual([2])
})

/*
 *  log  1      2       3                4      5
 *     taxed  swap   WETH -> BUSD     trader   swap
 *     -> pair         for holders    -> pair
 */
test('what follows within the token’s own sale, before the trader pays, is its own too', () => {
  const dividends = madeHop(3, [WETH, 10n], [BUSD, 30n])
  const transfers = [moved(1, TAXED, PAIR, 100n), moved(4, TRADER, PAIR, 1_000n)]
  expect(ownOf([sale(2, 100n), dividends, sale(5, 1_000n)], transfers)).toEqual([2, 3])
})

test('what follows the trader’s swap is the trader’s', () => {
  const onwards = madeHop(6, [WETH, 100n], [FOO, 30n])
  const transfers = [moved(1, TAXED, PAIR, 100n), moved(4, TRADER, PAIR, 1_000n)]
  expect(ownOf([...BOTH, onwards], transfers)).toEqual([2])
})

/*
 *  log  1                2     3                4
 *     trader -> first   swap  first -> second  swap      beside a branch that the router pays
 */
test('a pair that pays directly into the next pair passes on what it sold', () => {
  const SECOND = at('ab')
  const [first, second] = [
    madeHop(2, [BUSD, 5n], [TAXED, 100n], samePool),
    madeHop(4, [TAXED, 97n], [WETH, 9n], { pool: { ...pair, address: SECOND } }),
  ]
  const branch = sale(7, 50n, { pool: { ...pair, address: at('ac') } })
  const transfers = [
    moved(1, TRADER, PAIR, 5n, BUSD),
    moved(3, PAIR, SECOND, 97n),
    moved(5, TRADER, ROUTER, 50n),
    moved(6, ROUTER, at('ac'), 50n),
  ]
  expect(ownOf([first, second, branch], transfers)).toEqual([])
})

/*
 *  log  1                2     3                4
 *     router -> first   swap  trader -> second  swap      the router wrapped coins that came along
 */
test('a sale of the wrapped coin from another account’s stock is the trader’s', () => {
  const [first, second] = [
    madeHop(2, [WETH, 9n], [FOO, 90n], samePool),
    madeHop(4, [WETH, 5n], [FOO, 50n], { pool: { ...pair, address: at('ab') } }),
  ]
  const transfers = [moved(1, ROUTER, PAIR, 9n, WETH), moved(3, TRADER, at('ab'), 5n, WETH)]
  expect(ownOf([first, second], transfers)).toEqual([])
  const asTaxed = [first, second].map((hop) => ({ ...hop, tokenIn: TAXED }))
  expect(
    ownOf(
      asTaxed,
      transfers.map((tokenTransfer) => ({ ...tokenTransfer, token: TAXED })),
    ),
  ).toEqual([2])
})
