import type { Hex } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { cutLists, ObjectTexts } from '../json-rpc/cut-lists.ts'
import { readReplies } from '../json-rpc/messages.ts'
import { readFullBlock } from '../json-rpc/rpc-block.ts'
import type { PlacedLog } from '../json-rpc/rpc-log.ts'
import { MalformedResponse } from '../json-rpc/rpc-value.ts'
import { assembleBlock } from './assemble-block.ts'

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const SENDER: Hex = '0x00000000000000000000000000000000000000bb'
const transaction = (n: number, more: object = {}) => ({
  hash: hash(n),
  from: SENDER,
  value: '0x7',
  transactionIndex: '0x0',
  ...more,
})
const header = { number: '0x5', hash: hash(5), parentHash: hash(4), timestamp: '0x64' }

function block(transactions: unknown) {
  const full = readFullBlock({ ...header, transactions })
  if (!full) throw new Error('no block')
  return full
}

function log(transactionIndex: number, txHash: Hex, logIndex = 0): PlacedLog {
  return {
    address: '0x00000000000000000000000000000000000000aa',
    topics: [hash(1)],
    data: '0x',
    transactionIndex,
    logIndex,
    blockNumber: 5,
    blockHash: hash(5),
    transactionHash: txHash,
  }
}

const inconsistent = (what: string) => new Error(`inconsistent: ${what}`)
const assembler = (logsWithoutTransaction: boolean) => (full: ReturnType<typeof block>, logs: readonly PlacedLog[]) =>
  assembleBlock(full, logs, inconsistent, logsWithoutTransaction)

describe('assembleBlock', () => {
  it('keeps only transactions with a log', () => {
    const made = assembler(false)(block([transaction(10), transaction(11), transaction(12)]), [log(1, hash(11))])
    expect(made).toMatchObject({ number: 5, hash: hash(5), parentHash: hash(4), timestamp: 100 })
    expect([...made.transactions]).toEqual([[1, { hash: hash(11), from: SENDER, value: 7n }]])
    expect(made.logs).toHaveLength(1)
  })

  it('rejects a log of another block, or of a transaction that is not there', () => {
    const body = block([transaction(10)])
    expect(() => assembler(false)(body, [{ ...log(0, hash(10)), blockHash: hash(6) }])).toThrow(
      'inconsistent: a log of',
    )
    expect(() => assembler(false)(body, [log(0, hash(11))])).toThrow('inconsistent: block 5 has no')
    expect(() => assembler(false)(body, [log(7, hash(10))])).toThrow('inconsistent: block 5 has no')
  })

  it('finds a transaction in a body that holds just a part of the block', () => {
    const body = block([transaction(10, { transactionIndex: '0x63' })])
    expect(assembler(false)(body, [log(99, hash(10))]).transactions.get(99)?.hash).toBe(hash(10))
  })

  it('reads transactions of unknown types', () => {
    const odd = { hash: hash(10), type: '0xee', transactionIndex: '0x0' }
    expect(assembler(false)(block([odd]), [log(0, hash(10))]).transactions.get(0)).toEqual({
      hash: hash(10),
      from: null,
      value: 0n,
    })
  })
})

describe('Polygon state sync', () => {
  const SYNC_HASH = hash(99)
  const expected = { hash: SYNC_HASH, from: null, value: 0n }

  it('gives the same block whether the node shows the transaction or not, at whatever index', () => {
    const bodies = [
      { transactions: [transaction(10)], index: 0 },
      { transactions: [transaction(10)], index: 1 },
      { transactions: [transaction(10), transaction(99, { type: '0x7f', transactionIndex: '0x1' })], index: 1 },
    ]
    const blocks = bodies.map(({ transactions, index }) => {
      return assembler(true)(block(transactions), [log(index, SYNC_HASH, 0), log(0, hash(10), 0)])
    })
    for (const made of blocks) {
      expect(made.transactions.get(1)).toEqual(expected)
      expect(made.logs.map(({ transactionIndex }) => transactionIndex)).toEqual([0, 1])
      expect(made).toEqual(blocks[0])
    }
  })
})

describe('readFullBlock', () => {
  it('distinguishes a missing block from an unreadable one', () => {
    expect(readFullBlock(null)).toBeNull()
    for (const wrong of ['x', [], { ...header, transactions: null }, { ...header, hash: null, transactions: [] }]) {
      expect(() => readFullBlock(wrong)).toThrow('unreadable')
    }
    expect(() => block(['0xabc']).transaction(0, hash(1))).toThrow('unreadable')
  })

  it('refuses a transaction whose text is not JSON', () => {
    const text = '{"id":1,"result":{"transactions":[{"hash":"0x01","type":0x2}]}}'
    const [list] = cutLists(text)?.lists ?? []
    expect(() => block(list).transaction(0, hash(1))).toThrow(MalformedResponse)
  })

  it('reads transactions that came as text like those that were parsed', () => {
    const nested = transaction(2, { transactionIndex: '0x1', accessList: [{ address: SENDER, storageKeys: [] }] })
    const unsigned = transaction(3, { transactionIndex: '0x2', from: null })
    const stateSync = transaction(4, { transactionIndex: '0x3', type: '0x7f' })
    const shown = transaction(9, { transactionIndex: '0x8' })
    const transactions = [transaction(1), nested, unsigned, stateSync, shown]
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...header, transactions } })
    const response = readReplies(text, 1, 1)
    const reply = response.kind === 'replies' ? response.replies[0] : undefined
    const result = reply && 'result' in reply ? (reply.result as { transactions: unknown }) : { transactions: null }
    expect(result.transactions).toBeInstanceOf(ObjectTexts)
    const [parsed, asText] = [block(transactions), block(result.transactions)]
    expect(asText.transactionCount).toBe(5)
    for (const [index, of] of [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [8, 9],
      [4, 9],
      [0, 2],
      [7, 7],
    ] as const) {
      expect(asText.transaction(index, hash(of))).toEqual(parsed.transaction(index, hash(of)))
    }
    expect(asText.transaction(8, hash(9))).toEqual({ hash: hash(9), from: SENDER, value: 7n })
  })
})
