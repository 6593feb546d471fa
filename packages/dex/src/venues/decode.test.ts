import { expect, test } from 'vitest'
import { topicOf } from '../abi/contract-abi.ts'
import { wordOf } from '../abi/words.ts'
import type { Hex, Log } from '../chain.ts'
import { DEX_KINDS, decode, decodersOf, protocolOf } from './registry.ts'

const POOL = `0x${'aa'.repeat(20)}` as const

test('a log with a known topic in another shape is counted, and the others survive', () => {
  const topics = [topicOf('event Sync(uint112 reserve0, uint112 reserve1)')]
  const sync: Log = { address: POOL, topics, data: `0x${wordOf(1n)}${wordOf(2n)}`, transactionIndex: 1, logIndex: 2 }
  const logs: Log[] = [{ ...sync, data: '0x' }, { ...sync, topics: [...topics, '0x00'] }, sync]
  const block = { number: 1, hash: '0x1', parentHash: '0x0', timestamp: 1, logs, transactions: new Map() } as const
  const { events, malformed } = decode(block, decodersOf(DEX_KINDS))
  expect(events).toHaveLength(1)
  expect(malformed).toBe(2)
})

test('kinds that share a topic are of one family: an event has one decoder, whichever kind it is of', () => {
  const familyOf = new Map<Hex, string>()
  for (const kind of DEX_KINDS) {
    const { family } = protocolOf(kind)
    for (const topic of decodersOf([kind]).keys()) {
      const other = familyOf.get(topic) ?? family
      expect(`${topic}: ${family}`).toBe(`${topic}: ${other}`)
      familyOf.set(topic, family)
    }
  }
})
