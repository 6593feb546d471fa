import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../chain.ts'
import type { Dex, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolKey } from '../pool-event.ts'
import type { PoolCandidate } from './protocol.ts'

export function managedPlace({ address, topics, transactionIndex, logIndex }: Log, id: Hex | undefined = topics[1]) {
  const pool: PoolAddress = `${address}${id?.slice(2) ?? ''}`
  return { family: 'managed', pool, transactionIndex, logIndex } as const
}

export function emitterOf(pool: PoolAddress): Address {
  return pool.slice(0, ZERO_ADDRESS.length) as Address
}

/** Returns the address that holds a pool's tokens: the configured vault, else the manager or the pool itself. */
export function keeperOf({ address, dex }: Pool): Address {
  return dex.contracts?.vault ?? emitterOf(address)
}

export function idOf(pool: PoolAddress): Hex {
  return `0x${pool.slice(ZERO_ADDRESS.length)}`
}

/** Returns the address of the pool's own contract, with which an id of Balancer begins. */
export function contractIn(pool: PoolAddress): Address {
  return `0x${pool.slice(ZERO_ADDRESS.length, 2 * ZERO_ADDRESS.length - 2)}`
}

export function isIdAlone(identifier: Hex): boolean {
  return identifier.length === 66
}

export function isIdentifiedBy(pool: PoolAddress, identifier: Hex): boolean {
  return pool === identifier || (isIdAlone(identifier) && idOf(pool) === identifier)
}

/** LPFeeLibrary.DYNAMIC_FEE_FLAG. Hooks set the fee, so only pools with hooks can have this flag. */
const DYNAMIC_FEE = 0x80_0000

export function isMovingFee(feeOfKey: number): boolean {
  return feeOfKey === DYNAMIC_FEE
}

/** A zero hooks address means that the pool has no hooks. */
export function managedPool(address: PoolAddress, key: PoolKey, dex: Dex): Pool {
  const { currency0: token0, currency1: token1, tickSpacing, hooks } = key
  const fee = isMovingFee(key.fee) ? 0 : key.fee
  return { address, dex, token0, token1, fee, tickSpacing, ...(hooks === ZERO_ADDRESS ? {} : { hooks }) }
}

/** Returns the pool's fee in millionths; null if hooks may set the fee. */
export function ownFeeOf({ fee, hooks }: Pool): number | null {
  return fee === 0 && hooks !== undefined ? null : fee
}

export function keyInEvent(event: PoolEvent): PoolKey | null {
  return event.type === 'initialize' || event.type === 'created' ? (event.key ?? null) : null
}

/** Returns whether a manager reports that it created the pool. Its own event names the pool, so no other contract can. */
export function isCreation(event: PoolEvent): boolean {
  return keyInEvent(event) !== null
}

export function keysAtHand({ key, events }: PoolCandidate): PoolKey[] {
  const inEvents = events.flatMap((event) => keyInEvent(event) ?? [])
  return key === undefined ? inEvents : [key, ...inEvents]
}
