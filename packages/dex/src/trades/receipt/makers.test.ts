import { describe, expect, it } from 'vitest'
import {
  BUNDLER,
  CENT,
  DEEP,
  filled,
  limitOrder,
  limitOrderOfV6,
  logOf,
  ME,
  moved,
  rowsOf,
  rowsWith,
  type Steps,
  swap,
  THEM,
  TOK,
  UNIT,
  USDC,
  WETH,
  YOU,
} from '../../../test/trades/settled-receipt.ts'

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
  })

  it('changes no row where somebody else gave a token, too', () => {
    // An aggregator's user sold both through the pool and to the maker.
    const steps = [moved(TOK, YOU, THEM, 5n)]
    expect(summaries(rowsOf(order, ...sold, ...steps))).toEqual([[null, POOLS, 49n * CENT]])
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

it('a log of another shape is no order of V6', () => {
  const { address } = limitOrderOfV6
  const short = logOf(address, 'OrderFilled(bytes32,uint256)', [], [1n])
  expect(summaries(rowsOf(short, ...sold))).toEqual([[null, POOLS, 49n * CENT]])
  expect(summaries(rowsOf({ ...limitOrderOfV6, address: TOK }, ...sold))).toEqual([[null, POOLS, 49n * CENT]])
})
