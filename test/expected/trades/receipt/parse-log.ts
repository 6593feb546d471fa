import type { EventFragment, Interface, Result } from 'ethers'
import type { RecordedLog } from '../../chain-record.ts'

export interface ParsedEvent {
  name: string
  args: Result
}

const WORD_END = '0x'.length + 64

/** The events of a face by topic: ethers hashes all of them for each log. */
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

/** The event of a log, as one of a face's; null where topics or data are not those of that event. */
export function parseExactly(face: Interface, log: RecordedLog): ParsedEvent | null {
  const event = eventOf(face, log)
  const indexed = event?.inputs.filter((input) => input.indexed).length ?? 0
  if (event === null || log.topics.length !== indexed + 1) return null
  try {
    return { name: event.name, args: face.decodeEventLog(event, log.data, log.topics) }
  } catch {
    // Anybody may emit any topic with other words behind it.
    return null
  }
}

/** The addresses in the topics and the amount of an event that has nothing else; ethers would hash each address. */
export function parseMove(
  topic: string,
  log: RecordedLog,
  accounts: number,
): { accounts: string[]; amount: bigint } | null {
  const { topics, data } = log
  if (topics[0] !== topic || topics.length !== accounts + 1 || data.length < WORD_END) return null
  return { accounts: topics.slice(1).map((one) => `0x${one.slice(-40)}`), amount: BigInt(data.slice(0, WORD_END)) }
}
