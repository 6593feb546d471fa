import { describe, expect, it, test } from 'vitest'
import { at, madeHop } from '../../../test/made-hop.ts'
import { endsOf, onlyEnds, POOL, SECOND, type ShortReceipt, TRADER, WETH } from '../../../test/trades/short-receipt.ts'
import { MAX_UINT256 } from '../../abi/words.ts'
import type { Address } from '../../chain.ts'
import type { Leg, PoolTrade } from '../trade.ts'

const [FOO, BAR, BAZ, DUST] = [at('f00'), at('ba1'), at('ba2'), at('d5')]
const [ROUTER, OTHER, THIRD, USER] = [at('10'), at('0e'), at('03'), at('05e1')]

const leg = (token: Address, amount: bigint, native = false): Leg => ({ token, amount, native })
const coin = (amount: bigint) => leg(WETH, amount, true)
const trade = (sell: Leg, buy: Leg, logIndex = 5): PoolTrade => {
  return { sell, buy, hops: [madeHop(logIndex, [sell.token, sell.amount], [buy.token, buy.amount])] }
}

const SALE = trade(leg(FOO, 95n), leg(BAR, 50n))
const paid = (amount: bigint, token = FOO, by = TRADER) => [token, by, POOL, amount] as const
const got = (amount: bigint, token = BAR, by = TRADER) => [token, POOL, by, amount] as const

