import { describe, expect, it, test } from 'vitest'
import { at, madeHop } from '../../../test/made-hop.ts'
import { endsOf, onlyEnds, POOL, SECOND, type ShortReceipt, TRADER, WETH } from '../../../test/trades/short-receipt.ts'
import type { Address } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { Leg, PoolTrade } from '../trade.ts'

const [FOO, BAR] = [at('f00'), at('ba1')]
const [ROUTER, OTHER, THIRD, USER, COLLECTOR] = [at('10'), at('0e'), at('03'), at('05e1'), at('c0')]

const leg = (token: Address, amount: bigint, native = false): Leg => ({ token, amount, native })
const coin = (amount: bigint) => leg(WETH, amount, true)
const trade = (sell: Leg, buy: Leg, logIndex = 5): PoolTrade => {
  return { sell, buy, hops: [madeHop(logIndex, [sell.token, sell.amount], [buy.token, buy.amount])] }
}
const inCurve = (pool: Pool): Pool => ({ ...pool, dex: { ...pool.dex, kind: 'curve' } })
const paid = (amount: bigint, token = FOO, by = TRADER) => [token, by, POOL, amount] as const

describe('coin or wrapper', () => {
  const bought = trade(leg(FOO, 95n), leg(WETH, 50n))
  const held = { ...bought, hops: bought.hops.map((hop) => ({ ...hop, pool: inCurve(hop.pool) })) }
  const wrapped = [WETH, POOL, ROUTER, 50n] as const

  it.each<[string, boolean, PoolTrade, ShortReceipt]>([
    [
      'the account keeps the wrapped coin',
      false,
      trade(leg(FOO, 95n), coin(50n)),
      { moved: [paid(100n), [WETH, POOL, TRADER, 50n]], withdrawals: [[ROUTER, 50n]] },
    ],
    ['no wrapped coin left a pool that holds coins', true, held, { moved: [paid(100n)] }],
    ['it left such a pool', false, held, { moved: [paid(100n), wrapped] }],
    ['some of it left such a pool', false, held, { moved: [paid(100n), [WETH, POOL, ROUTER, 45n]] }],
    ['what it paid was wrapped', false, held, { moved: [paid(100n), [WETH, THIRD, OTHER, 50n]] }],
    ['it stayed inside of a pool that holds none', false, bought, { moved: [paid(100n)] }],
    [
      'a maker paid it in the place of the pool',
      false,
      bought,
      { moved: [paid(100n, FOO, OTHER), [WETH, THIRD, ROUTER, 50n]] },
    ],
    ['the pool paid it to an account', false, bought, { moved: [paid(100n, FOO, OTHER), wrapped] }],
    [
      'the contract that handed the token on keeps it',
      false,
      bought,
      { moved: [[FOO, TRADER, ROUTER, 100n], [FOO, ROUTER, POOL, 100n], wrapped] },
    ],
    ['an account keeps it that passed nothing on', false, bought, { moved: [paid(100n), wrapped] }],
  ])('where %s the coin was bought: %s', (_, native, poolTrade, receipt) => {
    expect(onlyEnds([poolTrade], receipt)?.buy).toMatchObject({ token: WETH, native })
  })

  // Found by a random test: a pool that holds coins paid for what another account gave; the trader received another
  // token.
  it('a trade that a pool paid in coins under the wrapper’s name is not partial', () => {
    const receipt: ShortReceipt = { moved: [paid(100n, FOO, OTHER), [BAR, OTHER, TRADER, 7n]] }
    expect(onlyEnds([held], receipt)).toMatchObject({ buy: coin(50n), isPartial: false })
  })

  it.each<[string, boolean, ShortReceipt]>([
    ['coins were sent', true, { value: 60n, moved: [[BAR, POOL, TRADER, 48n]] }],
    ['the wrapped coin was given', false, { moved: [paid(60n, WETH), [BAR, POOL, TRADER, 48n]] }],
  ])('where %s it was sold: %s', (_, native, receipt) => {
    const ends = onlyEnds([trade(leg(WETH, 50n, !native), leg(BAR, 50n))], receipt)
    expect(ends?.sell).toEqual(native ? coin(50n) : leg(WETH, 60n))
  })
})

