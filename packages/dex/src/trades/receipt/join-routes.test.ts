import { describe, expect, it } from 'vitest'
import { at, madeHop } from '../../../test/made-hop.ts'
import { endsOf, POOL, SECOND, type ShortReceipt, TRADER, WETH } from '../../../test/trades/short-receipt.ts'
import { MAX_UINT256 } from '../../abi/words.ts'
import type { Leg, PoolTrade } from '../trade.ts'

const [FOO, BAR, BAZ, OTHER, USER] = [at('f00'), at('ba1'), at('ba2'), at('0e'), at('05e1')]
type Token = typeof FOO
const leg = (token: Token, amount: bigint, native = false): Leg => ({ token, amount, native })
const trade = (logIndex: number, sell: Leg, buy: Leg): PoolTrade => {
  return { sell, buy, hops: [madeHop(logIndex, [sell.token, sell.amount], [buy.token, buy.amount])] }
}
const short = (trades: PoolTrade[], receipt: ShortReceipt) =>
  endsOf(trades, receipt).map(({ sell, buy, hops, routes }) => [
    ...[sell.token, sell.amount, buy.token, buy.amount],
    ...[hops.map(({ logIndex }) => logIndex), routes?.length ?? 1],
  ])
const paid = (amount: bigint, token = FOO, by = TRADER) => [token, by, POOL, amount] as const
const got = (amount: bigint, token = BAR, by = TRADER) => [token, POOL, by, amount] as const

describe('a small part that is swapped into what the account does not get', () => {
  const main = trade(5, leg(FOO, 1_000n), leg(BAR, 500n))
  const flows: ShortReceipt = { moved: [paid(1_020n), got(495n), [BAZ, SECOND, OTHER, 7n]] }

  it('is a fee of the trade that sold the token', () => {
    expect(short([main, trade(9, leg(FOO, 20n), leg(BAZ, 7n))], flows)).toEqual([[FOO, 1_020n, BAR, 495n, [5, 9], 2]])
  })

  it('is a fee of the trade that bought the token', () => {
    const [fee] = [trade(9, leg(BAR, 5n), leg(BAZ, 7n))]
    expect(short([main, fee], flows)).toEqual([[FOO, 1_020n, BAR, 495n, [5, 9], 2]])
    expect(endsOf([main, fee], flows)[0]?.throughPools).toEqual({ sell: leg(FOO, 1_000n), buy: leg(BAR, 495n) })
  })

  it('is a fee where it comes first, and where the coin was bought', () => {
    const sold = trade(5, leg(FOO, 1_000n), leg(WETH, 500n, true))
    const receipt: ShortReceipt = {
      moved: [paid(1_050n), [BAZ, SECOND, OTHER, 7n]],
      withdrawals: [[at('10'), 500n]],
    }
    expect(short([trade(2, leg(FOO, 50n), leg(BAZ, 7n)), sold], receipt)).toEqual([
      [FOO, 1_050n, WETH, 500n, [2, 5], 2],
    ])
  })

  it('is a fee of coins that logs show, where it takes what is missing', () => {
    const sold = trade(5, leg(WETH, 1_000n, true), leg(BAR, 500n))
    const fee = trade(9, leg(WETH, 20n), leg(BAZ, 7n))
    const moved: ShortReceipt['moved'] = [got(495n), [BAZ, SECOND, OTHER, 7n]]
    const receipt = (amount: bigint): ShortReceipt => ({ moved, coins: [[TRADER, POOL, amount]], value: amount })
    expect(short([sold, fee], receipt(1_020n))).toEqual([[WETH, 1_020n, BAR, 495n, [5, 9], 2]])
    expect(short([sold, fee], receipt(1_005n))).toHaveLength(2)
  })

  it('belongs to the account for which a contract trades', () => {
    const moved: ShortReceipt['moved'] = [paid(1_020n, FOO, USER), got(495n, BAR, USER), [BAZ, SECOND, OTHER, 7n]]
    expect(short([main, trade(9, leg(FOO, 20n), leg(BAZ, 7n))], { moved, principals: [USER] })).toHaveLength(1)
  })

  it('of more than a twentieth is a separate trade', () => {
    const taken: ShortReceipt = { moved: [paid(1_051n), got(390n), [BAZ, SECOND, OTHER, 7n]] }
    expect(short([main, trade(9, leg(FOO, 51n), leg(BAZ, 7n))], taken)).toHaveLength(2)
    expect(short([main, trade(9, leg(FOO, 50n), leg(BAZ, 7n))], taken)).toHaveLength(1)
  })

  it.each<[string, ShortReceipt]>([
    ['the account got that, too', { moved: [paid(1_020n), got(495n), got(7n, BAZ)] }],
    ['the account did not get what the other trade bought', { moved: [paid(1_020n), [BAZ, SECOND, OTHER, 7n]] }],
    ['the account did not give what the other trade sold', { moved: [got(495n), [BAZ, SECOND, OTHER, 7n]] }],
    ['liquidity changed', { ...flows, changesLiquidity: true }],
    ['an item moved', { ...flows, items: [[TRADER, OTHER]] }],
    ['several are named', { ...flows, principals: [USER, OTHER] }],
    ['no account signed', { ...flows, from: null }],
  ])('is a separate trade if %s', (_, receipt) => {
    expect(short([main, trade(9, leg(FOO, 20n), leg(BAZ, 7n))], receipt)).toHaveLength(2)
  })
})

