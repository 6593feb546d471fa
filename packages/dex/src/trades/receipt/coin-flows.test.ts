import { expect, test } from 'vitest'
import { at } from '../../../test/made-hop.ts'
import { topic, word } from '../../../test/made-log.ts'
import { topicOf } from '../../abi/contract-abi.ts'
import type { Hex, Log } from '../../chain.ts'
import { coinEnd } from './coin-ends.ts'
import { Ledger } from './ledger.ts'
import { POLYGON_COIN, receiptFlows, SYSTEM_ADDRESS, TRANSFER } from './receipt-flows.ts'

const [A, B, C] = [at('aa'), at('bb'), at('cc')]
const LOG_TRANSFER = topicOf(
  'event LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)',
)
/** `Selfdestruct(address,uint256)` in drafts of EIP-7708. */
const DRAFT: Hex = `0x4bfaba3443c1a1836cd362418edc679fc96cae8449cbefccb6457cdf2c943083`
const MOVED: Log = {
  address: SYSTEM_ADDRESS,
  topics: [TRANSFER, topic(A), topic(B)],
  data: topic(7n),
  transactionIndex: 1,
  logIndex: 3,
}

const coinsIn = (log: Log) => receiptFlows([log], at('e1'), true).coins

test('a log of the system address is a move of coins', () => {
  expect(SYSTEM_ADDRESS).toBe('0xfffffffffffffffffffffffffffffffffffffffe')
  expect(coinsIn(MOVED)).toEqual([{ from: A, to: B, amount: 7n, logIndex: 3 }])
})

test.each<[string, Partial<Log>]>([
  ['of a token', { address: at('f00') }],
  ['of an item', { topics: [...MOVED.topics, topic(7n)], data: '0x' }],
  ['of an item with an amount', { topics: [...MOVED.topics, topic(7n)] }],
  ['without its amount', { data: '0x' }],
  ['with two amounts', { data: `${MOVED.data}${'0'.repeat(64)}` }],
  ['of a draft', { topics: [DRAFT, topic(A)] }],
  ['of a draft with two accounts', { topics: [DRAFT, topic(A), topic(B)] }],
  ['without topics', { topics: [] }],
])('a log %s is ignored', (_, over) => {
  expect(coinsIn({ ...MOVED, ...over })).toEqual([])
})

const polygon = (amount: bigint, balances: readonly bigint[], over: Partial<Log> = {}): Log => ({
  address: POLYGON_COIN,
  topics: [LOG_TRANSFER, topic(POLYGON_COIN), topic(A), topic(B)],
  data: `0x${[amount, ...balances].map(word).join('')}`,
  transactionIndex: 1,
  logIndex: 3,
  ...over,
})
const PAID = polygon(7n, [10n, 1n, 3n, 8n])

test.each<[string, Log, boolean]>([
  ['Polygon’s transfer', PAID, true],
  // MRC20.transfer: the coins go to the contract, which passes them on.
  ['the coin’s own function, which repeats it', polygon(7n, [3n, 1n, 3n, 8n]), false],
  ['one that did not arrive', polygon(7n, [10n, 1n, 3n, 1n]), false],
  ['another contract', { ...PAID, address: at('f00') }, false],
  ['another event', { ...PAID, topics: [TRANSFER, ...PAID.topics.slice(1)] }, false],
  ['fewer words', { ...PAID, data: topic(7n) }, false],
])('a coin transfer is read from %s', (_, log, isRead) => {
  expect(coinsIn(log)).toEqual(isRead ? [{ from: A, to: B, amount: 7n, logIndex: 3 }] : [])
})

test('Polygon’s transfers are all coins that moved, and never a token’s', () => {
  const wrapped = at('e1')
  const repeated = { ...MOVED, address: POLYGON_COIN }
  expect(receiptFlows([PAID, repeated], wrapped)).toMatchObject({ transfers: [], coins: [{ from: A, to: B }] })
  expect(receiptFlows([repeated], wrapped)).not.toHaveProperty('coins')
})

test('an account’s net is what it got less what it gave; to itself nothing moves', () => {
  const coins = [
    { from: A, to: B, amount: 9n, logIndex: 0 },
    { from: B, to: A, amount: 2n, logIndex: 1 },
    { from: A, to: A, amount: 5n, logIndex: 2 },
  ]
  const ledger = new Ledger({ ...receiptFlows([], at('e1')), coins }, at('e1'))
  expect([A, B, C].map((account) => ledger.of(account).coins)).toEqual([-7n, 7n, 0n])
  expect(Object.fromEntries(ledger.coins)).toEqual({ [A]: -7n, [B]: 7n })
})

test.each<[coins: bigint, wrapped: bigint, pools: bigint, amount: bigint | null, native?: boolean]>([
  [10n, 0n, 10n, 10n, true],
  [0n, 10n, 10n, 10n, false],
  [3n, 0n, 10n, 3n, true],
  // A fee in the other form.
  [1n, 10n, 10n, 10n, false],
  [10n, 1n, 10n, 10n, true],
  [3n, 10n, 3n, 3n, true],
  [10n, 3n, 3n, 3n, false],
  [-1n, 10n, 10n, 10n, false],
  [10n, -1n, 10n, 10n, true],
  // Coins and wrapper add up to the pools' amount.
  [6n, 4n, 10n, 10n, true],
  [4n, 6n, 10n, 10n, false],
  [5n, 5n, 10n, 10n, true],
  // Part of it came back in the other form.
  [12n, -2n, 10n, 10n, true],
  [-2n, 12n, 10n, 10n, false],
  // The coins alone are as near as the sum.
  [9n, 2n, 10n, 9n, true],
  [0n, 0n, 10n, null],
  [-5n, 0n, 10n, null],
  [0n, -5n, 10n, null],
  [-5n, -5n, 10n, null],
])('%d coins and %d of the wrapper are, by the pools’ %d, an end of %s', (coins, wrapped, pools, amount, native) => {
  expect(coinEnd(coins, wrapped, pools)).toEqual(amount === null ? null : { amount, native })
})

test('an end is no more than a word holds', () => {
  const max = 2n ** 256n - 1n
  expect(coinEnd(max, max, max)).toEqual({ amount: max, native: true })
  expect(coinEnd(max + 1n, 0n, max)).toBeNull()
})