describe('the one withdrawal of a transaction', () => {
  const sale = trade(leg(FOO, 95n), coin(1000n))
  /** Of the pool's payment, 990 are unwrapped and 10 are a fee. */
  const receipt: ShortReceipt = {
    moved: [paid(100n), [WETH, POOL, ROUTER, 1000n], [WETH, ROUTER, COLLECTOR, 10n]],
    withdrawals: [[ROUTER, 990n]],
  }
  const withMoved = (...more: NonNullable<ShortReceipt['moved']>): ShortReceipt => ({
    ...receipt,
    moved: [...(receipt.moved ?? []), ...more],
  })

  test('is what the account got', () => {
    expect(onlyEnds([sale], receipt)).toMatchObject({
      sell: leg(FOO, 100n),
      buy: coin(990n),
      throughPools: { sell: leg(FOO, 95n), buy: coin(1000n) },
    })
  })
  test('is what an account got that is named', () => {
    const named: ShortReceipt = {
      ...receipt,
      principals: [USER],
      moved: [
        [FOO, USER, POOL, 100n],
        [WETH, POOL, ROUTER, 990n],
      ],
    }
    expect(onlyEnds([sale], named)).toMatchObject({ sell: leg(FOO, 100n), buy: coin(990n), settledFor: USER })
  })
  test('may draw on a stock for a rounding', () => {
    const rounded: ShortReceipt = {
      moved: [paid(100n), [WETH, POOL, ROUTER, 1000n]],
      withdrawals: [[ROUTER, 1001n]],
    }
    expect(onlyEnds([sale], rounded).buy).toEqual(coin(1001n))
  })
  test('also reveals a pool that is not read', () => {
    const more: ShortReceipt = { moved: [paid(100n), [WETH, POOL, ROUTER, 1800n]], withdrawals: [[ROUTER, 1800n]] }
    expect(onlyEnds([sale], more).buy).toEqual(coin(1800n))
  })

  test('also beside a few wei that came along', () => {
    expect(onlyEnds([sale], { ...receipt, value: 10n ** 12n - 1n }).buy).toEqual(onlyEnds([sale], receipt).buy)
  })

  const feeless = trade(leg(FOO, 95n), coin(1000n))
  it.each<[string, ShortReceipt, PoolTrade?]>([
    ['coins came along', { ...receipt, value: 10n ** 12n }],
    [
      'there is another',
      {
        ...receipt,
        withdrawals: [
          [ROUTER, 990n],
          [OTHER, 1n],
        ],
      },
    ],
    ['coins were wrapped', { ...receipt, deposits: [[OTHER, 5n]] }],
    ['the unwrapper keeps some', { ...receipt, moved: [paid(100n), [WETH, POOL, ROUTER, 1000n]] }],
    ['it draws on a stock', { moved: [paid(100n), [WETH, POOL, ROUTER, 1000n]], withdrawals: [[ROUTER, 1112n]] }],
    ['a pool unwraps', { moved: [paid(100n), [WETH, POOL, SECOND, 990n]], withdrawals: [[SECOND, 990n]] }],
    ['it comes before the pool pays', { ...receipt, withdrawals: [[ROUTER, 990n, 3]] }],
    [
      'a pool pays coins as well',
      receipt,
      { ...feeless, hops: feeless.hops.map((hop) => ({ ...hop, nativeOut: true })) },
    ],
    ['a pool takes coins', receipt, { ...feeless, hops: feeless.hops.map((hop) => ({ ...hop, nativeIn: true })) }],
    ['the account did not give what was sold', { ...receipt, moved: (receipt.moved ?? []).slice(1) }],
    ['the account gave another token', withMoved([BAR, TRADER, OTHER, 1n])],
    ['the account gave of the wrapper', { ...withMoved([WETH, TRADER, ROUTER, 7n]), withdrawals: [[ROUTER, 997n]] }],
    ['two are named', { ...receipt, principals: [TRADER, USER] }],
    [
      'most was not unwrapped',
      {
        moved: [paid(100n), [WETH, POOL, ROUTER, 1000n], [WETH, ROUTER, COLLECTOR, 300n]],
        withdrawals: [[ROUTER, 700n]],
      },
    ],
  ])('is not where %s', (_, facts, each = sale) => {
    expect(onlyEnds([each], facts).buy).toEqual(coin(1000n))
  })
  test('is not where two trades end in it', () => {
    const two = [sale, trade(leg(BAR, 5n), coin(1000n), 9)]
    expect(endsOf(two, receipt).map(({ buy }) => buy)).toEqual([coin(1000n), coin(1000n)])
  })
})
