import fc from 'fast-check'
import { describe, expect, inject, it, test } from 'vitest'
import type { Address, Log } from '../../src/chain.ts'
import { FLAG_PARTIAL, FLAG_SETTLEMENT, type PricedTrade } from '../../src/trades/trade.ts'
import { at } from '../made-hop.ts'
import { readReceipts } from './recorded-receipts.ts'
import {
  AUGUSTUS,
  amounts,
  BLIND,
  BUNDLER,
  begun,
  COIN,
  DEEP,
  DIRECT,
  FLOW,
  filled,
  GOLD,
  LISTED,
  logOf,
  ME,
  moved,
  operation,
  order,
  rowsOf,
  rowsWith,
  SETTLEMENT,
  SIDE,
  type Steps,
  swap,
  THEM,
  TOK,
  traded,
  UNIT,
  USDC,
  WETH,
  YOU,
} from './settled-receipt.ts'

const { transactions, tradesOf } = readReceipts('settlement-orders')
const ETHER = 10n ** 18n
const STOCK = at('57')

describe('a recorded transaction', () => {
  it.each([
    [
      '0xa687e4d7',
      'users’ coins sold, for another receiver',
      ['1000000000000000000 0xc02a -> 70027400756807260086997 0x58cb'],
    ],
    [
      '0x31051b28',
      'an order that bought coins, less what the settlement kept',
      [
        '5000000000000000000000 0x2365 -> 861165556733956932 coins for 0x2b88',
        '668309588096461921 0xbe98 -> 716672145584715368 0xbf54 for 0x696a',
      ],
    ],
    ['0x2ef3e173', 'users’ coins sold on BNB Chain', ['1000000000000000 0xbb4c -> 3503182735898775 0xfb61']],
    ['0xb06d24e0', 'an order of the first reactor', ['169254148 0xa0b8 -> 161265669094618829346 0x6b17 for 0x80be']],
    [
      '0xda1ac8a4',
      'coins through a router with a fee',
      ['120000000000000000 coins -> 27090074170376756800948539929 0x050d for 0xe312'],
    ],
    [
      '0xef4e5649',
      'coins that a router paid less its fee',
      ['290130843338346000000000000 0x0f4d -> 11162303951142089 coins for 0x291e'],
    ],
    [
      '0x1269451e',
      'a fee of 1 % out of the coins that were sent',
      ['501538469254437988 coins -> 24370207900429534271688522 0x95ad'],
    ],
    [
      '0x1704bc56',
      'a fee of half a percent on top of what was swapped',
      ['2000000000000000000 coins -> 36000781431780111019466213 0x1223'],
    ],
    [
      '0x3ad94dbe',
      'coins of which the rest was refunded',
      ['918053192581523281 coins -> 10000000000000000000000 0xc834'],
    ],
    // No indexed pool has a part in these.
    ['0x8f234b8c', 'an order that a stock filled', ['5737841669946443235 0x4e3f -> 8170617341583100 coins for 0x3ba6']],
    [
      '0x92a5da6a',
      'an order of UniswapX that a stock filled',
      ['2200000000000000000 0xc02a -> 8385533944931249647780 0x6b17 for 0x4f58'],
    ],
    [
      '0x82205817',
      'a swap of KyberSwap over an unread venue',
      ['20000000000000000000 0xf951 -> 21100486952910759139 coins for 0xced4'],
    ],
    [
      '0x12d794e7',
      'a swap of 0x over an unread venue',
      ['458480413000000000000000 0x4c9e -> 459177562744 0xdac1 for 0x7488'],
    ],
    [
      '0x8e7c52d5',
      'coins sold on polygon over an unread venue',
      ['130848158787696777 coins -> 146129 0xc213 for 0x701d'],
    ],
    // The reactor paid coins, and no log shows a fee on them.
    [
      '0x260c0f8c',
      'coins that a filler of UniswapX unwrapped',
      ['1180398924 0xa0b8 -> 307338975372219550 coins for 0x00d2'],
    ],
    [
      '0x2ea92952',
      'a direct swap of ParaSwap over an unread pool',
      ['5481890000000000000 coins -> 184099593744496046878 0x1ceb for 0x6133'],
    ],
    [
      '0x5a601f52',
      'a direct swap of ParaSwap with a share for a partner',
      ['1175108000000000000000 0x3432 -> 1343060000175901968780 0xfeef for 0xe93e'],
    ],
    // Resolvers of 1inch signed these.
    [
      '0x04417195',
      'a taxed token that 1inch Fusion sold for coins',
      ['1394459758793396467685720 0x101c -> 505630257031774823 coins for 0x200f'],
    ],
    [
      '0x1e73c193',
      'a Fusion order, with a wei that the resolver sent along',
      ['200000000000000000000 0xba41 -> 24018415892938370 coins for 0x1728'],
    ],
    [
      '0xc6865317',
      'a Fusion order of which the resolver kept a part',
      ['291504616 0xdac1 -> 9403567898891928967400 0x728f for 0x82c5'],
    ],
    // The resolver kept 2.3 and 4.2 % of what the pools paid.
    [
      '0x3a85d047',
      'two Fusion orders that were paid in coins',
      [
        '1504971647165183497 0x9f5e -> 201200389804655021 coins for 0x7844',
        '95537381015209749 0xf951 -> 95439321483108111 coins for 0x09fa',
      ],
    ],
    ['0x19a40f99', 'a Fusion order that a stock filled', ['500000000000000000 0xc02a -> 1146668448 0xa0b8 for 0xb66e']],
    [
      '0xfb5fed9f',
      'an order of 1inch V6, whose event names nobody',
      ['2000000000000000 0xc013 -> 131756893290124536 coins for 0xbcb3'],
    ],
  ])('%s: %s', (hash, _, rows) => {
    const recorded = transactions.find((recordedReceipt) => recordedReceipt.hash.startsWith(hash))
    if (recorded === undefined) throw new Error(`${hash} is not recorded`)
    const text = ({ token, amount, native }: { token: string; amount: bigint; native: boolean }) =>
      `${amount} ${native ? 'coins' : token.slice(0, 6)}`
    const made = tradesOf(recorded).map(({ sell, buy, settledFor }) => {
      return `${text(sell)} -> ${text(buy)}${settledFor === null ? '' : ` for ${settledFor.slice(0, 6)}`}`
    })
    expect(made).toEqual(rows)
  })
})

