import type { Log } from '../chain/block.ts'
import type { DependencyEvent, PoolFamily, TouchEvent } from '../pool-event.ts'
import type { EventDecoder } from './protocol.ts'

/** Returns decoders of events that only show that a pool changed, so it is read again. */
export function touches(family: PoolFamily, ...events: readonly string[]): Record<string, EventDecoder> {
  const decode = ({ address: pool, transactionIndex, logIndex }: Log): TouchEvent => {
    return { type: 'touch', family, pool, transactionIndex, logIndex }
  }
  return Object.fromEntries(events.map((event) => [event, decode]))
}

/** As `touches`, for contracts that pools depend on: all these pools are read again. */
export function dependencyTouches(family: PoolFamily, ...events: readonly string[]): Record<string, EventDecoder> {
  const decode = ({ address: pool, transactionIndex, logIndex }: Log): DependencyEvent => {
    return { type: 'dependency', family, pool, transactionIndex, logIndex }
  }
  return Object.fromEntries(events.map((event) => [event, decode]))
}