describe('the amounts of an end', () => {
  test('are what the account gave and got; what went through the pools is kept', () => {
    expect(onlyEnds([SALE], { moved: [paid(100n), got(48n)] })).toEqual({
      sell: leg(FOO, 100n),
      buy: leg(BAR, 48n),
      hops: SALE.hops,
      settledFor: null,
      isPartial: false,
      throughPools: { sell: leg(FOO, 95n), buy: leg(BAR, 50n) },
    })
  })
  test('are returned once if both sides are the same', () =>
    expect(onlyEnds([SALE], { moved: [paid(95n), got(50n)] })).not.toHaveProperty('throughPools'))

  it.each<[string, ShortReceipt]>([
    ['the account has no part in it', { moved: [paid(100n, FOO, OTHER), got(25n, BAR, OTHER), got(25n, BAR, THIRD)] }],
    ['the account nets an item', { moved: [paid(100n), got(48n)], items: [[OTHER, TRADER]] }],
    ['without a signer', { from: null, moved: [got(25n, BAR, OTHER), got(25n, BAR, THIRD)] }],
  ])('are the pools’ where %s', (_, receipt) => {
    expect(onlyEnds([SALE], receipt)).toMatchObject({ sell: leg(FOO, 95n), buy: leg(BAR, 50n), isPartial: false })
  })

  // Something else that the account gave may have paid for what it got, and something else that it got, for a refund.
  test.each<[string, bigint, bigint, NonNullable<ShortReceipt['moved']>]>([
    ['got a dividend', 100n, 48n, [paid(100n), got(48n), [DUST, OTHER, TRADER, 1n]]],
    ['gave another token', 100n, 50n, [paid(100n), got(48n), [DUST, TRADER, OTHER, 1n]]],
    [
      'moved some of the two back',
      95n,
      50n,
      [paid(110n), [FOO, OTHER, TRADER, 10n], got(49n), [BAR, TRADER, OTHER, 1n], [DUST, OTHER, TRADER, 1n]],
    ],
    ['gave far more, and got far less', 95n, 50n, [paid(115n), got(41n), [DUST, OTHER, TRADER, 1n]]],
  ])('are its nets near the pools’ amounts, if it moved them one way: it %s', (_, sold, bought, moved) => {
    expect(onlyEnds([SALE], { moved })).toMatchObject({ sell: leg(FOO, sold), buy: leg(BAR, bought), isPartial: false })
  })

  test.each<[string, ShortReceipt]>([
    ['got of what is sold: a keeper of a harvest', { moved: [[FOO, POOL, TRADER, 9n]] }],
    ['gave of what is bought: leverage', { moved: [[BAR, TRADER, OTHER, 9n]] }],
  ])('are the pools’, and partial, where the account %s', (_, receipt) => {
    expect(onlyEnds([SALE], receipt)).toMatchObject({ sell: leg(FOO, 95n), buy: leg(BAR, 50n), isPartial: true })
  })

  // A relayer signs for a user that no event names.
  test.each<[string, bigint, bigint, ShortReceipt['moved']]>([
    ['of what is bought is not that', 95n, 49n, [[FOO, OTHER, POOL, 95n], got(1n), got(49n, BAR, OTHER)]],
    ['is not what several shared', 95n, 49n, [got(1n), got(29n, BAR, OTHER), got(20n, BAR, THIRD)]],
    [
      'that somebody else gave leaves the pools’ amount',
      95n,
      50n,
      [[BAR, USER, TRADER, 1n], got(29n, BAR, OTHER), got(21n, BAR, THIRD)],
    ],
    ['of four fifths is what was bought', 95n, 40n, [got(40n), got(10n, BAR, OTHER)]],
    ['of what is sold is not that', 95n, 49n, [[FOO, OTHER, POOL, 94n], paid(1n), got(49n, BAR, OTHER)]],
    ['of an account that holds the other end, too, is', 1n, 3n, [paid(1n), got(3n)]],
  ])('a slice %s', (_, sold, bought, moved = []) => {
    expect(onlyEnds([SALE], { moved })).toMatchObject({ sell: leg(FOO, sold), buy: leg(BAR, bought), isPartial: false })
  })

  test('bought are at most, and sold at least, the pools’ where liquidity was withdrawn', () => {
    const withdrawsLiquidity = true
    for (const moved of [got(70n), got(70n, BAR, OTHER)] as const) {
      expect(onlyEnds([SALE], { moved: [paid(100n), moved], withdrawsLiquidity }).buy.amount).toBe(50n)
      expect(onlyEnds([SALE], { moved: [paid(100n), moved] }).buy.amount).toBe(70n)
    }
    // The withdrawn liquidity paid for a part.
    expect(onlyEnds([SALE], { moved: [paid(90n), got(50n)], withdrawsLiquidity }).sell.amount).toBe(95n)
    expect(onlyEnds([SALE], { moved: [paid(100n), got(45n)], withdrawsLiquidity }).buy.amount).toBe(45n)
  })

  test('are the pools’ for a token that two trades end in', () => {
    const back = trade(leg(BAR, 49n), leg(FOO, 90n), 9)
    const ends = endsOf([SALE, back], { moved: [paid(100n), [BAR, SECOND, TRADER, 48n]] })
    expect(ends.map(({ sell, buy }) => [sell.amount, buy.amount])).toEqual([
      [95n, 50n],
      [49n, 90n],
    ])
  })

  test('in coins are the pools’, whatever was sent', () => {
    const ends = onlyEnds([trade(coin(95n), leg(BAR, 50n))], { value: 100n, moved: [got(48n)] })
    expect(ends).toMatchObject({ sell: coin(95n), buy: leg(BAR, 48n) })
  })
})

describe('the account', () => {
  const settled: ShortReceipt['moved'] = [paid(100n, FOO, USER), got(48n, BAR, USER)]
  const asPools = { sell: leg(FOO, 95n), buy: leg(BAR, 50n), settledFor: null }
  const asUser = { sell: leg(FOO, 100n), buy: leg(BAR, 48n), settledFor: USER }

  it.each<[string, ShortReceipt, object]>([
    ['the one named', { principals: [USER], moved: settled }, asUser],
    ['of several the one that holds both ends', { principals: [OTHER, USER], moved: settled }, asUser],
    [
      'no account if two hold both',
      {
        principals: [OTHER, USER],
        moved: [paid(9n), got(9n), ...settled, paid(9n, FOO, OTHER), got(9n, BAR, OTHER)],
      },
      asPools,
    ],
    [
      'no account of several that hold neither',
      { principals: [OTHER, THIRD], moved: [got(20n, BAR, USER), got(20n, BAR, ROUTER)] },
      asPools,
    ],
    [
      'the signer where none named holds the ends and it does',
      { principals: [OTHER, THIRD], moved: [paid(100n), got(48n)] },
      { sell: leg(FOO, 100n), buy: leg(BAR, 48n), settledFor: null },
    ],
    [
      'the only named account if no account holds both',
      { principals: [USER], moved: [paid(100n, FOO, USER), got(48n, BAR, OTHER)] },
      { sell: leg(FOO, 100n), buy: leg(BAR, 48n), settledFor: USER },
    ],
  ])('is %s', (_, receipt, expected) => {
    expect(onlyEnds([SALE], receipt)).toMatchObject(expected)
  })

  test('holds a trade for coins by its other end', () => {
    const sold = trade(leg(FOO, 95n), coin(50n))
    expect(onlyEnds([sold], { principals: [OTHER, USER], moved: [paid(100n, FOO, USER)] })).toMatchObject({
      sell: leg(FOO, 100n),
      buy: coin(50n),
      settledFor: USER,
    })
  })
})