const paidIn = (account: Address, token: Address, amount: bigint) => moved(token, account, SETTLEMENT, amount)
const paidOut = (account: Address, token: Address, amount: bigint) => moved(token, SETTLEMENT, account, amount)
/** A filler supplies what an order bought from its stock, and keeps what the order sold. */
const fromStock = (sold: Address, amount: bigint, bought: Address, got: bigint) => [
  moved(sold, SETTLEMENT, STOCK, amount),
  moved(bought, STOCK, SETTLEMENT, got),
]
const worthOf = ({ usdE8, flags }: PricedTrade) => [usdE8 === null ? null : Number(usdE8) / 1e8, flags]

describe('an order without a pool', () => {
  const sold = [order(ME, USDC, TOK), paidIn(ME, USDC, 1_000n * UNIT), paidOut(ME, TOK, 7n)]

  it('is a row without hops, worth what its owner gave', () => {
    const rows = rowsOf(...sold, ...fromStock(USDC, 1_000n * UNIT, TOK, 7n))
    expect(rows.map(amounts)).toEqual([[ME, USDC, 1_000n * UNIT, TOK, 7n, 1_000, []]])
    expect(rows.map(({ flags, throughPools }) => [flags, throughPools])).toEqual([[FLAG_SETTLEMENT, undefined]])
  })

  it('is worth nothing if a loan paid for it, and its owner filled it', () => {
    const loan = [moved(USDC, STOCK, ME, 1_000n * UNIT), moved(USDC, ME, STOCK, 1_000n * UNIT)]
    const [lent, repaid] = loan
    if (lent === undefined || repaid === undefined) throw new Error('no loan')
    const fill = [moved(USDC, SETTLEMENT, ME, 1_000n * UNIT), moved(TOK, ME, SETTLEMENT, 7n)]
    expect(rowsOf(lent, ...sold, ...fill, repaid).map(worthOf)).toEqual([[0, FLAG_SETTLEMENT]])
  })

  it('is worth at most what its owner netted, once for all its orders', () => {
    const again = [order(ME, USDC, TOK, [900n * UNIT, 5n]), paidIn(ME, USDC, 900n * UNIT), paidOut(ME, TOK, 5n)]
    const back = moved(USDC, STOCK, ME, 1_300n * UNIT)
    const first = [order(ME, USDC, TOK, [1_000n * UNIT, 7n]), ...sold.slice(1)]
    expect(rowsOf(...first, ...again, ...fromStock(USDC, 1_900n * UNIT, TOK, 12n), back).map(worthOf)).toEqual([
      [600, FLAG_SETTLEMENT],
      [0, FLAG_SETTLEMENT],
    ])
  })

  it('has coins that somebody unwrapped for it', () => {
    const reported = order(ME, TOK, COIN, [7n, ETHER])
    const unwrapped = logOf(WETH, 'Withdrawal(address,uint256)', [SETTLEMENT], [ETHER])
    const fill = [paidIn(ME, TOK, 7n), ...fromStock(TOK, 7n, WETH, ETHER)]
    expect(rowsOf(reported, ...fill, unwrapped).map(worthOf)).toEqual([[2_000, FLAG_SETTLEMENT]])
    // What was unwrapped was wrapped again.
    const wrapped = logOf(WETH, 'Deposit(address,uint256)', [ME], [ETHER])
    expect(rowsOf(reported, ...fill, unwrapped, wrapped).map(worthOf)).toEqual([[2_000, FLAG_SETTLEMENT]])
    expect(rowsOf(reported, ...fill, unwrapped, wrapped, moved(WETH, ME, STOCK, ETHER)).map(worthOf)).toEqual([
      [0, FLAG_SETTLEMENT],
    ])
  })

  it('that pools filled for the most part counts the rest once', () => {
    const rows = rowsOf(...sold, swap(DEEP, 600n * UNIT, -30n * 10n ** 16n), swap(SIDE, -4n, 30n * 10n ** 16n))
    expect(rows.map(({ hops }) => hops.length)).toEqual([2])
    // 600 USD through pools, 400 from a stock.
    expect(rows.map(({ usdE8 }) => Number(usdE8) / 1e8)).toEqual([1_000])
    expect(rows.map(({ flags }) => flags & FLAG_SETTLEMENT)).toEqual([FLAG_SETTLEMENT])
  })

  it('of whose hops the value is not known is worth its own leg', () => {
    const reported = [order(ME, TOK, USDC, [7n, 67n * UNIT]), paidIn(ME, TOK, 7n), paidOut(ME, USDC, 67n * UNIT)]
    const rows = rowsOf(...reported, swap(BLIND, 7n, -9n))
    expect(rows.map(({ hops }) => hops.length)).toEqual([1])
    expect(rows.map(worthOf)).toEqual([[67, FLAG_SETTLEMENT]])
  })

  it('is a row in an operation of a bundle, too', () => {
    const swapped = traded(YOU, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * 10n ** 16n])
    const rows = rowsOf(begun, ...swapped, operation(YOU), ...sold, operation(ME))
    expect(rows.map(({ settledFor, hops }) => [settledFor, hops.length])).toEqual([
      [YOU, 1],
      [ME, 0],
    ])
  })

  it('of a reactor is a row by what its account gave and got, if both tokens are listed', () => {
    const fill = (bought: Address) => [moved(USDC, ME, BUNDLER, 5n * UNIT), filled(ME), moved(bought, BUNDLER, ME, 9n)]
    expect(rowsOf(...fill(WETH)).map(({ settledFor, flags }) => [settledFor, flags & FLAG_SETTLEMENT])).toEqual([
      [ME, FLAG_SETTLEMENT],
    ])
    expect(rowsOf(...fill(TOK))).toEqual([])
  })

  it('of a reactor that paid coins has at most the only withdrawal, and is partial', () => {
    const paid = [moved(USDC, ME, BUNDLER, 2_000n * UNIT), filled(ME)]
    const unwrapped = logOf(WETH, 'Withdrawal(address,uint256)', [BUNDLER], [ETHER])
    expect(rowsOf(...paid, unwrapped).map(({ buy, flags }) => [buy, flags & FLAG_PARTIAL])).toEqual([
      [{ token: WETH, amount: ETHER, native: true }, FLAG_PARTIAL],
    ])
    const wrapped = logOf(WETH, 'Deposit(address,uint256)', [BUNDLER], [ETHER])
    const elsewhere = moved(TOK, STOCK, YOU, 9n)
    expect(rowsOf(...paid)).toEqual([])
    expect(rowsOf(...paid, unwrapped, unwrapped)).toEqual([])
    expect(rowsOf(...paid, unwrapped, wrapped)).toEqual([])
    expect(rowsOf(...paid, unwrapped, elsewhere)).toEqual([])
    expect(rowsWith(ETHER, ...paid, unwrapped)).toEqual([])
  })

  it.each<[string, Address, bigint, bigint, isRow: boolean]>([
    ['as much', GOLD, ETHER, ETHER, true],
    ['at most a fifth less', USDC, 2_400n * UNIT, ETHER, true],
    ['too little', USDC, 2_400n * UNIT + 1n, ETHER, false],
    ['too much', USDC, 5n, ETHER, false],
    ['something for a token without a price', LISTED, 5n, ETHER, false],
  ])('of a reactor has no coins of somebody else, who unwrapped %s', (_, token, sold, coins, isRow) => {
    const unwrapped = logOf(WETH, 'Withdrawal(address,uint256)', [BUNDLER], [coins])
    const rows = rowsOf(moved(token, ME, BUNDLER, sold), filled(ME), unwrapped)
    expect(rows.map(({ sell, buy }) => [sell.amount, buy.amount])).toEqual(isRow ? [[sold, coins]] : [])
  })

  it('has no coins that somebody unwrapped if it was paid elsewhere, even beside a pool', () => {
    const swapped = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, ETHER / 2n])
    const profit = logOf(WETH, 'Withdrawal(address,uint256)', [BUNDLER], [ETHER])
    const paid = [moved(GOLD, YOU, BUNDLER, ETHER), profit]
    const rows = (...elsewhere: Steps) =>
      rowsOf(...swapped, filled(ME), ...paid, ...elsewhere, filled(YOU)).map(({ settledFor, buy }) => [
        ...[settledFor, buy.native, buy.amount],
      ])
    expect(rows()).toEqual([
      [ME, false, ETHER / 2n],
      [YOU, true, ETHER],
    ])
    expect(rows(moved(TOK, STOCK, THEM, 9n))).toEqual([[ME, false, ETHER / 2n]])
  })

  it('has these coins if its pools paid another token that is worth as much', () => {
    const route = (coins: bigint) => [
      ...[moved(TOK, ME, DIRECT, 90n), moved(USDC, DIRECT, BUNDLER, 1_000n * UNIT), swap(DIRECT, -1_000n * UNIT, 90n)],
      ...[logOf(WETH, 'Withdrawal(address,uint256)', [BUNDLER], [coins]), filled(ME)],
    ]
    const other = [moved(GOLD, YOU, STOCK, ETHER), moved(LISTED, STOCK, YOU, 5n), filled(YOU)]
    const ends = (coins: bigint) =>
      rowsOf(...route(coins), ...other).map(({ settledFor, buy }) => [settledFor, buy.amount])
    expect(ends(ETHER / 2n)[0]).toEqual([ME, ETHER / 2n])
    for (const coins of [ETHER * 2n, 5n]) expect(ends(coins)[0]).toEqual([ME, 1_000n * UNIT])
  })

  it('has these coins also beside a route over several pools', () => {
    const route = [
      ...[moved(USDC, ME, DEEP, 1_000n * UNIT), moved(WETH, DEEP, SIDE, ETHER / 2n), moved(TOK, SIDE, ME, 90n)],
      ...[swap(DEEP, 1_000n * UNIT, -ETHER / 2n), swap(SIDE, -90n, ETHER / 2n)],
    ]
    const unwrapped = logOf(WETH, 'Withdrawal(address,uint256)', [BUNDLER], [ETHER])
    const paid = [moved(GOLD, YOU, BUNDLER, ETHER), unwrapped]
    const rows = rowsOf(...route, filled(ME), ...paid, filled(YOU))
    expect(rows.map(({ settledFor, buy }) => [settledFor, buy.amount])).toEqual([
      [ME, 90n],
      [YOU, ETHER],
    ])
  })

  it('is no row of an account that only an operation names, nor of a wrap', () => {
    expect(rowsOf(begun, moved(USDC, ME, STOCK, 5n), moved(WETH, STOCK, ME, 9n), operation(ME))).toEqual([])
    expect(rowsOf(order(ME, WETH, COIN, [5n, 5n]), paidIn(ME, WETH, 5n))).toEqual([])
  })
})

