import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { expectedRowsOf, rowsOf } from './compare-rows.ts'
import { type Name, type TokenName, turnsFrom } from './made-world.ts'
import { MOST, randomFills, randomReceipt } from './random-receipt.ts'
import { ReceiptWriter } from './receipt-writer.ts'
import { type Row, textOfRow } from './row-text.ts'

/**
 *  random steps --> receipt --toTrades--------------> rows
 *                       `---- docs/internals/trades.md --> the same rows
 */
const RUNS = 200 * inject('scale')
const MAX_SKIPPED = 10

function isPlain({ isOwn, hops }: Row, { ownSwaps }: ReceiptWriter): boolean {
  return !isOwn || hops.every(({ logIndex }) => ownSwaps.has(logIndex))
}

type Sent = [token: TokenName, account: Name, amount: bigint]

/** An account pays a pair, which pays another. */
function swapIn(receipt: ReceiptWriter, pair: Name, [sold, from, amountIn]: Sent, [bought, to, amountOut]: Sent): void {
  const isFirst = turnsFrom(sold).some((turn) => turn.pool === pair && turn.isFirst)
  receipt.transfer(sold, from, pair, amountIn)
  receipt.transfer(bought, pair, to, amountOut)
  receipt.pairSwap(pair, isFirst, amountIn, amountOut, to)
}

function agreedRows(receipt: ReceiptWriter): Row[] {
  const rows = rowsOf(receipt)
  expect(rows.map(textOfRow)).toEqual(expectedRowsOf(receipt).map(textOfRow))
  return rows
}

test.each([
  ['any receipt', randomReceipt, RUNS],
  ['fills of orders', randomFills, RUNS / 4],
])('the ends of trades follow docs/internals/trades.md for %s', (_, receipts, numRuns) => {
  const agrees = fc.property(receipts, (receipt) => {
    const [rows, expected] = [rowsOf(receipt), expectedRowsOf(receipt)]
    fc.pre([...rows, ...expected].every((row) => isPlain(row, receipt)))
    const [actual, required] = [rows.map(textOfRow).join('\n'), expected.map(textOfRow).join('\n')]
    if (actual === required) return
    const text = [
      `coins sent along: ${receipt.value}, logged: ${receipt.logsCoins}`,
      ...receipt.story,
      'rows:',
      actual,
      'expected:',
      required,
    ]
    throw new Error(text.join('\n'))
  })
  const { failed, errorInstance, seed } = fc.check(agrees, { numRuns, maxSkipsPerRun: MAX_SKIPPED })
  const { message } = (errorInstance ?? {}) as { message?: string }
  expect(failed ? `seed ${seed}\n${message}` : '').toBe('')
})

// The trader sent coins for something else.
test('coins are not traded for their own wrapper', () => {
  const receipt = new ReceiptWriter()
  receipt.value = 700n
  swapIn(receipt, 'wethAaa', ['AAA', 'bob', 100n], ['WETH', 'trader', 51n])
  agreedRows(receipt)
})

// No tax is taken in the wrapped coin.
test('coins that are wrapped and sold beside the wrapped coin are the trader’s', () => {
  const receipt = new ReceiptWriter()
  receipt.value = 100n
  swapIn(receipt, 'wethAaa', ['WETH', 'trader', 100n], ['AAA', 'trader', 201n])
  receipt.wrap('router', 100n)
  swapIn(receipt, 'wethAaa', ['WETH', 'router', 100n], ['AAA', 'trader', 201n])
  expect(agreedRows(receipt).map(({ isOwn }) => isOwn)).toEqual([false])
})

// Found by a random run: neither sale is the trader's own.
test('an account that pays more than it received pays from its own tokens', () => {
  for (const [given, isOwn] of [
    [200n, false],
    [201n, true],
  ] as const) {
    const receipt = new ReceiptWriter()
    receipt.transfer('WETH', 'trader', 'darkVenue', 100n)
    receipt.transfer('CCC', 'darkVenue', 'router', given)
    swapIn(receipt, 'cccBbb', ['CCC', 'maker', 74n], ['BBB', 'router2', 148n])
    swapIn(receipt, 'cccBbb', ['CCC', 'router', 223n], ['BBB', 'trader', 447n])
    expect(agreedRows(receipt).some((row) => row.isOwn)).toBe(isOwn)
  }
})

