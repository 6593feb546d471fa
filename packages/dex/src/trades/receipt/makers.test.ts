import { describe, expect, it } from 'vitest'
import { at } from '../../../test/made-hop.ts'
import {
  BUNDLER,
  begun,
  CENT,
  coins,
  DEEP,
  filled,
  JUNK,
  LISTED,
  limitOrder,
  limitOrderOfV6,
  logOf,
  ME,
  moved,
  operation,
  requestFilled,
  rowsOf,
  rowsWith,
  SIDE,
  type Steps,
  swap,
  THEM,
  TOK,
  UNIT,
  USDC,
  WETH,
  YOU,
} from '../../../test/trades/settled-receipt.ts'
import type { Address } from '../../chain.ts'
import { FLAG_PARTIAL } from '../trade.ts'

const KEPT = 3n * UNIT
/** A resolver sells what a maker gave, and keeps part of the proceeds. */
const sold: Steps = [
  moved(USDC, ME, THEM, 1_000n * UNIT),
  moved(USDC, THEM, DEEP, 1_000n * UNIT - KEPT),
  moved(WETH, DEEP, ME, 49n * CENT),
  swap(DEEP, 1_000n * UNIT - KEPT, -49n * CENT),
]
const summaries = (rows: ReturnType<typeof rowsOf>) =>
  rows.map(({ settledFor, sell, buy }) => [settledFor, sell.amount, buy.amount])
const POOLS = 1_000n * UNIT - KEPT

describe.each([
  ['V5', limitOrder(ME)],
  ['V6', limitOrderOfV6],
])('a limit order of %s', (_, order) => {
  it('is its maker’s trade, and a wei of its resolver is no coin', () => {
    const row = [ME, 1_000n * UNIT, 49n * CENT]
    expect(summaries(rowsOf(order, ...sold))).toEqual([row])
    expect(summaries(rowsWith(1n, order, ...sold))).toEqual([row])
  })

  it('changes no row where the signer gave or got something', () => {
    for (const steps of [[moved(TOK, THEM, BUNDLER, 5n)], [moved(TOK, BUNDLER, THEM, 5n)]]) {
      expect(summaries(rowsOf(order, ...sold, ...steps))).toEqual(summaries(rowsOf(...sold, ...steps)))
    }
    expect(summaries(rowsWith(CENT, order, ...sold))).toEqual(summaries(rowsWith(CENT, ...sold)))
    const logged = [...sold, coins(THEM, BUNDLER, CENT)]
    expect(summaries(rowsOf(order, ...logged))).toEqual(summaries(rowsOf(...logged)))
  })

  it('is its maker’s trade beside a mint', () => {
    expect(summaries(rowsOf(order, moved(TOK, at(''), THEM, 5n), ...sold))).toEqual([[ME, 1_000n * UNIT, 49n * CENT]])
  })

  it('changes no row where somebody else gave a token, too', () => {
    // An aggregator's user sold both through the pool and to the maker.
    const steps = [moved(TOK, YOU, THEM, 5n)]
    expect(summaries(rowsOf(order, ...steps, ...sold))).toEqual([[null, POOLS, 49n * CENT]])
  })

  it('is a part of the trade of an account that another settlement names', () => {
    expect(summaries(rowsOf(order, ...sold, filled(YOU)))).toEqual(summaries(rowsOf(...sold, filled(YOU))))
  })
})

it('a resolver may fill limit orders of several makers', () => {
  const paid = [moved(USDC, YOU, DEEP, 500n * UNIT), moved(USDC, ME, DEEP, 500n * UNIT)]
  const got = [moved(WETH, DEEP, YOU, 25n * CENT), moved(WETH, DEEP, ME, 25n * CENT)]
  const swaps = [swap(DEEP, 1_000n * UNIT, -50n * CENT)]
  expect(summaries(rowsOf(limitOrder(ME), limitOrder(YOU), ...paid, ...got, ...swaps))).toEqual([
    [ME, 500n * UNIT, 25n * CENT],
    [YOU, 500n * UNIT, 25n * CENT],
  ])
  expect(summaries(rowsOf(limitOrder(ME), ...paid, ...got, ...swaps)).map(([account]) => account)).toEqual([null])
})