test('orders of two users’ coins in one batch are two rows of nobody', () => {
  const sells = (amount: bigint, got: bigint, to: Address) => [
    order(FLOW, WETH, TOK, [amount, got]),
    moved(WETH, FLOW, SETTLEMENT, amount),
    paidOut(to, TOK, got),
  ]
  const rows = rowsOf(...sells(ETHER, 30n, ME), ...sells(3n * ETHER, 90n, YOU), swap(SIDE, -121n, 4n * ETHER))
  expect(rows.map(amounts)).toEqual([
    [null, WETH, ETHER, TOK, 30n, 2_000, []],
    [null, WETH, 3n * ETHER, TOK, 90n, 6_000, [6]],
  ])
})

test('a reported order less a tax on the transfer is what its account got', () => {
  const reported = [order(ME, USDC, TOK, [1_000n * UNIT, 100n]), paidIn(ME, USDC, 1_000n * UNIT), paidOut(ME, TOK, 90n)]
  expect(
    rowsOf(...reported, swap(DEEP, 1_000n * UNIT, -ETHER / 2n), swap(SIDE, -100n, ETHER / 2n))[0]?.buy.amount,
  ).toBe(90n)
})

describe('coins that the signer sent', () => {
  const swapped = (amount: bigint) => [
    logOf(WETH, 'Deposit(address,uint256)', [STOCK], [amount]),
    moved(WETH, STOCK, SIDE, amount),
    moved(TOK, SIDE, BUNDLER, 90n),
    swap(SIDE, -90n, amount),
  ]
  it.each<[string, bigint, bigint, bigint]>([
    ['a fee of 0.875 %', ETHER, 991_250_000_000_000_000n, ETHER],
    ['a fee of 1 % of what is not round', 501_538_469_254_437_988n, 496_523_084_561_893_609n, 501_538_469_254_437_988n],
    [
      'a refund of half a percent',
      (173_295_666_018_133_456n * 1005n) / 1000n,
      173_295_666_018_133_456n,
      173_295_666_018_133_456n,
    ],
    ['a refund of 37 %', 107_900_000_000_000_000n, 67_853_547_244_439_196n, 67_853_547_244_439_196n],
    ['a fee of more than a twentieth', ETHER, 900_000_000_000_000_000n, 900_000_000_000_000_000n],
  ])('less %s', (_, value, amount, sold) => {
    expect(rowsWith(value, ...swapped(amount)).map(({ sell }) => [sell.native, sell.amount])).toEqual([[true, sold]])
  })
})

