import { describe, expect, it } from 'vitest'
import type { Address, Log } from '../../src/chain.ts'
import { FLAG_AMOUNTS_DIFFER, FLAG_SETTLEMENT, type PricedTrade } from '../../src/trades/trade.ts'
import {
  amounts,
  BUNDLER,
  CENT,
  COIN,
  coins,
  DEEP,
  logOf,
  ME,
  moved,
  OTHER,
  order,
  rowsOf,
  SETTLEMENT,
  SIDE,
  swap,
  THEM,
  TOK,
  TWIN,
  UNIT,
  USDC,
  WETH,
  YOU,
} from './settled-receipt.ts'

describe('orders of one batch', () => {
  const paidIn = (account: Address, token: Address, amount: bigint) => moved(token, account, SETTLEMENT, amount)
  const paidOut = (account: Address, token: Address, amount: bigint) => moved(token, SETTLEMENT, account, amount)
  const mine = [order(ME, USDC, WETH), paidIn(ME, USDC, 1_000n * UNIT), paidOut(ME, WETH, 50n * CENT)]
  const yours = [order(YOU, WETH, USDC), paidIn(YOU, WETH, 100n * CENT), paidOut(YOU, USDC, 1_990n * UNIT)]
  const sum = (rows: PricedTrade[]) => rows.reduce((total, { usdE8 }) => total + Number(usdE8), 0) / 1e8

  it('of opposite directions through two pools are two rows', () => {
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(OTHER, -1_990n * UNIT, 100n * CENT)]
    expect(rowsOf(...mine, ...yours, ...hops).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [7]],
    ])
  })

  it('of which one is filled by the other are two rows, and the money of both counts once', () => {
    const rows = rowsOf(...mine, ...yours, swap(DEEP, -990n * UNIT, 50n * CENT))
    expect(rows.map(amounts)).toEqual([
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 990, [6]],
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, []],
    ])
    expect(rows.map(({ flags }) => flags)).toEqual([FLAG_AMOUNTS_DIFFER, FLAG_SETTLEMENT])
  })

  it('that go on with each other’s tokens are two rows', () => {
    const onwards = [order(YOU, WETH, TOK), paidIn(YOU, WETH, 50n * CENT), paidOut(YOU, TOK, 900n)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, -900n, 50n * CENT)]
    expect(rowsOf(...mine, ...onwards, ...hops).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
      [YOU, WETH, 50n * CENT, TOK, 900n, 1_000, [7]],
    ])
  })

  it('of one direction share the hop, which is stored once', () => {
    const more = [order(THEM, USDC, WETH), paidIn(THEM, USDC, 2_000n * UNIT), paidOut(THEM, WETH, 100n * CENT)]
    const rows = rowsOf(...mine, ...more, swap(DEEP, 3_000n * UNIT, -150n * CENT))
    expect(rows.map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, []],
      [THEM, USDC, 2_000n * UNIT, WETH, 100n * CENT, 2_000, [6]],
    ])
    expect(rows.map(({ flags, hopsUsdE8 }) => [flags, hopsUsdE8])).toEqual([
      [0, []],
      [0, [3_000n * 10n ** 8n]],
    ])
    expect(sum(rows)).toBe(3_000)
  })

  it('that bought coins have what their events tell', () => {
    const coins = [order(YOU, TOK, COIN, [900n, 50n * CENT]), paidIn(YOU, TOK, 900n)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, 900n, -51n * CENT)]
    const rows = rowsOf(...mine, ...coins, ...hops)
    expect(rows.map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [5]],
      [YOU, TOK, 900n, WETH, 50n * CENT, 1_020, [6]],
    ])
    expect(rows.map(({ buy }) => buy.native)).toEqual([false, true])
  })

  it('have the coins that logs show, sold or bought', () => {
    const bought = [order(YOU, TOK, COIN), paidIn(YOU, TOK, 900n), coins(SETTLEMENT, YOU, 49n * CENT)]
    const sold = [order(THEM, WETH, TOK), coins(THEM, SETTLEMENT, 21n * CENT), paidOut(THEM, TOK, 300n)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, 900n, -51n * CENT), swap(TWIN, -310n, 20n * CENT)]
    const rows = rowsOf(...mine, ...bought, ...sold, ...hops)
    expect(rows.map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [9]],
      [YOU, TOK, 900n, WETH, 49n * CENT, 1_020, [10]],
      [THEM, WETH, 21n * CENT, TOK, 300n, 400, [11]],
    ])
    expect(rows.map(({ sell, buy }) => [sell.native, buy.native])).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ])
  })

  it('that paid coins to another receiver have what their events tell', () => {
    const reported = order(YOU, TOK, COIN, [900n, 50n * CENT])
    const paid = [reported, paidIn(YOU, TOK, 900n), coins(SETTLEMENT, THEM, 50n * CENT)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, 900n, -51n * CENT)]
    expect(rowsOf(...mine, ...paid, ...hops).map(amounts)[1]).toEqual([YOU, TOK, 900n, WETH, 50n * CENT, 1_020, [7]])
  })

  it('of one size are shared in halves, and the hop is stored with the first', () => {
    const same = [order(THEM, USDC, WETH), paidIn(THEM, USDC, 1_000n * UNIT), paidOut(THEM, WETH, 50n * CENT)]
    expect(rowsOf(...mine, ...same, swap(DEEP, 2_000n * UNIT, -100n * CENT)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
      [THEM, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, []],
    ])
  })

  it('that bought coins which no hop paid for are not rows', () => {
    const coins = [order(YOU, TOK, COIN), paidIn(YOU, TOK, 900n)]
    expect(rowsOf(...mine, ...coins, swap(DEEP, 1_000n * UNIT, -50n * CENT)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [5]],
    ])
    const unwrapped = [order(YOU, WETH, COIN), paidIn(YOU, WETH, CENT)]
    expect(rowsOf(...mine, ...unwrapped, swap(DEEP, 1_000n * UNIT, -50n * CENT)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [5]],
    ])
  })

  it.each<[string, Log[]]>([
    ['got two tokens', [paidIn(YOU, WETH, CENT), paidOut(YOU, USDC, 9n), paidOut(YOU, TOK, 9n)]],
    ['gave two tokens', [paidIn(YOU, WETH, CENT), paidIn(YOU, TOK, 9n), paidOut(YOU, USDC, 9n)]],
    [
      'got an item',
      [
        paidIn(YOU, WETH, CENT),
        paidOut(YOU, USDC, 9n),
        logOf(TOK, 'Transfer(address,address,uint256)', [SETTLEMENT, YOU, 5n], []),
      ],
    ],
  ])('are rows by their events alone, also of an account that %s', (_, flows) => {
    const reported = order(YOU, WETH, USDC, [CENT, 9n])
    const rows = rowsOf(...mine, reported, ...flows, swap(DEEP, 1_000n * UNIT, -50n * CENT))
    expect(rows.map(({ settledFor, sell, buy }) => [settledFor, sell.amount, buy.amount])).toEqual([
      [ME, 1_000n * UNIT, 50n * CENT],
      [YOU, CENT, 9n],
    ])
  })

  it('leave what no account ordered with the pools’ amounts', () => {
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(OTHER, -1_990n * UNIT, 100n * CENT)]
    const ofSolver = [moved(TOK, BUNDLER, SETTLEMENT, 950n), moved(WETH, SETTLEMENT, BUNDLER, 50n * CENT)]
    expect(rowsOf(...mine, ...yours, ...hops, ...ofSolver, swap(SIDE, 900n, -51n * CENT)).map(amounts)[2]).toEqual([
      ...[null, TOK, 900n, WETH, 51n * CENT, 1_020, [10]],
    ])
  })

  it('are rows once, whatever else is swapped', () => {
    const signed = [
      order(BUNDLER, USDC, WETH),
      paidIn(BUNDLER, USDC, 1_000n * UNIT),
      paidOut(BUNDLER, WETH, 50n * CENT),
    ]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, 900n, -51n * CENT)]
    const given = [order(YOU, TOK, USDC), paidIn(YOU, TOK, 900n)]
    expect(rowsOf(...signed, ...given, ...hops).map(amounts)).toEqual([
      [BUNDLER, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [5]],
      [YOU, TOK, 900n, WETH, 51n * CENT, 1_020, [6]],
    ])
    expect(rowsOf(...mine, ...given, ...hops).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [5]],
      [YOU, TOK, 900n, WETH, 51n * CENT, 1_020, [6]],
    ])
  })

  it('leave the others’ hops to those, or to no account', () => {
    const two = [order(YOU, TOK, USDC), paidIn(YOU, TOK, 900n), paidIn(YOU, WETH, CENT), paidOut(YOU, USDC, 9n)]
    const hops = [swap(DEEP, 1_000n * UNIT, -50n * CENT), swap(SIDE, 900n, -51n * CENT)]
    expect(rowsOf(...mine, ...two, ...hops).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [7]],
      [YOU, TOK, 900n, USDC, 9n, 1_020, [8]],
    ])
    const both = rowsOf(
      ...mine,
      order(YOU, USDC, WETH),
      paidIn(YOU, USDC, 1n),
      paidOut(YOU, WETH, CENT / 20_000_000n),
      ...hops,
    )
    expect(both.map(({ settledFor }) => settledFor)).toEqual([ME, YOU, null])
  })
})
