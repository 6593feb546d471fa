import type { Address, Hex } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { readFoundLogs, WantedLogs } from './wanted-logs.ts'

const TOPIC: Hex = `0x${'ab'.repeat(32)}`
const OTHER_TOPIC: Hex = `0x${'cd'.repeat(32)}`
const EMITTER: Address = `0x${'e1'.repeat(20)}`
const OTHER: Address = `0x${'e2'.repeat(20)}`
const filter = { topics: [TOPIC], emitters: [EMITTER] }

test.each<[string, Address, Hex[], boolean]>([
  ['with a wanted topic, of any contract', OTHER, [TOPIC], true],
  ['with another topic, of an emitter', EMITTER, [OTHER_TOPIC], false],
  ['with a wanted topic behind another one', EMITTER, [OTHER_TOPIC, TOPIC], false],
  ['without a topic, of an emitter', EMITTER, [], true],
  ['without a topic, of another contract', OTHER, [], false],
])('a log %s', (_, address, topics, isWanted) => {
  const wanted = new WantedLogs(filter)
  expect(wanted.has({ address, topics })).toBe(isWanted)
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
  expect(wanted.hasShown({ address, topics })).toBe(isWanted)
  expect(wanted.hasShown({ address: upper(address), topics: topics.map(upper) })).toBe(isWanted)
})

test('without emitters no log without a topic is wanted', () => {
  expect(new WantedLogs({ topics: [TOPIC] }).has({ address: EMITTER, topics: [] })).toBe(false)
})

test('a log in both answers is read once, and nothing of an emitter that has a topic', () => {
  const shown = (address: Address, topics: Hex[], logIndex: string) => ({
    ...{ address, topics, data: '0x', blockNumber: '0x1', blockHash: TOPIC, transactionHash: TOPIC },
    ...{ transactionIndex: '0x0', logIndex, removed: false },
  })
  const both = shown(EMITTER, [TOPIC], '0x0')
  const answers = [
    [both, shown(OTHER, [TOPIC], '0x1')],
    [both, shown(EMITTER, [OTHER_TOPIC], '0x2'), shown(EMITTER, [], '0x3'), shown(OTHER, [], '0x4')],
  ]
  const logs = readFoundLogs(answers, filter, (what) => new Error(what))
  expect(logs.map(({ logIndex }) => logIndex)).toEqual([0, 1, 3])
})