/** An event of ParaSwap, with what it says was sold and, before its fee, bought. */
const swappedByParaSwap = (
  event: 'SwappedV3' | 'BoughtV3',
  [owner, payer]: [Address, Address],
  [sold, amount]: [Address, bigint],
  [bought, received]: [Address, bigint],
  fee: bigint,
) => {
  const values = [1n, STOCK, 2n ** 248n + fee, payer, amount, received, event === 'SwappedV3' ? received : amount]
  const types = 'bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256'
  return logOf(AUGUSTUS, `${event}(${types})`, [owner, sold, bought], values)
}

describe('coins on ParaSwap', () => {
  const sold = [moved(TOK, BUNDLER, SIDE, 90n), moved(WETH, SIDE, AUGUSTUS, ETHER), swap(SIDE, 90n, -ETHER)]
  const paid = logOf(WETH, 'Withdrawal(address,uint256)', [AUGUSTUS], [ETHER])
  const wrapped = (amount: bigint) => [
    ...[logOf(WETH, 'Deposit(address,uint256)', [AUGUSTUS], [amount]), moved(WETH, AUGUSTUS, SIDE, amount)],
    ...[moved(TOK, SIDE, BUNDLER, 90n), swap(SIDE, -90n, amount)],
  ]
  const own: [Address, Address] = [BUNDLER, BUNDLER]
  const ninetyNine = (99n * ETHER) / 100n

  it.each<[string, Log, bigint]>([
    ['less 2 %', swappedByParaSwap('SwappedV3', own, [TOK, 90n], [COIN, ETHER], 200n), (98n * ETHER) / 100n],
    [
      'less 3 % of a purchase',
      swappedByParaSwap('BoughtV3', own, [TOK, 90n], [COIN, ETHER], 300n),
      (97n * ETHER) / 100n,
    ],
    [
      'for another account',
      swappedByParaSwap('SwappedV3', [YOU, BUNDLER], [TOK, 90n], [COIN, ETHER], 100n),
      ninetyNine,
    ],
    [
      'in an event of another contract',
      { ...swappedByParaSwap('SwappedV3', own, [TOK, 90n], [COIN, ETHER], 200n), address: TOK },
      ETHER,
    ],
  ])('are bought %s', (_, event, bought) => {
    expect(rowsOf(...sold, paid, event).map(({ sell, buy }) => [sell.amount, buy.native, buy.amount])).toEqual([
      [90n, true, bought],
    ])
  })

  it.each<[string, bigint, bigint, Log, bigint]>([
    [
      'a fee of what is sold, which the event leaves out',
      ...([
        ETHER,
        ninetyNine,
        swappedByParaSwap('SwappedV3', own, [COIN, ninetyNine], [TOK, 90n], 2n ** 15n + 100n),
      ] as const),
      ETHER,
    ],
    [
      'a purchase returns what is left',
      ...([ETHER, ninetyNine, swappedByParaSwap('BoughtV3', own, [COIN, ninetyNine], [TOK, 90n], 0n)] as const),
      ninetyNine,
    ],
    [
      'another router takes its fee before',
      ...([
        ETHER,
        ninetyNine,
        swappedByParaSwap('SwappedV3', [BUNDLER, YOU], [COIN, ninetyNine], [TOK, 90n], 0n),
      ] as const),
      ETHER,
    ],
  ])('are sold where %s', (_, value, swapped, event, amount) => {
    const rows = rowsWith(value, ...wrapped(swapped), event)
    expect(rows.map(({ sell, buy }) => [sell.native, sell.amount, buy.amount])).toEqual([[true, amount, 90n]])
  })

  it('of several orders are one amount', () => {
    const event = swappedByParaSwap('SwappedV3', own, [TOK, 90n], [COIN, ETHER], 200n)
    const rows = rowsOf(...sold, paid, event, ...sold, paid, event)
    expect(rows.map(({ sell, buy }) => [sell.amount, buy.native, buy.amount])).toEqual([
      [180n, true, (196n * ETHER) / 100n],
    ])
  })

  it('of two trades have the amount of the order of each', () => {
    const [first, other] = [swappedByParaSwap('SwappedV3', own, [TOK, 90n], [COIN, ETHER], 200n), 1_990n * UNIT]
    const second = [moved(USDC, BUNDLER, DEEP, other), moved(WETH, DEEP, AUGUSTUS, ETHER), swap(DEEP, other, -ETHER)]
    const event = swappedByParaSwap('SwappedV3', own, [USDC, other], [COIN, ETHER], 300n)
    expect(
      rowsOf(...sold, paid, first, ...second, paid, event).map(({ sell, buy }) => [sell.token, buy.amount]),
    ).toEqual([
      [TOK, (98n * ETHER) / 100n],
      [USDC, (97n * ETHER) / 100n],
    ])
  })

  it('count once if two events report them', () => {
    const event = swappedByParaSwap('SwappedV3', own, [TOK, 90n], [COIN, ETHER], 0n)
    expect(rowsOf(...sold, paid, event, event).map(({ buy }) => buy.amount)).toEqual([ETHER])
  })

  it('are the order of a purchase that no pool filled', () => {
    const stock = [moved(TOK, ME, STOCK, 90n), moved(WETH, STOCK, AUGUSTUS, ETHER), paid]
    const event = swappedByParaSwap('BoughtV3', [ME, ME], [TOK, 90n], [COIN, ETHER], 300n)
    expect(rowsOf(...stock, event).map(amounts)).toEqual([[ME, TOK, 90n, WETH, (97n * ETHER) / 100n, 1_940, []]])
  })
})

