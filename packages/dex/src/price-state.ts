import type { PoolEvent } from './pool-event.ts'
import type { PoolState } from './pool-state.ts'

/** The state that a price event tells in full; null for any other event. */
export function priceStateOf(event: PoolEvent): PoolState | null {
  if (event.type === 'reserves') return { kind: 'pair', reserve0: event.reserve0, reserve1: event.reserve1 }
  return event.type === 'swap' ? event.state : null
}