describe('what the account gave one for one', () => {
  //   FOO -- POOL --> BAR
  //    '- not read -> BAZ -- SECOND --> BAR
  const main = trade(5, leg(FOO, 100n), leg(BAR, 50n))
  const onwards = trade(9, leg(BAZ, 30n), leg(BAR, 450n))
  const flows: ShortReceipt = { moved: [paid(1_000n), got(500n)] }

  it('is one trade, where a part of it went over another token', () => {
    expect(short([main, onwards], flows)).toEqual([[FOO, 1_000n, BAR, 500n, [5, 9], 2]])
    expect(endsOf([main, onwards], flows)[0]?.throughPools).toEqual({ sell: leg(FOO, 100n), buy: leg(BAR, 500n) })
    const before = trade(9, leg(FOO, 900n), leg(BAZ, 30n))
    expect(short([main, before], flows)).toEqual([[FOO, 1_000n, BAR, 500n, [5, 9], 2]])
  })

  it('is one trade where coins were sold', () => {
    const coins = trade(5, leg(WETH, 100n, true), leg(BAR, 50n))
    const receipt: ShortReceipt = { value: 1_100n, withdrawals: [[at('10'), 100n]], moved: [got(500n)] }
    expect(short([coins, onwards], receipt)).toEqual([[WETH, 100n, BAR, 500n, [5, 9], 2]])
    expect(short([coins, onwards], { ...receipt, from: OTHER })).toHaveLength(2)
  })

  it('is not joined by what brings the pools’ amounts no nearer to it', () => {
    expect(short([main, trade(9, leg(BAR, 10n), leg(BAZ, 30n))], flows)).toHaveLength(2)
    const whole: ShortReceipt = { moved: [paid(100n), got(50n)] }
    expect(short([main, onwards], whole)).toHaveLength(2)
    const dear = [main, onwards, trade(7, leg(FOO, 5_000n), leg(BAZ, 1n))]
    expect(short(dear, flows)).toHaveLength(3)
    const through = [main, trade(7, leg(BAZ, 30n), leg(BAR, 450n)), trade(9, leg(BAR, 450n), leg(BAZ, 31n))]
    expect(short(through, whole)).toHaveLength(3)
    expect(short([main, trade(9, leg(FOO, 5n), leg(BAZ, 1n))], whole)).toHaveLength(2)
    expect(short([main, trade(9, leg(BAR, 2n), leg(BAZ, 1n))], whole)).toHaveLength(2)
  })

  it('leaves other trades alone', () => {
    const foreign = trade(7, leg(at('d5'), 1n), leg(WETH, 1n))
    expect(short([main, foreign, onwards], flows)).toMatchObject([
      [FOO, 1_000n, BAR, 500n, [5, 9], 2],
      [at('d5'), 1n, WETH, 1n, [7], 1],
    ])
    expect(short([main, trade(9, leg(BAR, 40n), leg(FOO, 90n))], flows)).toHaveLength(2)
  })

  it.each<[string, ShortReceipt]>([
    ['its amounts make another price', { moved: [paid(1_000n), got(416n)] }],
    ['the account got another token, too', { moved: [...(flows.moved ?? []), got(1n, BAZ)] }],
    ['the account gave coins, too', { ...flows, value: 1n }],
  ])('is not known where %s', (_, receipt) => {
    expect(short([main, onwards], receipt)).toHaveLength(2)
  })

  it('is not more than a word holds', () => {
    const large = trade(9, leg(BAZ, 30n), leg(BAR, MAX_UINT256))
    expect(short([main, large], flows)).toHaveLength(2)
    expect(short([main, trade(9, leg(BAR, 50n), leg(BAZ, 30n))], flows)).toHaveLength(2)
  })
})
