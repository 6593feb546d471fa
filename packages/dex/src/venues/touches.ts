import type { Address, Log } from '../chain.ts'
import type { DependencyEvent, PoolFamily, TouchEvent } from '../pool-event.ts'
import type { EventDecoder } from './protocol.ts'

/** Returns decoders for events that show only that a pool changed and must be read again. */
export function touches(family: PoolFamily, ...events: readonly string[]): Record<string, EventDecoder> {
  return Object.fromEntries(events.map((event) => [event, (log: Log) => touchOf(family, log)]))
}

export function touchOf(family: PoolFamily, { address: pool, transactionIndex, logIndex }: Log): TouchEvent {
  return { type: 'touch', family, pool, transactionIndex, logIndex }
}

/** Adds what liquidity providers moved, if the event tells it (`amounts` is not null). */
export function providing(
  touch: TouchEvent,
  isAdded: boolean,
  amounts: readonly bigint[] | null,
  tokens?: readonly Address[],
): TouchEvent {
  return amounts === null ? touch : { ...touch, provided: { isAdded, amounts, ...(tokens && { tokens }) } }
}

/** Like `touches`, for contracts that pools depend on: every such pool must be read again. */
export function dependencyTouches(family: PoolFamily, ...events: readonly string[]): Record<string, EventDecoder> {
  const decode = ({ address: pool, transactionIndex, logIndex }: Log): DependencyEvent => {
    return { type: 'dependency', family, pool, transactionIndex, logIndex }
  }
  return Object.fromEntries(events.map((event) => [event, decode]))
}
