import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Interface } from 'ethers'
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { valuesOf } from '../../test/random/abi-values.ts'
import { EMITTER, type ExpectedEvents } from '../../test/random/expected-events.ts'
import type { Hex, Log } from '../chain.ts'
import type { PoolEvent } from '../pool-event.ts'
import { WITHOUT_TOPIC } from './protocol.ts'
import { DEX_KINDS, decodersOf, protocolOf } from './registry.ts'

/**
 *   random arguments --ethers--> log --decoder, by slicing--> our event
 *                                 `---ethers, parseLog------> arguments --expected-events.ts of the venue--> the same event
 */
/** Lengths of a pool's address: a contract's; a manager's plus a contract's; a manager's plus a 32-byte id. */
const POOL_BYTES = [20, 40, 52]
const PLACE = { pool: EMITTER, transactionIndex: 3, logIndex: 7 }

const paths = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
const venues = paths.filter((path) => path.endsWith('/expected-events.ts')).map(dirname)
const files: { EXPECTED_EVENTS: ExpectedEvents }[] = await Promise.all(
  venues.map((venue) => import(`./${venue}/expected-events.ts`)),
)
const expectedEvents: ExpectedEvents = Object.assign({}, ...files.map(({ EXPECTED_EVENTS }) => EXPECTED_EVENTS))

test('the venues expect events of the kinds that are read, and of no others', () => {
  expect(Object.keys(expectedEvents).sort()).toEqual(DEX_KINDS)
})

describe.each(DEX_KINDS)('%s', (kind) => {
  const decoders = decodersOf([kind])
  const events = Object.keys(protocolOf(kind).events).map((fragment) => {
    const abi = new Interface([fragment])
    const [event] = abi.fragments.map((each) => abi.getEvent(each.format()))
    if (!event) throw new Error(`${fragment} is not an event`)
    return { abi, event }
  })

  test('has a case for each of its events', () => {
    expect(new Set(events.map(({ event }) => event.name))).toEqual(new Set(Object.keys(expectedEvents[kind] ?? {})))
    const topics = [...decoders.keys()].filter((topic) => topic !== WITHOUT_TOPIC)
    expect(new Set(topics)).toEqual(new Set(events.map(({ event }) => event.topicHash)))
  })

  test.each(events.map((of) => [of.event.format('full'), of] as const))('%s', (_, { abi, event }) => {
    fc.assert(
      fc.property(fc.tuple(...event.inputs.map(valuesOf)), (values) => {
        const { topics, data } = abi.encodeEventLog(event, values)
        const log: Log = { address: EMITTER, topics: topics as Hex[], data: data as Hex, ...PLACE }
        const args = abi.parseLog(log)?.args.toObject() ?? {}
        const decode = (log: Log): PoolEvent | null | undefined => decoders.get(log.topics[0] ?? '0x')?.(log)
        const expected = expectedEvents[kind]?.[event.name]?.(args)
        const decoded = decode(log)
        expect(decoded).toEqual(expected && withPlace(expected))
        if (decoded) expect(POOL_BYTES).toContain((decoded.pool.length - 2) / 2)
        for (const broken of inOtherShapes(log)) expect(decode(broken)).toBeNull()
      }),
      { numRuns: 10 * inject('scale') },
    )
  })
})

function withPlace(event: object): object {
  const { pool, transactionIndex, logIndex } = PLACE
  return { pool, ...event, transactionIndex, logIndex }
}

function inOtherShapes(log: Log): Log[] {
  const { topics, data } = log
  const [first = '0x', ...others] = topics
  return [
    { ...log, data: `${data}${'0'.repeat(64)}` },
    { ...log, data: `${data}00` },
    { ...log, data: data.length > 2 ? (data.slice(0, -64) as Hex) : `${data}11` },
    { ...log, topics: [...topics, `0x${'0'.repeat(64)}`] },
    ...(others.length > 0 ? [{ ...log, topics: [first, ...others.slice(1)] }] : []),
  ]
}
