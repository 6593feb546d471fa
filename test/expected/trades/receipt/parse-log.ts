import type { Interface, Result } from 'ethers'
import type { RecordedLog } from '../../chain-record.ts'

export interface ParsedEvent {
  name: string
  args: Result
}

const WORD_END = '0x'.length + 64

/** Returns null if topics or data do not match the event exactly. */
export function parseExactly(face: Interface, log: RecordedLog): ParsedEvent | null {
  const event = face.getEvent(log.topics[0] ?? '0x')
  const indexed = event?.inputs.filter((input) => input.indexed).length ?? 0
  if (event === null || log.topics.length !== indexed + 1) return null
  try {
    return { name: event.name, args: face.decodeEventLog(event, log.data, log.topics) }
  } catch {
    return null
  }
}

/** Avoids ethers, which would hash each address. */
export function parseMove(
  topic: string,
  log: RecordedLog,
  accounts: number,
): { accounts: string[]; amount: bigint } | null {
  const { topics, data } = log
  if (topics[0] !== topic || topics.length !== accounts + 1 || data.length < WORD_END) return null
  return { accounts: topics.slice(1).map((text) => `0x${text.slice(-40)}`), amount: BigInt(data.slice(0, WORD_END)) }
}
