import type { Address, Hop, Leg, PricedTrade, TokenTransfer } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { walletNotes } from './wallet-notes.ts'

const [FOO, BAR, TRADER, ROUTER, POOL] = (['f0', 'ba', 'ee', '10', 'aa'] as const).map(
  (digits): Address => `0x${digits.padStart(40, '0')}`,
) as [Address, Address, Address, Address, Address]

const moved = (token: Address, from: Address, to: Address, amount: bigint): TokenTransfer => {
  return { token, from, to, amount, logIndex: 0 }
}
const hop = { pool: { address: POOL } } as Hop
const tradeOf = (sell: Leg, buy: Leg, byToken = false) =>
  ({ sell, buy, byToken, hops: [hop] }) as unknown as PricedTrade
const foo: Leg = { token: FOO, amount: 100n, native: false }
const bar: Leg = { token: BAR, amount: 50n, native: false }
const notesOf = (trade: PricedTrade, transfers: TokenTransfer[], value = 0n) =>
  walletNotes(trade, { trader: TRADER, value, transfers }).map(({ side, amount, why }) => [side, amount, why])

test.each<[string, TokenTransfer[], unknown[]]>([
  ['equals the pools', [moved(FOO, TRADER, POOL, 100n), moved(BAR, POOL, TRADER, 50n)], []],
  [
    'paid a tax both ways',
    [moved(FOO, TRADER, POOL, 105n), moved(BAR, POOL, TRADER, 45n)],
    [
      ['gave', 105n, 'transfer-tax'],
      ['got', 45n, 'transfer-tax'],
    ],
  ],
  [
    'paid a fee both ways',
    [moved(FOO, TRADER, ROUTER, 105n), moved(BAR, ROUTER, TRADER, 45n)],
    [
      ['gave', 105n, 'fee'],
      ['got', 45n, 'fee'],
    ],
  ],
  [
    'holds what moves by itself',
    [moved(FOO, TRADER, POOL, 99n), moved(BAR, POOL, TRADER, 51n)],
    [
      ['gave', 99n, 'moving-balance'],
      ['got', 51n, 'moving-balance'],
    ],
  ],
  [
    'paid a tax over a router',
    [moved(BAR, POOL, BAR, 5n), moved(BAR, POOL, ROUTER, 45n), moved(BAR, ROUTER, TRADER, 45n)],
    [['got', 45n, 'transfer-tax']],
  ],
  ['did neither', [moved(FOO, ROUTER, POOL, 105n), moved(BAR, POOL, ROUTER, 45n)], []],
])('an account that %s is noted so', (_, transfers, expected) => {
  expect(notesOf(tradeOf(foo, bar), transfers)).toEqual(expected)
})

test('coins sent beyond what was sold are a fee, or were paid back', () => {
  const coins = tradeOf({ token: FOO, amount: 100n, native: true }, bar)
  expect(notesOf(coins, [moved(BAR, POOL, TRADER, 50n)], 103n)).toEqual([['gave', 103n, 'fee-or-refund']])
  expect(notesOf(coins, [moved(BAR, POOL, TRADER, 50n)], 100n)).toEqual([])
})

test('what a token sells of its own is nobody’s account', () => {
  expect(notesOf(tradeOf(foo, bar, true), [moved(FOO, TRADER, POOL, 105n)])).toEqual([])
})
