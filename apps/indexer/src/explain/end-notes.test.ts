import type { Address, Hop, Leg, PricedTrade, TokenTransfer } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { addressesOf } from '../../test/scene/made-values.ts'
import { coinSource, endNotes } from './end-notes.ts'

const [FOO, BAR, BAZ, TRADER, ROUTER, POOL, VENUE] = addressesOf('f0', 'ba', 'bb', 'ee', '10', 'aa', 'ab')

const leg = (token: Address, amount: bigint): Leg => ({ token, amount, native: false })
const through = { sell: leg(FOO, 100n), buy: leg(BAR, 50n) }
const tradeOf = (sell: Leg, buy: Leg) =>
  ({
    trader: TRADER,
    settledFor: null,
    sell,
    buy,
    throughPools: through,
    hops: [{ pool: { address: POOL, dex: {} } } as Hop],
  }) as unknown as PricedTrade
const moved = (token: Address, from: Address, to: Address): TokenTransfer => {
  return { token, from, to, amount: 1n, logIndex: 0 }
}
const notesOf = (trade: PricedTrade, transfers: TokenTransfer[], others: PricedTrade[] = []) => {
  const flows = { transfers, deposits: [], withdrawals: [], items: [], changesLiquidity: false }
  return endNotes(trade, flows, [trade, ...others]).map(({ side, leg: { amount }, pools, why }) => {
    return [side, amount, pools.amount, why]
  })
}

const straight = [moved(FOO, TRADER, POOL), moved(BAR, POOL, TRADER)]
const routed = [
  moved(FOO, TRADER, ROUTER),
  moved(FOO, ROUTER, POOL),
  moved(BAR, POOL, ROUTER),
  moved(BAR, ROUTER, TRADER),
]

test.each<[string, bigint, bigint, TokenTransfer[], string]>([
  ['a tax where it went straight to the pool', 105n, 45n, straight, 'transfer-tax'],
  [
    'a tax where the token’s contract got some',
    105n,
    45n,
    [...routed, moved(FOO, ROUTER, FOO), moved(BAR, POOL, BAR)],
    'transfer-tax',
  ],
  [
    'a fee that another account kept',
    105n,
    45n,
    [...routed, moved(FOO, TRADER, VENUE), moved(BAR, POOL, VENUE)],
    'fee',
  ],
  ['a difference that the receipt does not explain', 105n, 45n, routed, 'unknown'],
  ['more than the pools used, paid over other venues', 99n, 51n, routed, 'unread-venue'],
  ['balances that move by themselves', 99n, 51n, straight, 'reflection'],
])('ends that differ by %s are noted so', (_, gave, got, transfers, why) => {
  expect(notesOf(tradeOf(leg(FOO, gave), leg(BAR, got)), transfers)).toEqual([
    ['gave', gave, 100n, why],
    ['got', got, 50n, why],
  ])
})

test('a token other than the route’s means an unread venue', () => {
  expect(notesOf(tradeOf(leg(ROUTER, 7n), leg(BAR, 50n)), straight)).toEqual([['gave', 7n, 100n, 'unread-venue']])
})

test('a token that sold from its own balance is noted so', () => {
  const own = { byToken: true, sell: leg(FOO, 5n) } as unknown as PricedTrade
  expect(notesOf(tradeOf(leg(FOO, 105n), leg(BAR, 50n)), straight, [own])).toEqual([['gave', 105n, 100n, 'own-sale']])
})

test('ends that are the pools’ have no notes', () => {
  expect(notesOf(tradeOf(leg(FOO, 100n), leg(BAR, 50n)), straight)).toEqual([])
  const { throughPools: _, ...same } = tradeOf(leg(FOO, 100n), leg(BAR, 50n))
  expect(notesOf(same as PricedTrade, straight)).toEqual([])
})

const coin = (amount: bigint): Leg => ({ ...leg(BAR, amount), native: true })

test.each<[string, bigint, string]>([
  ['a fee of an account in between', 45n, 'fee'],
  ['a pool that is not read', 51n, 'unread-venue'],
])('coins that differ do so by %s', (_, got, why) => {
  expect(notesOf(tradeOf(leg(FOO, 100n), coin(got)), straight)).toEqual([['got', got, 50n, why]])
})

test.each<[string, Leg, [Address, Address, bigint][] | null, string | null]>([
  ['no coins', leg(BAR, 50n), null, null],
  ['coins without a log of them', coin(50n), null, 'pools'],
  ['coins that were unwrapped', coin(49n), null, 'wrapper'],
  [
    'coins as logged',
    coin(49n),
    [
      [ROUTER, TRADER, 50n],
      [TRADER, ROUTER, 1n],
    ],
    'moves',
  ],
  ['as many coins as the pools say', coin(50n), [[ROUTER, TRADER, 50n]], 'moves'],
  ['coins that another account got', coin(49n), [[ROUTER, POOL, 49n]], 'moves'],
  ['coins that no account is seen to get', coin(50n), [], 'pools'],
])('of %s the note names the source of the amount', (_, bought, moves, source) => {
  const coins = moves?.map(([from, to, amount]) => ({ from, to, amount, logIndex: 0 }))
  const flows = { transfers: [], deposits: [], withdrawals: [], items: [], changesLiquidity: false }
  const trade = { ...tradeOf(leg(FOO, 100n), bought), throughPools: { sell: leg(FOO, 100n), buy: coin(50n) } }
  const own = { ...trade, settledFor: null }
  expect(coinSource(own, coins ? { ...flows, coins } : flows)).toBe(source)
  expect(coinSource({ ...own, byToken: true }, flows)).toBeNull()
  expect(coinSource({ ...own, hops: [] }, flows)).toBeNull()
})

test('what went to an account that gave another token for it went over an unread venue', () => {
  const onwards = [...routed, moved(FOO, ROUTER, VENUE), moved(BAZ, VENUE, ROUTER)]
  expect(notesOf(tradeOf(leg(FOO, 105n), leg(BAR, 50n)), onwards)).toEqual([['gave', 105n, 100n, 'unread-venue']])
})

test('what another account’s order took or gave was matched', () => {
  const mine = { ...tradeOf(leg(FOO, 300n), leg(BAR, 150n)), settledFor: TRADER }
  const yours = { ...tradeOf(leg(BAR, 100n), leg(FOO, 200n)), settledFor: ROUTER }
  expect(notesOf(mine, routed, [yours])).toEqual([
    ['gave', 300n, 100n, 'matched'],
    ['got', 150n, 50n, 'matched'],
  ])
  expect(notesOf(mine, routed, [{ ...yours, settledFor: null }])).not.toContainEqual(['gave', 300n, 100n, 'matched'])
  expect(notesOf({ ...mine, settledFor: null }, routed, [yours])[0]).not.toContain('matched')
})
