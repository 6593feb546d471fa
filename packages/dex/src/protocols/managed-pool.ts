import type { Log } from '../block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../hex.ts'
import type { PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolKey } from '../pool-event.ts'
import type { PoolCandidate } from './protocol.ts'

/** Where an event of a pool inside a manager stands: the pool is the manager's address and the id in the first topic. */
export function managedPlace({ address, topics, transactionIndex, logIndex }: Log, id: Hex | undefined = topics[1]) {
  const pool: PoolAddress = `${address}${id?.slice(2) ?? ''}`
  return { family: 'managed', pool, transactionIndex, logIndex } as const
}

/** The 32-byte id of a pool inside its manager. */
export function idOf(pool: PoolAddress): Hex {
  return `0x${pool.slice(ZERO_ADDRESS.length)}`
}

/** Data of a call that takes a pool's id alone. */
export function callById(selector: Hex, pool: PoolAddress): Hex {
  return `${selector}${idOf(pool).slice(2)}`
}

/** A manager's pool may have no hooks: the zero address. */
export function hooksOf(hooks: Address): { hooks?: Address } {
  return hooks === ZERO_ADDRESS ? {} : { hooks }
}

/** The key that an event tells. */
export function keyToldBy(event: PoolEvent): PoolKey | null {
  return event.type === 'initialize' || event.type === 'created' ? (event.key ?? null) : null
}

/** Keys that a pool may have by what is at hand. */
export function keysAtHand({ key, events }: PoolCandidate): PoolKey[] {
  const told = events.flatMap((event) => keyToldBy(event) ?? [])
  return key === undefined ? told : [key, ...told]
}