it('a limit order of V6 is its maker’s, also if somebody else was paid', () => {
  const paid = [moved(USDC, ME, DEEP, 1_000n * UNIT), moved(WETH, DEEP, THEM, 50n * CENT)]
  const swapped = swap(DEEP, 1_000n * UNIT, -50n * CENT)
  expect(summaries(rowsOf(...paid, swapped, limitOrderOfV6))).toEqual([[ME, 1_000n * UNIT, 50n * CENT]])
})

// The user's own token goes to the maker, and the pool takes what the maker gave.
it('a limit order is no maker’s swap if the user gave something before', () => {
  const taken = [moved(LISTED, YOU, THEM, 5n), moved(LISTED, THEM, ME, 5n), moved(USDC, ME, DEEP, 1_000n * UNIT)]
  const swapped = [moved(WETH, DEEP, at('7a'), 50n * CENT), swap(DEEP, 1_000n * UNIT, -50n * CENT)]
  expect(summaries(rowsOf(limitOrder(ME), ...taken, ...swapped))).toEqual([[null, 1_000n * UNIT, 50n * CENT]])
})

const ETHER = 100n * CENT
const [RESOLVER, STOCK, VAULT] = [at('4e5'), at('57'), at('7a')]
const unwrapped = (amount: bigint, by = RESOLVER) => logOf(WETH, 'Withdrawal(address,uint256)', [by], [amount])
const textOf = ({ settledFor, sell, buy, flags }: ReturnType<typeof rowsOf>[number]) => [
  settledFor,
  ...[sell, buy].map(({ token, amount, native }) => `${amount} ${native ? 'coins' : token}`),
  (flags & FLAG_PARTIAL) !== 0,
]

/**
 *  Fills of several orders, one within the other. Each maker gives its token first, and is paid in coins at the end:
 *
 *    TOK   ME  -> resolver   100
 *    TOK   YOU -> resolver   300
 *    TOK   resolver -> pool  400     WETH  pool -> resolver   4
 *    WETH  unwrapped   2.9           paid to YOU
 *    WETH  unwrapped   0.95          paid to ME
 */
describe('makers that are paid in coins', () => {
  const gives = (maker: Address, amount: bigint) => moved(TOK, maker, RESOLVER, amount)
  const sale = [
    moved(TOK, RESOLVER, SIDE, 400n),
    moved(WETH, SIDE, RESOLVER, 4n * ETHER),
    swap(SIDE, 400n, -4n * ETHER),
  ]
  const [paysMe, paysYou] = [unwrapped(95n * CENT), unwrapped(290n * CENT)]
  const rows = [
    [ME, `100 ${TOK}`, `${95n * CENT} coins`, false],
    [YOU, `300 ${TOK}`, `${290n * CENT} coins`, false],
  ]
  const inOrder = (...steps: Steps) =>
    rowsOf(...steps)
      .map(textOf)
      .toSorted((a, b) => (String(a) < String(b) ? -1 : 1))

  it.each<[string, Steps]>([
    ['V5', [limitOrder(ME), gives(ME, 100n), limitOrder(YOU), gives(YOU, 300n), ...sale, paysYou, paysMe]],
    ['V6', [gives(ME, 100n), gives(YOU, 300n), ...sale, paysYou, limitOrderOfV6, paysMe, limitOrderOfV6]],
  ])('have the coins of the fill that began last (%s)', (_, steps) => {
    expect(inOrder(...steps)).toEqual(rows)
  })

  it('have the coins that follow their own sale', () => {
    const steps = [limitOrder(ME), gives(ME, 100n), ...sale, paysMe, limitOrder(YOU), gives(YOU, 300n), paysYou]
    expect(inOrder(...steps)).toEqual(rows)
  })

  it('have the pools’ amounts if a withdrawal is another’s, or far from these', () => {
    const steps = [limitOrder(ME), gives(ME, 100n), limitOrder(YOU), gives(YOU, 300n), ...sale, paysYou]
    for (const other of [[], [paysMe, paysMe], [unwrapped(70n * CENT)]]) {
      expect(inOrder(...steps, ...other).map((row) => row[2])).not.toContain(`${95n * CENT} coins`)
    }
  })

  it('are found beside a maker that is paid in the wrapper', () => {
    const paidMe = [moved(WETH, RESOLVER, ME, 95n * CENT), limitOrderOfV6]
    const steps = [gives(ME, 100n), gives(YOU, 300n), ...sale, ...paidMe, paysYou, limitOrderOfV6]
    expect(inOrder(...steps)).toEqual([[ME, `100 ${TOK}`, `${95n * CENT} ${WETH}`, false], rows[1]])
  })

  it('are not told apart if another settlement filled both', () => {
    const steps = [gives(ME, 100n), gives(YOU, 300n), ...sale, paysYou, paysMe, filled(ME), filled(YOU)]
    expect(inOrder(...steps).map((row) => row[2])).not.toContain(`${95n * CENT} coins`)
  })
})