describe('flows of one token for another', () => {
  const torn = [trade(leg(FOO, 95n), leg(BAR, 50n)), trade(leg(BAZ, 40n), leg(DUST, 30n), 9)]

  test('are the trade where no route has its tokens', () => {
    expect(onlyEnds(torn, { moved: [paid(100n), [DUST, SECOND, TRADER, 29n]] })).toEqual({
      sell: leg(FOO, 100n),
      buy: leg(DUST, 29n),
      hops: torn.flatMap(({ hops }) => hops),
      settledFor: null,
      isPartial: false,
      // The legs come from two routes, so neither amount shows what all hops moved.
      endsToCompare: ['sell', 'buy'],
      throughPools: { sell: leg(FOO, 95n), buy: leg(DUST, 30n) },
    })
  })

  test('are worth the sum of the routes that end in one of the tokens, if several do', () => {
    const parts = [trade(leg(BAZ, 40n), leg(DUST, 10n)), trade(leg(FOO, 55n), leg(BAZ, 44n), 7)]
    const all = [...parts, trade(leg(BAZ, 30n), leg(DUST, 20n), 9)]
    const ends = onlyEnds(all, { moved: [paid(100n), [DUST, SECOND, TRADER, 29n]] })
    expect(ends.throughPools).toEqual({ sell: leg(FOO, 55n), buy: leg(DUST, 30n) })
    expect(ends.routes?.map(({ hops, isPassedOn }) => [hops[0]?.logIndex, isPassedOn])).toEqual([
      [5, undefined],
      [7, true],
      [9, undefined],
    ])
  })

  test('are valued by the first and the last route where these have neither token', () => {
    const ends = onlyEnds(torn, {
      moved: [
        [at('a1'), TRADER, POOL, 7n],
        [at('a2'), POOL, TRADER, 8n],
      ],
    })
    expect(ends).toMatchObject({
      sell: leg(at('a1'), 7n),
      buy: leg(at('a2'), 8n),
      throughPools: { sell: leg(FOO, 95n), buy: leg(DUST, 30n) },
    })
  })

  it.each<[string, ShortReceipt, object]>([
    ['coins that were sent', { value: 9n, moved: [got(48n)] }, { sell: coin(9n), buy: leg(BAR, 48n) }],
    [
      'coins less what came back unwrapped',
      { value: 9n, withdrawals: [[ROUTER, 2n]], moved: [got(48n)] },
      { sell: coin(7n), buy: leg(BAR, 48n) },
    ],
    [
      'coins that were unwrapped',
      { withdrawals: [[ROUTER, 9n]], moved: [paid(100n)] },
      { sell: leg(FOO, 100n), buy: coin(9n) },
    ],
    [
      'wrapped coins that the account unwrapped itself',
      { moved: [paid(100n), [WETH, POOL, TRADER, 9n]], withdrawals: [[TRADER, 9n]] },
      { sell: leg(FOO, 100n), buy: coin(9n) },
    ],
    [
      'for the account that an event names',
      { principals: [USER], moved: [paid(100n, FOO, USER), [BAZ, POOL, USER, 7n]] },
      { sell: leg(FOO, 100n), buy: leg(BAZ, 7n), settledFor: USER },
    ],
  ])('count %s', (_, receipt, expected) => {
    const route = receipt.moved?.some(([token]) => token === BAR)
      ? trade(leg(BAZ, 95n), leg(BAR, 50n))
      : trade(leg(FOO, 95n), leg(DUST, 50n))
    expect(onlyEnds([route], receipt)).toMatchObject({ ...expected, isPartial: false })
  })

  it.each<[string, ShortReceipt]>([
    ['all coins came back', { value: 9n, withdrawals: [[ROUTER, 9n]], moved: [got(48n, BAZ)] }],
    ['coins were sent beside a token', { value: 9n, moved: [paid(100n), got(48n, BAZ)] }],
    ['two tokens were got', { moved: [paid(100n), got(48n, BAZ), got(48n, DUST)] }],
    ['an item moved', { moved: [paid(100n), got(48n, BAZ)], items: [[OTHER, TRADER]] }],
    ['liquidity changed', { moved: [paid(100n), got(48n, BAZ)], changesLiquidity: true }],
    ['two are named', { principals: [TRADER, USER], moved: [paid(100n), got(48n, BAZ)] }],
    ['only a pool unwrapped coins', { withdrawals: [[POOL, 9n]], moved: [paid(100n)] }],
    [
      'more coins were unwrapped than a word holds',
      {
        withdrawals: [
          [ROUTER, MAX_UINT256],
          [OTHER, 1n],
        ],
        moved: [paid(100n)],
      },
    ],
    [
      'another account received what was bought',
      { withdrawals: [[ROUTER, 9n]], moved: [paid(100n), got(48n, BAR, OTHER)] },
    ],
  ])('do not count if %s', (_, receipt) => {
    expect(onlyEnds([SALE], receipt)).toMatchObject({ sell: { token: FOO }, buy: { token: BAR } })
  })

  test('are two where a token came before the coins that the route bought', () => {
    const sold = trade(leg(FOO, 95n), coin(50n))
    const dividend: ShortReceipt = {
      moved: [paid(100n), [BAZ, OTHER, TRADER, 7n, 2]],
      withdrawals: [[ROUTER, 50n, 8]],
    }
    expect(onlyEnds([sold], dividend)).toMatchObject({ sell: leg(FOO, 100n), buy: coin(50n), isPartial: false })
    const onwards: ShortReceipt = {
      moved: [paid(100n), [BAZ, OTHER, TRADER, 7n, 9]],
      withdrawals: [[ROUTER, 50n, 8]],
    }
    expect(onlyEnds([sold], onwards)).toMatchObject({ sell: leg(FOO, 100n), buy: leg(BAZ, 7n) })
  })

  test('leave other routes alone where one has their tokens', () => {
    const ends = endsOf(torn, {
      moved: [paid(100n), got(48n), [BAZ, OTHER, SECOND, 40n], [DUST, SECOND, OTHER, 29n]],
    })
    expect(ends).toMatchObject([
      { sell: leg(FOO, 100n), buy: leg(BAR, 48n), isPartial: false },
      { sell: leg(BAZ, 40n), buy: leg(DUST, 29n), isPartial: false },
    ])
  })
})

describe('a trade is partial', () => {
  it.each<[string, boolean, ShortReceipt]>([
    ['another token was given', true, { moved: [paid(9n, BAZ), paid(9n, DUST), got(48n)] }],
    ['another token was got', true, { moved: [paid(100n), got(9n, BAZ), got(9n, DUST)] }],
    [
      'something was given and got beside the ends',
      false,
      { moved: [paid(100n), got(48n), paid(9n, BAZ), got(9n, DUST)] },
    ],
    ['nothing was given or got', false, {}],
    [
      'it was paid of a stock in another token',
      true,
      {
        moved: [
          [FOO, TRADER, ROUTER, 100n],
          [FOO, ROUTER, POOL, 1n],
          [BAZ, POOL, TRADER, 1n],
          [DUST, POOL, TRADER, 1n],
        ],
      },
    ],
  ])('where %s: %s', (_, isPartial, receipt) => {
    expect(onlyEnds([SALE], receipt)).toMatchObject({ sell: { token: FOO }, buy: { token: BAR }, isPartial })
  })
})
