import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { cutLists } from './cut-lists.ts'
import { readFullBlock, readHeader, readTransaction } from './rpc-block.ts'

const FIXTURES = new URL('../../test/fixtures/', import.meta.url)
const FILES = readdirSync(FIXTURES).filter((name) => name.endsWith('.json.gz'))

/** Returns a recorded block as parsed JSON, and with its transactions as text in a response. */
function recorded(name: string) {
  const { block } = JSON.parse(gunzipSync(readFileSync(new URL(name, FIXTURES))).toString())
  const [texts] = cutLists(JSON.stringify({ id: 1, result: block }))?.lists ?? []
  if (texts === undefined) throw new Error('no transactions were found')
  return { parsed: readFullBlock(block), asText: readFullBlock({ ...block, transactions: texts }) }
}

it.each(FILES)('the transactions of %s are the same out of their text', (name) => {
  const { parsed, asText } = recorded(name)
  expect(parsed?.transactions().length).toBeGreaterThan(0)
  expect(asText?.transactions()).toEqual(parsed?.transactions())
})

it('a transaction whose fields are not texts is parsed, and one without a hash is an error', () => {
  const header = { number: '0x1', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}`, timestamp: '0x5' }
  const own = { hash: `0x${'3'.repeat(64)}`, from: null, value: '0x7' }
  const block = (transactions: unknown[]) => {
    const [texts] = cutLists(JSON.stringify({ id: 1, result: { ...header, transactions } }))?.lists ?? []
    return readFullBlock({ ...header, transactions: texts })
  }
  const sent = { ...own, from: `0x${'A'.repeat(40)}` }
  expect(block([own, sent])?.transactions()).toEqual([
    { hash: own.hash, from: null, value: 0n },
    { hash: own.hash, from: `0x${'a'.repeat(40)}`, value: 7n },
  ])
  expect(() => block([{ ...own, hash: null }])?.transactions()).toThrow('transaction.hash')
})

it.each([null, undefined, `0x${'0'.repeat(40)}`])('a transaction with %s as sender has no signer', (from) => {
  const hash = `0x${'3'.repeat(64)}` as const
  expect(readTransaction({ hash, from, value: '0x0', type: '0x0' }, hash)).toEqual({ hash, from: null, value: 0n })
})

it.each<[string, object, boolean]>([
  ['both fields that its fork appended', { blockAccessListHash: `0x${'4'.repeat(64)}`, slotNumber: '0x0' }, true],
  ['one of them', { blockAccessListHash: `0x${'4'.repeat(64)}` }, false],
  ['the other one', { slotNumber: '0x9' }, false],
  ['both, one of them empty', { blockAccessListHash: null, slotNumber: '0x9' }, false],
  ['neither', {}, false],
])('a header with %s is of a block that logs ether: %s', (_, fields, logsEther) => {
  const header = { number: '0x1', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}`, timestamp: '0x5' }
  const read = [readHeader({ ...header, ...fields }), readFullBlock({ ...header, ...fields, transactions: [] })?.header]
  for (const each of read) expect(each?.logsEther).toBe(logsEther ? true : undefined)
  if (!logsEther) expect(read[0]).not.toHaveProperty('logsEther')
})