// Found by a random run (seed 1324796287). The fee's route joins the sale.
test('joined routes are worth their sum, also where the account bought another token', () => {
  const receipt = new ReceiptWriter()
  receipt.transfer('TAX', 'trader', 'router', 100n)
  swapIn(receipt, 'bbbTax', ['TAX', 'router', 3n], ['BBB', 'treasury', 2n])
  swapIn(receipt, 'wethTax', ['TAX', 'router', 97n], ['WETH', 'router', 49n])
  receipt.unwrap('router', 49n)
  receipt.transfer('TAX', 'alice', 'cow', 100n)
  receipt.transfer('AAA', 'cow', 'alice', 200n)
  receipt.settle('uniswapx', 'alice', 'uniswapx', true)
  expect(agreedRows(receipt).map(({ routes = [] }) => routes.length)).toEqual([2])
})

// Found by a random run (seed 823760290).
test('a fee does not join a route if the account got impossibly many coins', () => {
  for (const [coins, routes] of [
    [MOST - 51n, 1],
    [MOST - 50n, 2],
  ] as const) {
    const receipt = new ReceiptWriter('all')
    receipt.coins('maker', 'trader', coins)
    receipt.transfer('WETH', 'maker', 'trader', 51n)
    swapIn(receipt, 'aaaBbb', ['AAA', 'trader', 201n], ['BBB', 'router', 403n])
    swapIn(receipt, 'bbbTax', ['BBB', 'router', 4n], ['TAX', 'treasury', 9n])
    receipt.transfer('BBB', 'router', 'trader', 399n)
    expect(agreedRows(receipt)).toHaveLength(routes)
  }
})

// Found by a random run (seed -1459479820). Two items went, one came back.
test('an account to which less of an item came back has items', () => {
  const receipt = new ReceiptWriter()
  receipt.item('1155', 'other', 'trader')
  receipt.item('721', 'trader', 'other')
  swapIn(receipt, 'wethAaa', ['WETH', 'other', 100n], ['AAA', 'cow', 201n])
  receipt.transfer('AAA', 'cow', 'other', 198n)
  receipt.order('other', ['WETH', 0n], ['AAA', 198n])
  expect(agreedRows(receipt)[0]?.buy.amount).toBe(201n)
})

// Found by a random run.
test('an order before an operation comes before the orders in it', () => {
  const receipt = new ReceiptWriter()
  receipt.value = 50n
  receipt.transfer('WETH', 'alice', 'cow', 100n)
  receipt.transfer('AAA', 'cow', 'alice', 200n)
  receipt.order('alice', ['WETH', 100n], ['AAA', 200n])
  receipt.begin()
  receipt.settle('augustusBuy', 'trader', 'augustus', true)
  receipt.settle('entryPoint', 'alice', 'entryPoint', true)
  expect(agreedRows(receipt).map(({ sell }) => sell.amount)).toEqual([100n, 99n])
})

test('the example of docs/internals/trades.md gives the row that the page states', () => {
  const receipt = new ReceiptWriter()
  swapIn(receipt, 'wethAaa', ['AAA', 'trader', 1_000n], ['WETH', 'wethTax', 250n])
  receipt.transfer('TAX', 'wethTax', 'trader', 49_000n)
  receipt.transfer('TAX', 'wethTax', 'TAX', 1_000n)
  receipt.pairSwap('wethTax', true, 250n, 50_000n, 'trader')
  expect(rowsOf(receipt)).toMatchObject([
    {
      sell: { amount: 1_000n },
      buy: { amount: 49_000n },
      throughPools: { sell: { amount: 1_000n }, buy: { amount: 50_000n } },
      differs: false,
    },
  ])
})