describe('a limit order that a stock filled', () => {
  const gives = (maker: Address) => moved(WETH, maker, RESOLVER, ETHER)
  const pays = (maker: Address) => moved(USDC, RESOLVER, maker, 1_990n * UNIT)
  const ofMaker = (maker: Address) => [maker, `${ETHER} ${WETH}`, `${1_990n * UNIT} ${USDC}`, false]

  it.each<[string, Steps]>([
    ['V5', [limitOrder(ME), gives(ME), pays(ME)]],
    ['V6', [gives(ME), pays(ME), limitOrderOfV6]],
    ['V6, out of a vault', [moved(USDC, VAULT, RESOLVER, 1_990n * UNIT), gives(ME), pays(ME), limitOrderOfV6]],
    [
      'V6, with a fee',
      [
        gives(ME),
        moved(USDC, STOCK, RESOLVER, 2_000n * UNIT),
        moved(USDC, RESOLVER, VAULT, 10n * UNIT),
        pays(ME),
        limitOrderOfV6,
      ],
    ],
  ])('is the maker’s row (%s)', (_, steps) => {
    expect(rowsOf(...steps).map(textOf)).toEqual([ofMaker(ME)])
  })

  it('of V6 has at most the coins that were unwrapped before its event', () => {
    const steps = [moved(USDC, ME, RESOLVER, 1_990n * UNIT), unwrapped(ETHER), limitOrderOfV6]
    const row = [ME, `${1_990n * UNIT} ${USDC}`, `${ETHER} coins`, true]
    expect(rowsOf(...steps).map(textOf)).toEqual([row])
    expect(rowsOf(moved(WETH, STOCK, RESOLVER, ETHER), ...steps).map(textOf)).toEqual([row])
  })

  it('is one of several', () => {
    const steps = [gives(ME), pays(ME), limitOrderOfV6, gives(YOU), pays(YOU), limitOrderOfV6]
    expect(rowsOf(...steps).map(textOf)).toEqual([ofMaker(ME), ofMaker(YOU)])
  })

  it('is no row if only the tokens’ own events show it, or another contract emits the event', () => {
    const forged = { ...limitOrderOfV6, address: TOK }
    expect(rowsOf(gives(ME), pays(ME), forged)).toEqual([])
    expect(rowsOf(moved(TOK, ME, RESOLVER, 5n), pays(ME), limitOrderOfV6)).toEqual([])
    expect(rowsOf(gives(ME), moved(TOK, RESOLVER, ME, 5n), limitOrderOfV6)).toEqual([])
  })
})

