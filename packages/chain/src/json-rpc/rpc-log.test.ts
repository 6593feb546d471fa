import type { Address, Hex, Log } from '@dexfeed/dex'
import fc from 'fast-check'
import { expect, inject, it, test } from 'vitest'
import {
  byBlockNumber,
  containsLogs,
  inLogOrder,
  LogMatcher,
  type PlacedLog,
  readFoundLogs,
  readLogs,
} from './rpc-log.ts'
import { MalformedResponse } from './rpc-value.ts'

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
    expect(() => readLogs([wrong], never)).toThrow(MalformedResponse)
  }
  expect(() => readLogs(null, never)).toThrow(MalformedResponse)
  expect(() => readLogs([{ ...raw, removed: true }], never)).toThrow('removed')
})

const TOPIC: Hex = `0x${'ab'.repeat(32)}`
const OTHER_TOPIC: Hex = `0x${'cd'.repeat(32)}`
const EMITTER: Address = `0x${'e1'.repeat(20)}`
const OTHER: Address = `0x${'e2'.repeat(20)}`
const filter = { topics: [TOPIC], emitters: [EMITTER] }

test.each<[string, Address, Hex[], boolean]>([
  ['with a wanted topic, of any contract', OTHER, [TOPIC], true],
  ['with another topic, of an emitter', EMITTER, [OTHER_TOPIC], false],
  ['with a matching topic after another one', EMITTER, [OTHER_TOPIC, TOPIC], false],
  ['without a topic, of an emitter', EMITTER, [], true],
  ['without a topic, of another contract', OTHER, [], false],
])('a log %s', (_, address, topics, isSelected) => {
  const selected = new LogMatcher(filter)
  expect(selected.has({ address, topics })).toBe(isSelected)
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
  expect(selected.hasShown({ address, topics })).toBe(isSelected)
  expect(selected.hasShown({ address: upper(address), topics: topics.map(upper) })).toBe(isSelected)
})

test('without emitters, no log without a topic matches', () => {
  expect(new LogMatcher({ topics: [TOPIC] }).has({ address: EMITTER, topics: [] })).toBe(false)
})

test('a log in both responses is read once, and logs of an emitter with a topic are left out', () => {
  const shown = (address: Address, topics: Hex[], logIndex: string) => ({
    address,
    topics,
    data: '0x',
    blockNumber: '0x1',
    blockHash: TOPIC,
    transactionHash: TOPIC,
    transactionIndex: '0x0',
    logIndex,
    removed: false,
  })
  const both = shown(EMITTER, [TOPIC], '0x0')
  const responses = [
    [both, shown(OTHER, [TOPIC], '0x1')],
    [both, shown(EMITTER, [OTHER_TOPIC], '0x2'), shown(EMITTER, [], '0x3'), shown(OTHER, [], '0x4')],
  ]
  const logs = readFoundLogs(responses, filter, (what) => new Error(what))
  expect(logs.map(({ logIndex }) => logIndex)).toEqual([0, 1, 3])
})

const anyHex = fc.constantFrom<'0xaa' | '0xbb'>('0xaa', '0xbb')
const anyLog: fc.Arbitrary<Log> = fc.record({
  address: anyHex,
  topics: fc.array(anyHex, { maxLength: 2 }),
  data: anyHex,
  transactionIndex: fc.nat(1),
  logIndex: fc.nat(4),
})
const ofPlaces = (logs: readonly Log[]) =>
  logs.map(({ address, topics, data, logIndex }) => JSON.stringify({ address, topics, data, logIndex }))

test('logs are among others by all that they say but their transaction, however these are numbered', () => {
  let held = 0
  fc.assert(
    fc.property(fc.array(anyLog), fc.array(anyLog, { maxLength: 2 }), fc.boolean(), (logs, others, isPart) => {
      const selected = isPart ? [...logs.filter((_, i) => i % 2 === 0), ...others] : others
      const all = new Set(ofPlaces(logs))
      const expected = ofPlaces(selected).every((place) => all.has(place))
      if (expected && selected.length > 0) held++
      expect(containsLogs(logs, selected)).toBe(expected)
    }),
    { numRuns: 400 * inject('scale') },
  )
  expect(held).toBeGreaterThan(0)
})

test('logs that are numbered one after the other differ by each of their fields', () => {
  const logs = [5, 6, 7].map((logIndex): Log => {
    return { address: '0xaa', topics: ['0xaa', '0xbb'], data: '0xaa', transactionIndex: 1, logIndex }
  })
  const [, second] = logs
  if (second === undefined) throw new Error('there are three')
  expect(containsLogs(logs, [{ ...second, transactionIndex: 9 }])).toBe(true)
  for (const other of [
    { address: '0xbb' },
    { topics: ['0xaa'] },
    { topics: ['0xaa', '0xaa'] },
    { data: '0xbb' },
  ] as const)
    expect(containsLogs(logs, [{ ...second, ...other }])).toBe(false)
  expect(containsLogs(logs, [{ ...second, logIndex: 8 }])).toBe(false)
})
