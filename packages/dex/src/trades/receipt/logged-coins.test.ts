import { expect, it, test } from 'vitest'
import { at, madeHop } from '../../../test/made-hop.ts'
import { endsOf, onlyEnds, POOL, type ShortReceipt, TRADER, WETH } from '../../../test/trades/short-receipt.ts'
import type { Address } from '../../chain.ts'
import type { Leg, PoolTrade } from '../trade.ts'

const [FOO, BAR] = [at('f00'), at('ba1')]
const [ROUTER, OTHER, THIRD, USER, COLLECTOR] = [at('10'), at('0e'), at('03'), at('05e1'), at('c0')]

const leg = (token: Address, amount: bigint, native = false): Leg => ({ token, amount, native })
const coin = (amount: bigint) => leg(WETH, amount, true)
const trade = (sell: Leg, buy: Leg): PoolTrade => {
  return { sell, buy, hops: [madeHop(5, [sell.token, sell.amount], [buy.token, buy.amount])] }
}
const paid = (amount: bigint, token = FOO) => [token, TRADER, POOL, amount] as const
const sent = (from: Address, to: Address, amount: bigint) => [from, to, amount] as const
const got = (amount: bigint, token = BAR) => [token, POOL, TRADER, amount] as const

const [sale, purchase] = [trade(leg(FOO, 95n), leg(WETH, 1000n)), trade(leg(WETH, 1000n), leg(BAR, 50n))]
const sold: ShortReceipt = { moved: [paid(100n)] }
/** Like `sold`, but the trader also sends another token. */
const paidBeside: NonNullable<ShortReceipt['moved']> = [paid(100n), [at('d5'), TRADER, OTHER, 1n]]
const bought: ShortReceipt = { moved: [got(48n)], value: 1100n }

it.each<[string, ShortReceipt, Leg]>([
  ['coins', { ...sold, coins: [sent(ROUTER, TRADER, 970n)] }, coin(970n)],
  ['coins, however large a fee was', { ...sold, coins: [sent(ROUTER, TRADER, 100n)] }, coin(100n)],
  [
    'coins from two',
    {
      ...sold,
      coins: [sent(ROUTER, TRADER, 600n), sent(OTHER, TRADER, 370n)],
    },
    coin(970n),
  ],
  [
    'coins less what went on',
    {
      ...sold,
      coins: [sent(ROUTER, TRADER, 1000n), sent(TRADER, COLLECTOR, 30n), sent(TRADER, TRADER, 8n)],
    },
    coin(970n),
  ],
  [
    'coins, whichever account unwraps',
    {
      ...sold,
      withdrawals: [[ROUTER, 1000n]],
      coins: [sent(WETH, ROUTER, 1000n), sent(ROUTER, TRADER, 970n)],
    },
    coin(970n),
  ],
  ['the wrapper', { moved: [paid(100n), got(990n, WETH)], coins: [] }, leg(WETH, 990n)],
  [
    'the wrapper, beside a fee in coins',
    { moved: [paid(100n), got(990n, WETH)], value: 2n, coins: [sent(TRADER, COLLECTOR, 2n)] },
    leg(WETH, 990n),
  ],
  [
    'both, reported as the larger part',
    { moved: [paid(100n), got(600n, WETH)], coins: [sent(ROUTER, TRADER, 400n)] },
    leg(WETH, 1000n),
  ],
  [
    'both, reported as coins if they are equal',
    { moved: [paid(100n), got(500n, WETH)], coins: [sent(ROUTER, TRADER, 500n)] },
    coin(1000n),
  ],
  ['the wrapper, without a withdrawal', { ...sold, coins: [] }, leg(WETH, 1000n)],
])('the account got %s', (_, receipt, buy) => {
  expect(onlyEnds([sale], receipt)).toMatchObject({ sell: leg(FOO, 100n), buy, isPartial: false })
})

