import type { Log } from '../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../chain/hex.ts'
import type { Dex, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolKey } from '../pool-event.ts'
import type { PoolCandidate } from './protocol.ts'

/** Returns the place of an event of a pool inside a manager: the pool is the manager's address and the id. */
export function managedPlace({ address, topics, transactionIndex, logIndex }: Log, id: Hex | undefined = topics[1]) {
  const pool: PoolAddress = `${address}${id?.slice(2) ?? ''}`
  return { family: 'managed', pool, transactionIndex, logIndex } as const
}

/** Returns the contract that emits a pool's events: its own, or the manager that keeps it. */
export function emitterOf(pool: PoolAddress): Address {
  return pool.slice(0, ZERO_ADDRESS.length) as Address
}

/** Returns the contract that holds a pool's tokens: its own, or a vault. */
export function keeperOf({ address, dex }: Pool): Address {
  return dex.contracts?.vault ?? emitterOf(address)
}

/** Returns the 32-byte id of a pool inside its manager. */
export function idOf(pool: PoolAddress): Hex {
  return `0x${pool.slice(ZERO_ADDRESS.length)}`
}

/** Returns whether a pool's identifier is only its 32-byte id, without the manager. */
export function isIdAlone(identifier: Hex): boolean {
  return identifier.length === 66
}

/** Returns whether a pool has an identifier: its own, or its 32-byte id without the manager. */
export function isIdentifiedBy(pool: PoolAddress, identifier: Hex): boolean {
  return pool === identifier || (isIdAlone(identifier) && idOf(pool) === identifier)
}

/** LPFeeLibrary.DYNAMIC_FEE_FLAG: the hooks set the fee. Pools without hooks cannot have it. */
const DYNAMIC_FEE = 0x80_0000

export function isMovingFee(feeOfKey: number): boolean {
  return feeOfKey === DYNAMIC_FEE
}

/** Returns the pool of a key. The zero address as hooks means that it has none. */
export function managedPool(address: PoolAddress, key: PoolKey, dex: Dex): Pool {
  const { currency0: token0, currency1: token1, tickSpacing, hooks } = key
  const fee = isMovingFee(key.fee) ? 0 : key.fee
  return { address, dex, token0, token1, fee, tickSpacing, ...(hooks === ZERO_ADDRESS ? {} : { hooks }) }
}

/** Returns a pool's own fee, in millionths; null if hooks may set it. */
export function ownFeeOf({ fee, hooks }: Pool): number | null {
  return fee === 0 && hooks !== undefined ? null : fee
}

/** Returns the key in an event. */
export function keyInEvent(event: PoolEvent): PoolKey | null {
  return event.type === 'initialize' || event.type === 'created' ? (event.key ?? null) : null
}

/** Returns the known keys that may be the pool's. */
export function keysAtHand({ key, events }: PoolCandidate): PoolKey[] {
  const inEvents = events.flatMap((event) => keyInEvent(event) ?? [])
  return key === undefined ? inEvents : [key, ...inEvents]
}
