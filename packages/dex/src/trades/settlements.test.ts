import { expect, test } from 'vitest'
import { at } from '../../test/made-hop.ts'
import type { Block, Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import { endsOfOrder, type SettledOrder, settledFor, settledOrders, settlementTopics } from './settlements.ts'

const [COW, ZEROEX, PARASWAP, REACTOR, ODOS, KYBER] = [at('c0'), at('0f'), at('5a'), at('ac'), at('0d'), at('6b')]
const [USER, OTHER, SOLVER] = [at('a1'), at('a2'), at('50')]
const [WETH, USDC, FOO] = [at('e1'), at('d1'), at('f00')]
const COIN: Address = `0x${'ee'.repeat(20)}`
const settlements = [
  { kind: 'cow', address: COW },
  { kind: 'zeroex', address: ZEROEX },
  { kind: 'paraswap-v5', address: PARASWAP },
  { kind: 'uniswapx', address: REACTOR },
  { kind: 'odos-v2', address: ODOS },
  { kind: 'kyberswap', address: KYBER },
] as const

const word = (value: Address | bigint) =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')
const data = (...values: (Address | bigint)[]): Hex => `0x${values.map(word).join('')}`
const topic = (value: Address | bigint): Hex => `0x${word(value)}`
const [cow = '0x', zeroex = '0x', paraswap = '0x', uniswapx = '0x', odos = '0x', kyber = '0x'] =
  settlementTopics(settlements)

const ordersOf = (...logs: Pick<Log, 'address' | 'topics' | 'data'>[]) => {
  const block: Block = {
    number: 1,
    hash: '0x01',
    parentHash: '0x00',
    timestamp: 1,
    logs: logs.map((log, logIndex) => ({ ...log, transactionIndex: 3, logIndex })),
    transactions: new Map(),
  }
  return settledOrders(block, settlements).get(3)
}

test('each settlement names the account that it trades for', () => {
  const orders = ordersOf(
    { address: COW, topics: [cow, topic(USER)], data: data(USDC, COIN, 5n, 6n, 0n, 0xe0n, 0n) },
    { address: ZEROEX, topics: [zeroex, topic(USER)], data: data(COIN, USDC, 5n, 6n) },
    {
      address: PARASWAP,
      topics: [paraswap, topic(USER), topic(USDC), topic(FOO)],
      data: data(1n, SOLVER, 0n, SOLVER, 5n, 6n, 7n),
    },
    { address: REACTOR, topics: [uniswapx, topic(9n), topic(SOLVER), topic(USER)], data: data(1n) },
    { address: ODOS, topics: [odos], data: data(USER, 5n, USDC, 6n, at('0'), 0n, 1n) },
    { address: KYBER, topics: [kyber], data: data(USER, COIN, FOO, USER, 5n, 6n) },
    // A settlement that uses another one is nobody's account.
    { address: KYBER, topics: [kyber], data: data(COW, USDC, FOO, COW, 5n, 6n) },
  )
  expect(orders).toEqual([
    { account: USER, tokens: { sold: USDC, bought: COIN }, amounts: null },
    { account: USER, tokens: { sold: COIN, bought: USDC }, amounts: { sold: 5n, bought: 6n } },
    { account: USER, tokens: { sold: USDC, bought: FOO }, amounts: { sold: 5n, bought: 6n } },
    { account: USER, tokens: null, amounts: null },
    { account: USER, tokens: { sold: USDC, bought: at('0') }, amounts: { sold: 5n, bought: 6n } },
    { account: USER, tokens: { sold: COIN, bought: FOO }, amounts: { sold: 5n, bought: 6n } },
  ])
})

test.each([
  ['from another contract', { address: OTHER, topics: [cow, topic(USER)], data: data(USDC, WETH, 5n, 6n, 0n) }],
  ['of another settlement’s kind', { address: ZEROEX, topics: [cow, topic(USER)], data: data(USDC, WETH, 5n, 6n) }],
  ['without the account', { address: COW, topics: [cow], data: data(USDC, WETH, 5n, 6n, 0n) }],
  ['with no address for a token', { address: COW, topics: [cow, topic(USER)], data: data(2n ** 200n, WETH) }],
  ['cut short', { address: COW, topics: [cow, topic(USER)], data: '0x01' as Hex }],
])('an event %s says nothing', (_, log) => {
  expect(ordersOf(log)).toBeUndefined()
})

const order = (account: Address, sold: Address, bought: Address): SettledOrder => {
  return { account, tokens: { sold, bought }, amounts: { sold: 5n, bought: 6n } }
}

test.each([
  ['the order over its tokens', [order(OTHER, FOO, WETH), order(USER, USDC, WETH)], USER],
  ['an order for the coin itself', [order(OTHER, FOO, WETH), order(USER, USDC, COIN)], USER],
  ['the only account there is', [order(USER, FOO, USDC)], USER],
  ['an order without tokens', [{ account: USER, tokens: null, amounts: null }], USER],
  ['two orders over the same tokens by two accounts', [order(USER, USDC, WETH), order(OTHER, USDC, WETH)], null],
  ['two accounts’ orders over other tokens', [order(USER, FOO, USDC), order(OTHER, FOO, WETH)], null],
  ['no order', [], null],
])('a swap is settled as %s tells', (_, orders, expected) => {
  expect(settledFor({ sold: USDC, bought: WETH }, orders, WETH)).toBe(expected)
})

const leg = (token: Address, amount: bigint, native = false) => ({ token, amount, native })
const OWN = { sell: leg(USDC, 70n), buy: leg(FOO, 60n) }

test.each([
  ['a coin for the same token', order(USER, COIN, FOO), { sell: leg(WETH, 5n, true), buy: leg(FOO, 60n) }],
  ['the wrapped coin for the same token', order(USER, WETH, FOO), { sell: leg(WETH, 5n), buy: leg(FOO, 60n) }],
  ['the same token for the coin', order(USER, USDC, COIN), { sell: leg(USDC, 70n), buy: leg(WETH, 6n, true) }],
  ['both tokens of the swap', order(USER, USDC, FOO), null],
  ['neither of them', order(USER, WETH, at('b0')), null],
  ['another token for the same one', order(USER, at('b0'), FOO), null],
  ['tokens without amounts', { ...order(USER, WETH, FOO), amounts: null }, null],
])('an order over %s tells the ends of a route so', (_, settled, expected) => {
  expect(endsOfOrder(OWN, settled, WETH)).toEqual(expected)
})