describe('a limit order that a stock filled beside a pool', () => {
  const filledByPool = [
    moved(USDC, ME, RESOLVER, 1_000n * UNIT),
    moved(USDC, RESOLVER, DEEP, 1_000n * UNIT - KEPT),
    moved(WETH, DEEP, RESOLVER, 50n * CENT),
  ]
  const swaps = swap(DEEP, 1_000n * UNIT - KEPT, -50n * CENT)
  const paysMe = moved(WETH, RESOLVER, ME, 49n * CENT)
  const ofStock = [moved(LISTED, YOU, RESOLVER, 5n), moved(TOK, STOCK, YOU, 7n)]
  const rowOfMine = [ME, `${1_000n * UNIT} ${USDC}`, `${49n * CENT} ${WETH}`, false]

  it.each<[string, Steps]>([
    ['V5', [limitOrder(ME), ...filledByPool, swaps, paysMe, limitOrder(YOU), ...ofStock]],
    ['V6', [...filledByPool, swaps, paysMe, limitOrderOfV6, ...ofStock, limitOrderOfV6]],
  ])('takes no row from another maker (%s)', (_, steps) => {
    expect(rowsOf(...steps).map(textOf)[0]).toEqual(rowOfMine)
  })

  // Who fills an order of its own and then a stranger's swap does not become the stranger's account.
  it('names nobody else’s swap', () => {
    const stranger = [
      moved(USDC, VAULT, DEEP, 1_000n * UNIT),
      moved(WETH, DEEP, VAULT, 50n * CENT),
      swap(DEEP, 1_000n * UNIT, -50n * CENT),
    ]
    for (const paid of [TOK, USDC]) {
      const forged = [limitOrder(ME), moved(JUNK, ME, RESOLVER, 5n), moved(paid, STOCK, ME, 7n)]
      expect(rowsOf(...forged, ...stranger).map(({ settledFor }) => settledFor)).toEqual([null])
    }
  })

  it.each<[string, Steps]>([
    ['pays with the token of the fill', [moved(JUNK, ME, RESOLVER, 5n), moved(USDC, STOCK, ME, 7n)]],
    ['took what a maker gave', [moved(JUNK, ME, VAULT, 5n), moved(USDC, VAULT, ME, 7n)]],
  ])('names nobody else’s swap for a little money, also if that account %s', (_, fill) => {
    const stranger = [
      moved(USDC, VAULT, DEEP, 1_000n * UNIT),
      moved(WETH, DEEP, THEM, 50n * CENT),
      swap(DEEP, 1_000n * UNIT, -50n * CENT),
    ]
    expect(rowsOf(limitOrder(ME), ...fill, ...stranger).map(({ settledFor }) => settledFor)).toEqual([null])
  })

  it('may have a fee of the stock', () => {
    const fee = [moved(TOK, STOCK, THEM, 1n)]
    const steps = [...filledByPool, swaps, paysMe, limitOrderOfV6, ...ofStock, limitOrderOfV6]
    expect(rowsOf(...steps, ...fee).map(textOf)[0]).toEqual(rowOfMine)
  })
})

