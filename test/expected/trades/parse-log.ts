import type { Interface, LogDescription } from 'ethers'
import type { RecordedLog } from '../chain-record.ts'

/** The event of a log, as one of a face's; null where topics or data are not those of that event. */
export function parseExactly(face: Interface, log: RecordedLog): LogDescription | null {
  try {
    const event = face.parseLog(log)
    const indexed = event?.fragment.inputs.filter((input) => input.indexed).length ?? 0
    return log.topics.length === indexed + 1 ? event : null
  } catch {
    // Anybody may emit any topic with other words behind it.
    return null
  }
}