it.each<[string, ShortReceipt, Leg]>([
  ['coins', { ...bought, coins: [sent(TRADER, ROUTER, 1100n)] }, coin(1100n)],
  [
    'coins less a refund',
    {
      ...bought,
      coins: [sent(TRADER, ROUTER, 1100n), sent(ROUTER, TRADER, 95n)],
    },
    coin(1005n),
  ],
  ['the wrapper', { moved: [got(48n), paid(1010n, WETH)], coins: [] }, leg(WETH, 1010n)],
  [
    'the wrapper, beside a fee in coins',
    { moved: [got(48n), paid(1000n, WETH)], value: 3n, coins: [sent(TRADER, COLLECTOR, 3n)] },
    leg(WETH, 1000n),
  ],
  ['both', { moved: [got(48n), paid(400n, WETH)], value: 600n, coins: [sent(TRADER, ROUTER, 600n)] }, coin(1000n)],
])('the account gave %s', (_, receipt, sell) => {
  expect(onlyEnds([purchase], receipt)).toMatchObject({ sell, buy: leg(BAR, 48n), isPartial: false })
})

test('a tip of the signer is not what a contract sold out of its stock', () => {
  const receipt: ShortReceipt = { value: 21n, coins: [sent(TRADER, ROUTER, 21n)], moved: [[WETH, ROUTER, POOL, 1000n]] }
  expect(onlyEnds([purchase], receipt)).toMatchObject({ sell: leg(WETH, 1000n), isPartial: false })
})

it.each<[string, ShortReceipt, Leg]>([
  [
    'what the only other one got of coins',
    {
      coins: [sent(WETH, ROUTER, 1000n), sent(ROUTER, OTHER, 960n)],
    },
    coin(960n),
  ],
  [
    'the pools’ where two got some',
    {
      coins: [sent(ROUTER, OTHER, 900n), sent(ROUTER, THIRD, 60n)],
    },
    coin(1000n),
  ],
  [
    'the pools’ where it is a slice',
    {
      coins: [sent(WETH, ROUTER, 1000n), sent(ROUTER, OTHER, 40n)],
    },
    coin(1000n),
  ],
])('bought for another account is %s', (_, receipt, buy) => {
  // The router passes on everything it unwraps: whatever it kept would be a second gain.
  const kept: ShortReceipt = {
    ...receipt,
    withdrawals: [[ROUTER, 1000n]],
    moved: [paid(100n), [WETH, POOL, ROUTER, 1000n]],
  }
  const rest = (receipt.coins ?? []).reduce((sum, [, to, amount]) => (to === ROUTER ? sum + amount : sum - amount), 0n)
  const spent: ShortReceipt =
    rest > 0n ? { ...kept, coins: [...(receipt.coins ?? []), sent(ROUTER, POOL, rest)] } : kept
  expect(onlyEnds([{ ...sale, buy: coin(1000n) }], spent).buy).toEqual(buy)
})

test('one token given and coins got are the trade, over whatever pools', () => {
  const torn = [trade(leg(FOO, 95n), leg(BAR, 50n))]
  const receipt: ShortReceipt = { moved: [paid(100n)], coins: [sent(ROUTER, TRADER, 970n)] }
  expect(onlyEnds(torn, receipt)).toMatchObject({ sell: leg(FOO, 100n), buy: coin(970n) })
  const refunded: ShortReceipt = {
    moved: [got(9n)],
    value: 7n,
    coins: [sent(TRADER, ROUTER, 7n), sent(ROUTER, TRADER, 7n)],
  }
  // Nine are a part of what somebody else bought.
  expect(onlyEnds(torn, refunded)).toMatchObject({ sell: leg(FOO, 95n), buy: leg(BAR, 41n) })
})

test('an account that is named holds what its coins say', () => {
  const receipt: ShortReceipt = {
    principals: [USER, OTHER],
    moved: [
      [FOO, USER, POOL, 100n],
      [FOO, OTHER, POOL, 1n],
    ],
  }
  const coins: ShortReceipt['coins'] = [sent(ROUTER, USER, 970n)]
  expect(onlyEnds([{ ...sale, buy: coin(1000n) }], { ...receipt, coins })).toMatchObject({ settledFor: USER })
  expect(onlyEnds([{ ...sale, buy: coin(1000n) }], receipt)).toMatchObject({ settledFor: null })
})

test('an end in coins is the pools’ where another trade ends in them, or the account gave something else', () => {
  const two = [sale, trade(leg(BAR, 5n), leg(WETH, 10n))]
  const receipt: ShortReceipt = { ...sold, coins: [sent(ROUTER, TRADER, 970n)] }
  expect(endsOf(two, receipt).map(({ buy }) => buy)).toEqual([coin(1000n), coin(10n)])
  expect(endsOf([sale], { moved: paidBeside, coins: receipt.coins ?? [] }).map(({ buy }) => buy)).toEqual([coin(1000n)])
})