describe('a limit order that the signer filled without a pool', () => {
  const taken = [moved(USDC, BUNDLER, ME, 2_000n * UNIT), moved(WETH, ME, BUNDLER, ETHER)]
  const row = [null, `${2_000n * UNIT} ${USDC}`, `${ETHER} ${WETH}`, false]

  it.each<[string, Steps]>([
    ['V5', [limitOrder(ME), ...taken]],
    ['V6', [...taken, limitOrderOfV6]],
    ['a request of V5', [...taken, requestFilled]],
  ])('is the signer’s row (%s)', (_, steps) => {
    expect(rowsOf(...steps).map(textOf)).toEqual([row])
  })

  it('may be paid in coins, of which some came back, or pay coins', () => {
    const wrapped = logOf(WETH, 'Deposit(address,uint256)', [RESOLVER], [ETHER])
    const bought = [moved(USDC, ME, BUNDLER, 2_000n * UNIT), wrapped, moved(WETH, RESOLVER, ME, ETHER), limitOrderOfV6]
    const inCoins = [null, `${ETHER} coins`, `${2_000n * UNIT} ${USDC}`, false]
    expect(rowsWith(ETHER + CENT, ...bought).map(textOf)).toEqual([inCoins])
    expect(rowsWith(CENT, ...bought)).toEqual([])
    const sold = [moved(WETH, ME, RESOLVER, ETHER), unwrapped(ETHER), moved(USDC, BUNDLER, ME, 2_000n * UNIT)]
    const forCoins = [null, `${2_000n * UNIT} ${USDC}`, `${ETHER} coins`, true]
    expect(rowsOf(...sold, limitOrderOfV6).map(textOf)).toEqual([forCoins])
  })

  it('is a row of the account whose operation filled it', () => {
    const ofAccount = [moved(USDC, YOU, ME, 2_000n * UNIT), moved(WETH, ME, YOU, ETHER)]
    expect(rowsOf(begun, ...ofAccount, limitOrderOfV6, operation(YOU)).map(textOf)).toEqual([[YOU, ...row.slice(1)]])
    expect(rowsOf(begun, ...ofAccount, operation(YOU))).toEqual([])
  })

  it('is no row of an account whose operation only lies beside it', () => {
    const dust = [moved(LISTED, ME, RESOLVER, 5n), moved(JUNK, RESOLVER, ME, 7n), limitOrderOfV6]
    const transfers = [moved(WETH, YOU, THEM, ETHER), moved(USDC, STOCK, YOU, 2_000n * UNIT)]
    expect(rowsOf(begun, ...transfers, ...dust, operation(YOU))).toEqual([])
  })

  it('is no row of an account whose other transfers are worth more than the fill', () => {
    const fill = (account: Address) => [moved(WETH, account, ME, 5n), moved(USDC, ME, account, 7n), limitOrderOfV6]
    const transfers = (account: Address) => [moved(WETH, account, THEM, ETHER), moved(USDC, STOCK, account, UNIT)]
    expect(rowsOf(begun, ...transfers(YOU), ...fill(YOU), operation(YOU))).toEqual([])
    expect(rowsOf(...transfers(BUNDLER), ...fill(BUNDLER))).toEqual([])
  })

  it('is a row if several makers filled it, also less a fee', () => {
    const half = (maker: Address) => [
      moved(USDC, BUNDLER, maker, 1_000n * UNIT),
      moved(WETH, maker, BUNDLER, ETHER / 2n),
    ]
    const fee = moved(USDC, BUNDLER, THEM, 100n * UNIT)
    expect(rowsOf(...half(ME), limitOrderOfV6, ...half(YOU), limitOrderOfV6, fee).map(textOf)).toEqual([
      [null, `${2_100n * UNIT} ${USDC}`, `${ETHER} ${WETH}`, false],
    ])
  })

  it('is no row without a maker that gave and got these tokens', () => {
    const [given, got] = [moved(USDC, BUNDLER, STOCK, 2_000n * UNIT), moved(WETH, ME, BUNDLER, ETHER)]
    expect(rowsOf(given, got, limitOrderOfV6)).toEqual([])
  })

  it('is no row of a token that only its own events show, or with an event of another contract', () => {
    const forged = { ...requestFilled, address: TOK }
    expect(rowsOf(...taken, forged)).toEqual([])
    expect(rowsOf(moved(TOK, BUNDLER, ME, 5n), moved(WETH, ME, BUNDLER, ETHER), limitOrderOfV6)).toEqual([])
  })
})

it('a log of another shape is no order of V6', () => {
  const { address } = limitOrderOfV6
  const short = logOf(address, 'OrderFilled(bytes32,uint256)', [], [1n])
  expect(summaries(rowsOf(short, ...sold))).toEqual([[null, POOLS, 49n * CENT]])
  expect(summaries(rowsOf({ ...limitOrderOfV6, address: TOK }, ...sold))).toEqual([[null, POOLS, 49n * CENT]])
})
