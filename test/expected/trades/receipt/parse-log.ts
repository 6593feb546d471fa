import type { EventFragment, Interface, Result } from 'ethers'
import type { RecordedLog } from '../../chain-record.ts'

export interface ParsedEvent {
  name: string
  args: Result
}

const WORD_END = '0x'.length + 64

/** The events of an interface by topic. ethers would hash all of them for each log. */
const eventsOf = new WeakMap<Interface, ReadonlyMap<string, EventFragment>>()

function eventOf(face: Interface, { topics: [topic = ''] }: RecordedLog): EventFragment | null {
  let events = eventsOf.get(face)
  if (events === undefined) {
    const found = new Map<string, EventFragment>()
    face.forEachEvent((event) => found.set(event.topicHash, event))
    eventsOf.set(face, found)
    events = found
  }
  return events.get(topic) ?? null
}

/** Returns the event of a log; null if topics or data do not match that event exactly. */
export function parseExactly(face: Interface, log: RecordedLog): ParsedEvent | null {
  const event = eventOf(face, log)
  const indexed = event?.inputs.filter((input) => input.indexed).length ?? 0
  if (event === null || log.topics.length !== indexed + 1) return null
  try {
    return { name: event.name, args: face.decodeEventLog(event, log.data, log.topics) }
  } catch {
    // Any contract may emit any topic, followed by other words.
    return null
  }
}

/** Returns the addresses in the topics and the amount of an event with nothing else. ethers would hash each address. */
export function parseMove(
  topic: string,
  log: RecordedLog,
  accounts: number,
): { accounts: string[]; amount: bigint } | null {
  const { topics, data } = log
  if (topics[0] !== topic || topics.length !== accounts + 1 || data.length < WORD_END) return null
  return { accounts: topics.slice(1).map((one) => `0x${one.slice(-40)}`), amount: BigInt(data.slice(0, WORD_END)) }
}