test('coins that came back in full, and more, leave a sold end as the pools say', () => {
  const round: ShortReceipt = {
    ...bought,
    coins: [sent(TRADER, ROUTER, 1100n), sent(ROUTER, TRADER, 1200n)],
  }
  expect(onlyEnds([{ ...purchase, sell: coin(1000n) }], round).sell).toEqual(coin(1000n))
})

test('the wrapper bought for another account is what it received, and the account’s slice does not count', () => {
  const elsewhere: ShortReceipt = { moved: [paid(100n), [WETH, POOL, OTHER, 990n]], coins: [] }
  expect(onlyEnds([sale], elsewhere).buy).toEqual(leg(WETH, 990n))
  const tipped: ShortReceipt = { ...elsewhere, value: 5n, coins: [sent(TRADER, COLLECTOR, 5n)] }
  expect(onlyEnds([sale], tipped).buy).toEqual(leg(WETH, 990n))
  const slice: ShortReceipt = { moved: [...paidBeside, got(100n, WETH)], coins: [] }
  expect(onlyEnds([sale], slice).buy).toEqual(leg(WETH, 1000n))
  const two = [sale, trade(leg(BAR, 5n), leg(WETH, 10n))]
  expect(endsOf(two, elsewhere).map(({ buy }) => buy)).toEqual([leg(WETH, 1000n), leg(WETH, 10n)])
})

test('an account that keeps some of the wrapper received some of what was bought, too', () => {
  const receipt: ShortReceipt = {
    moved: [paid(100n), [WETH, POOL, ROUTER, 1000n], [WETH, ROUTER, COLLECTOR, 60n]],
    withdrawals: [[ROUTER, 940n]],
    coins: [sent(WETH, ROUTER, 940n), sent(ROUTER, OTHER, 940n)],
  }
  expect(onlyEnds([{ ...sale, buy: coin(1000n) }], receipt).buy).toEqual(coin(1000n))
})

test('coins and their wrapper that went one way are one flow, those that went two ways are two', () => {
  const torn = [trade(leg(FOO, 95n), leg(at('d5'), 50n))]
  const flows = (coins: bigint, wrapped: bigint): ShortReceipt => ({
    moved: [got(48n), wrapped < 0n ? paid(-wrapped, WETH) : got(wrapped, WETH)],
    coins: [coins < 0n ? sent(TRADER, ROUTER, -coins) : sent(ROUTER, TRADER, coins)],
  })
  expect(onlyEnds(torn, flows(-400n, -600n))).toMatchObject({ sell: leg(WETH, 1000n), buy: leg(BAR, 48n) })
  expect(onlyEnds(torn, flows(-600n, -400n))).toMatchObject({ sell: coin(1000n), buy: leg(BAR, 48n) })
  expect(onlyEnds(torn, flows(-500n, -500n))).toMatchObject({ sell: coin(1000n), buy: leg(BAR, 48n) })
  expect(onlyEnds(torn, flows(-1100n, 100n))).toMatchObject({ sell: leg(FOO, 95n) })
  const back = (coins: bigint, wrapped: bigint): ShortReceipt => ({
    moved: [paid(48n, BAR), got(wrapped, WETH)],
    coins: [sent(ROUTER, TRADER, coins)],
  })
  expect(onlyEnds(torn, back(400n, 600n))).toMatchObject({ sell: leg(BAR, 48n), buy: leg(WETH, 1000n) })
  expect(onlyEnds(torn, back(500n, 500n))).toMatchObject({ sell: leg(BAR, 48n), buy: coin(1000n) })
})

test('coins that are only wrapped are not a trade', () => {
  const receipt: ShortReceipt = { value: 5n, coins: [sent(TRADER, WETH, 5n)], deposits: [[TRADER, 5n]] }
  expect(onlyEnds([trade(leg(FOO, 95n), leg(BAR, 50n))], receipt)).toMatchObject({
    sell: leg(FOO, 95n),
    buy: leg(BAR, 50n),
  })
})
