import type { Hex } from '@dexfeed/dex'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byBlockNumber, inLogOrder, type PlacedLog, readLogs } from './rpc-log.ts'
import { MalformedAnswer } from './rpc-value.ts'

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const log = (blockNumber: number, transactionIndex: number, logIndex: number, data: Hex = '0x'): PlacedLog => ({
  address: '0x00000000000000000000000000000000000000aa',
  topics: [hash(1)],
  data,
  transactionIndex,
  logIndex,
  blockNumber,
  blockHash: hash(blockNumber),
  transactionHash: hash(transactionIndex),
})
const never = (): never => {
  throw new Error('removed')
}

it('puts logs in canonical order, each once, however they come', () => {
  const logs = [log(1, 0, 0), log(1, 0, 1), log(1, 2, 2), log(2, 0, 0), log(3, 1, 4)]
  fc.assert(
    fc.property(fc.shuffledSubarray([...logs, ...logs], { minLength: 10 }), (shuffled) => {
      expect(inLogOrder(shuffled)).toEqual(logs)
    }),
  )
})

it('keeps two logs under one index, in an order that does not depend on the node', () => {
  const [a, b] = [log(1, 0, 0, '0x0a'), log(1, 0, 0, '0x0b')]
  expect(inLogOrder([b, a])).toEqual([a, b])
  expect(inLogOrder([a, b])).toEqual([a, b])
})

it('groups by block', () => {
  expect(
    [...byBlockNumber([log(1, 0, 0), log(1, 0, 1), log(4, 0, 0)]).entries()].map(([n, l]) => [n, l.length]),
  ).toEqual([
    [1, 2],
    [4, 1],
  ])
})

it('reads a log without “removed” and normalises its hex', () => {
  const raw = {
    address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    topics: [hash(10).toUpperCase().replace('0X', '0x')],
    data: '0xABCD',
    blockNumber: '0x0010',
    blockHash: hash(16),
    transactionHash: hash(2),
    transactionIndex: '0x0',
    logIndex: '0x01',
  }
  expect(readLogs([raw], never)).toEqual([
    {
      address: raw.address.toLowerCase(),
      topics: [hash(10)],
      data: '0xabcd',
      blockNumber: 16,
      blockHash: hash(16),
      transactionHash: hash(2),
      transactionIndex: 0,
      logIndex: 1,
    },
  ])
  for (const wrong of [
    null,
    'x',
    {},
    { ...raw, topics: null },
    { ...raw, blockHash: null },
    { ...raw, logIndex: '0x' },
  ]) {
    expect(() => readLogs([wrong], never)).toThrow(MalformedAnswer)
  }
  expect(() => readLogs(null, never)).toThrow(MalformedAnswer)
  expect(() => readLogs([{ ...raw, removed: true }], never)).toThrow('removed')
})
