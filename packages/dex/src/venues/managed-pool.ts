import type { Log } from '../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../chain/hex.ts'
import type { Dex, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolKey } from '../pool-event.ts'
import type { PoolCandidate } from './protocol.ts'

/** Returns an event's place, with the manager's address and the id as pool. */
export function managedPlace({ address, topics, transactionIndex, logIndex }: Log, id: Hex | undefined = topics[1]) {
  const pool: PoolAddress = `${address}${id?.slice(2) ?? ''}`
  return { family: 'managed', pool, transactionIndex, logIndex } as const
}

/** Returns the emitter of a pool's events: itself or its manager. */
export function emitterOf(pool: PoolAddress): Address {
  return pool.slice(0, ZERO_ADDRESS.length) as Address
}

/** Returns the address that holds a pool's tokens: its vault, else its manager or the pool itself. */
export function keeperOf({ address, dex }: Pool): Address {
  return dex.contracts?.vault ?? emitterOf(address)
}

/** Returns a pool's 32-byte id in its manager. */
export function idOf(pool: PoolAddress): Hex {
  return `0x${pool.slice(ZERO_ADDRESS.length)}`
}

/** Whether an identifier is a 32-byte id without manager. */
export function isIdAlone(identifier: Hex): boolean {
  return identifier.length === 66
}

/** Whether a pool has this identifier, full or without manager. */
export function isIdentifiedBy(pool: PoolAddress, identifier: Hex): boolean {
  return pool === identifier || (isIdAlone(identifier) && idOf(pool) === identifier)
}

/** LPFeeLibrary.DYNAMIC_FEE_FLAG: hooks set the fee, so pools without hooks cannot have it. */
const DYNAMIC_FEE = 0x80_0000

export function isMovingFee(feeOfKey: number): boolean {
  return feeOfKey === DYNAMIC_FEE
}

/** Returns a key's pool; zero hooks means none. */
export function managedPool(address: PoolAddress, key: PoolKey, dex: Dex): Pool {
  const { currency0: token0, currency1: token1, tickSpacing, hooks } = key
  const fee = isMovingFee(key.fee) ? 0 : key.fee
  return { address, dex, token0, token1, fee, tickSpacing, ...(hooks === ZERO_ADDRESS ? {} : { hooks }) }
}

/** Returns the fee in millionths; null if hooks may set it. */
export function ownFeeOf({ fee, hooks }: Pool): number | null {
  return fee === 0 && hooks !== undefined ? null : fee
}

export function keyInEvent(event: PoolEvent): PoolKey | null {
  return event.type === 'initialize' || event.type === 'created' ? (event.key ?? null) : null
}

/** Returns known keys that may be the pool's. */
export function keysAtHand({ key, events }: PoolCandidate): PoolKey[] {
  const inEvents = events.flatMap((event) => keyInEvent(event) ?? [])
  return key === undefined ? inEvents : [key, ...inEvents]
}
