import { expect, test } from 'vitest'
import { cutLists } from './cut-lists.ts'

const transaction = { blockHash: '0xb1', from: '0xa1', hash: '0x01', value: '0x0', type: '0x2', accessList: [] }
const other = { ...transaction, from: '0xa2', hash: '0x02', input: '0x1234' }
const nested = { ...transaction, hash: '0x03', accessList: [{ address: '0xaa', storageKeys: ['0x00'] }] }
const response = (...blocks: unknown[]) => JSON.stringify(blocks.map((result, id) => ({ jsonrpc: '2.0', id, result })))

test('what is left is the response with the number of each list', () => {
  const cut = cutLists(
    response({ number: '0x1', transactions: [transaction, other], uncles: [] }, { transactions: [nested] }),
  )
  expect(cut?.text).toBe(response({ number: '0x1', transactions: 0, uncles: [] }, { transactions: 1 }))
  expect(cut?.lists.map((list) => Array.from({ length: list.count }, (_, i) => list.parseOne(i)))).toEqual([
    [transaction, other],
    [nested],
  ])
})

test('fields are read from the text of the right transaction', () => {
  const [list] = cutLists(response({ transactions: [transaction, other, { hash: '0x04', from: null }] }))?.lists ?? []
  expect([0, 1, 2].map((i) => list?.field(i, 'from'))).toEqual(['0xa1', '0xa2', undefined])
  expect([0, 1, 2].map((i) => list?.field(i, 'type'))).toEqual(['0x2', '0x2', undefined])
  expect(list?.fieldIs(1, 'hash', '0x02')).toBe(true)
  expect(list?.fieldIs(1, 'hash', '0x0')).toBe(false)
  expect(list?.fieldIs(0, 'hash', '0x02')).toBe(false)
})

test('fields of a transaction that holds other objects need a parser', () => {
  const [list] = cutLists(response({ transactions: [nested] }))?.lists ?? []
  expect(list?.field(0, 'from')).toBeUndefined()
})

test('a list of logs is taken out too, and can be read whole', () => {
  const logs = [{ blockNumber: '0x1' }, { blockNumber: '0x2' }]
  const cut = cutLists(
    JSON.stringify([
      { id: 1, result: logs },
      { id: 2, result: { transactions: [transaction] } },
    ]),
  )
  expect(cut?.text).toBe('[{"id":1,"result":0},{"id":2,"result":{"transactions":1}}]')
  expect(cut?.lists[0]?.parse()).toEqual(logs)
  expect(cut?.lists[0]?.field(1, 'blockNumber')).toBe('0x2')
})

test.each([
  ['no transactions', response({ transactions: [] }, { transactions: ['0x01'] })],
  ['spaces', JSON.stringify({ result: { transactions: [transaction] } }, null, 1)],
  ['an escape', response({ transactions: [{ ...transaction, input: 'a"b' }] })],
  ['a brace inside a text', response({ transactions: [{ ...transaction, input: '{' }] })],
  ['its end missing', response({ transactions: [transaction, other] }).slice(0, -20)],
])('a response with %s is left to the parser', (_, text) => {
  expect(cutLists(text)).toBeNull()
})
