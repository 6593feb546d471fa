import { LIQUIDITY_COLUMNS, type StoredRow, TRADE_COLUMNS } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { compareRows } from './range-checker.ts'

function trade(blockNumber: number, position = 0, changes: Record<string, string | null> = {}): StoredRow {
  const values = TRADE_COLUMNS.map((name) => (name in changes ? (changes[name] ?? null) : `${name} ${blockNumber}`))
  return { blockNumber, transactionIndex: 0, position, values }
}

const kinds = (stored: StoredRow[], chain: StoredRow[]) =>
  compareRows('trade', stored, chain).map(({ kind, blockNumber, position }) => `${kind} ${blockNumber}/${position}`)

test('equal lists have no differences', () => {
  expect(kinds([], [])).toEqual([])
  expect(kinds([trade(1), trade(2)], [trade(1), trade(2)])).toEqual([])
})

test('a trade on only one side is missing or extra, wherever its place', () => {
  expect(kinds([trade(2)], [trade(1), trade(2), trade(3)])).toEqual(['missing 1/0', 'missing 3/0'])
  expect(kinds([trade(1), trade(2), trade(3)], [trade(2)])).toEqual(['extra 1/0', 'extra 3/0'])
  expect(kinds([trade(1, 0)], [trade(1, 1)])).toEqual(['extra 1/0', 'missing 1/1'])
})

test('of two trades at one place, one is extra', () => {
  expect(kinds([trade(1), trade(1, 0, { block_time: 'later' })], [trade(1)])).toEqual(['extra 1/0'])
})

test('every column counts, and unknown is not zero', () => {
  for (const name of TRADE_COLUMNS) {
    const [difference] = compareRows('trade', [trade(1, 0, { [name]: null })], [trade(1)])
    expect(difference).toMatchObject({ kind: 'changed', columns: [{ name, stored: null, chain: `${name} 1` }] })
  }
  expect(kinds([trade(1, 0, { volume_usd: '0.00000000' })], [trade(1, 0, { volume_usd: null })])).toEqual([
    'changed 1/0',
  ])
})

test('every column of a liquidity event counts', () => {
  const values: readonly string[] = LIQUIDITY_COLUMNS
  const event = { blockNumber: 1, transactionIndex: 2, position: 3, values }
  for (const [index, name] of LIQUIDITY_COLUMNS.entries()) {
    const [difference] = compareRows('liquidity', [{ ...event, values: values.with(index, 'other') }], [event])
    expect(difference).toMatchObject({ row: 'liquidity', kind: 'changed', columns: [{ name, stored: 'other' }] })
  }
})