/**
 * Orders of USDC for TOK, a cent each, and back. Each is filled in one way:
 *
 *   pool       through a pool
 *   stock      out of a stock
 *   half       half through a pool, half out of a stock
 *   pair       by an order in the other direction
 *   self       by its owner, with a loan
 */
test('the volume of a batch is what pools and stocks moved, each money once, in any order of events', () => {
  const ways = fc.constantFrom('pool', 'stock', 'half', 'pair', 'self')
  const fills = fc.array(fc.record({ way: ways, cents: fc.integer({ min: 100, max: 100_000 }) }), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(fills, fc.infiniteStream(fc.nat()), (orders, draws) => {
      const steps: Steps = []
      const events: Log[] = []
      let cents = 0n
      orders.forEach(({ way, cents: size }, at_) => {
        const [account, other] = [at(`a${at_}0`), at(`a${at_}1`)]
        const cent = 2n * BigInt(size)
        const [amount, tokens] = [cent * (UNIT / 100n), cent * 10n ** 12n]
        const sells = [paidIn(account, USDC, amount), paidOut(account, TOK, tokens)]
        const pool = (parts: bigint) => swap(DIRECT, amount / parts, -tokens / parts)
        events.push(order(account, USDC, TOK, [amount, tokens]))
        if (way !== 'self') cents += cent
        if (way === 'pool') steps.push(...sells, pool(1n))
        if (way === 'stock') steps.push(...sells, ...fromStock(USDC, amount, TOK, tokens))
        if (way === 'half') steps.push(...sells, pool(2n), ...fromStock(USDC, amount / 2n, TOK, tokens / 2n))
        if (way === 'pair') {
          events.push(order(other, TOK, USDC, [tokens, amount]))
          steps.push(...sells, paidIn(other, TOK, tokens), paidOut(other, USDC, amount))
        }
        if (way === 'self') {
          const back = [moved(USDC, SETTLEMENT, account, amount), moved(TOK, account, SETTLEMENT, tokens)]
          steps.push(moved(USDC, STOCK, account, amount), ...sells, ...back, moved(USDC, account, STOCK, amount))
        }
      })
      // The events are shuffled, because any log of an order may come first.
      for (let last = events.length - 1; last > 0; last--) {
        const drawn = Number(draws.next().value ?? 0) % (last + 1)
        const [a, b] = [events[last], events[drawn]]
        if (a !== undefined && b !== undefined) events.splice(last, 1, b)
        if (a !== undefined && b !== undefined && drawn !== last) events.splice(drawn, 1, a)
      }
      const rows = rowsOf(...events, ...steps)
      const total = rows.reduce((sum, { usdE8 }) => sum + (usdE8 ?? 0n), 0n)
      expect(rows).toHaveLength(events.length)
      // Up to 1/20 of an order may be a fee. Parts of hops are rounded down.
      expect(total).toBeLessThanOrEqual(cents * 10n ** 6n)
      expect(total * 20n).toBeGreaterThanOrEqual(cents * 10n ** 6n * 19n - 1_000n)
    }),
    { numRuns: 60 * inject('scale') },
  )
})
