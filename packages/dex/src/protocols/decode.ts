import type { Block } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { PoolEvent } from '../pool-event.ts'
import { type EventDecoder, WITHOUT_TOPIC } from './protocol.ts'

interface DecodedLogs {
  /** In log order. Their pools are not verified yet. */
  events: PoolEvent[]
  /** Logs that carry one of our topics, or none, in a shape that is not the event's. */
  malformed: number
}

/** Reads the pool events among a block's logs. */
export function decode(block: Block, decoders: ReadonlyMap<Hex, EventDecoder>): DecodedLogs {
  const events: PoolEvent[] = []
  let malformed = 0
  for (const log of block.logs) {
    const decoder = decoders.get(log.topics[0] ?? WITHOUT_TOPIC)
    if (decoder === undefined) continue
    const event = decoder(log)
    if (event === null) malformed++
    else events.push(event)
  }
  return { events, malformed }
}
