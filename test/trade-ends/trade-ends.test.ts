import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { expectedRowsOf, rowsOf } from './compare-rows.ts'
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
  receipt.transfer('AAA', 'bob', 'wethAaa', 100n)
  receipt.transfer('WETH', 'wethAaa', 'trader', 51n)
  receipt.pairSwap('wethAaa', false, 100n, 51n, 'trader')
  agreedRows(receipt)
})

// No tax is taken in the wrapped coin.
test('coins that are wrapped and sold beside the wrapped coin are the trader’s', () => {
  const receipt = new ReceiptWriter()
  receipt.value = 100n
  receipt.transfer('WETH', 'trader', 'wethAaa', 100n)
  receipt.transfer('AAA', 'wethAaa', 'trader', 201n)
  receipt.pairSwap('wethAaa', true, 100n, 201n, 'trader')
  receipt.wrap('router', 100n)
  receipt.transfer('WETH', 'router', 'wethAaa', 100n)
  receipt.transfer('AAA', 'wethAaa', 'trader', 201n)
  receipt.pairSwap('wethAaa', true, 100n, 201n, 'trader')
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
    receipt.transfer('CCC', 'maker', 'cccBbb', 74n)
    receipt.transfer('BBB', 'cccBbb', 'router2', 148n)
    receipt.pairSwap('cccBbb', true, 74n, 148n, 'router2')
    receipt.transfer('CCC', 'router', 'cccBbb', 223n)
    receipt.transfer('BBB', 'cccBbb', 'trader', 447n)
    receipt.pairSwap('cccBbb', true, 223n, 447n, 'trader')
    expect(agreedRows(receipt).some((row) => row.isOwn)).toBe(isOwn)
  }
})

// Found by a random run (seed 1324796287). The fee's route joins the sale.
test('joined routes are worth their sum, also where the account bought another token', () => {
  const receipt = new ReceiptWriter()
  receipt.transfer('TAX', 'trader', 'router', 100n)
  receipt.transfer('TAX', 'router', 'bbbTax', 3n)
  receipt.transfer('BBB', 'bbbTax', 'treasury', 2n)
  receipt.pairSwap('bbbTax', false, 3n, 2n, 'treasury')
  receipt.transfer('TAX', 'router', 'wethTax', 97n)
  receipt.transfer('WETH', 'wethTax', 'router', 49n)
  receipt.pairSwap('wethTax', false, 97n, 49n, 'router')
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
    receipt.transfer('AAA', 'trader', 'aaaBbb', 201n)
    receipt.transfer('BBB', 'aaaBbb', 'router', 403n)
    receipt.pairSwap('aaaBbb', true, 201n, 403n, 'router')
    receipt.transfer('BBB', 'router', 'bbbTax', 4n)
    receipt.transfer('TAX', 'bbbTax', 'treasury', 9n)
    receipt.pairSwap('bbbTax', true, 4n, 9n, 'treasury')
    receipt.transfer('BBB', 'router', 'trader', 399n)
    expect(agreedRows(receipt)).toHaveLength(routes)
  }
})

// Found by a random run (seed -1459479820). Two items went, one came back.
test('an account to which less of an item came back has items', () => {
  const receipt = new ReceiptWriter()
  receipt.item('1155', 'other', 'trader')
  receipt.item('721', 'trader', 'other')
  receipt.transfer('WETH', 'other', 'wethAaa', 100n)
  receipt.transfer('AAA', 'wethAaa', 'cow', 201n)
  receipt.pairSwap('wethAaa', true, 100n, 201n, 'cow')
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
  receipt.transfer('AAA', 'trader', 'wethAaa', 1_000n)
  receipt.transfer('WETH', 'wethAaa', 'wethTax', 250n)
  receipt.pairSwap('wethAaa', false, 1_000n, 250n, 'wethTax')
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
