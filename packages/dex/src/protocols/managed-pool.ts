import type { Log } from '../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../chain/hex.ts'
import type { Dex, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolKey } from '../pool-event.ts'
import type { PoolCandidate } from './protocol.ts'

/** Where an event of a pool inside a manager stands: the pool is the manager's address and the id in the first topic. */
export function managedPlace({ address, topics, transactionIndex, logIndex }: Log, id: Hex | undefined = topics[1]) {
  const pool: PoolAddress = `${address}${id?.slice(2) ?? ''}`
  return { family: 'managed', pool, transactionIndex, logIndex } as const
}

/** The contract whose events a pool's are: its own, or the manager that keeps it. */
export function emitterOf(pool: PoolAddress): Address {
  return pool.slice(0, ZERO_ADDRESS.length) as Address
}

/** The contract that holds a pool's tokens: its own, or a vault. */
export function keeperOf({ address, dex }: Pool): Address {
  return dex.contracts?.vault ?? emitterOf(address)
}

/** The 32-byte id of a pool inside its manager. */
export function idOf(pool: PoolAddress): Hex {
  return `0x${pool.slice(ZERO_ADDRESS.length)}`
}

/** LPFeeLibrary.DYNAMIC_FEE_FLAG: the hooks set the fee. Pools without hooks cannot have it. */
const DYNAMIC_FEE = 0x80_0000

/** The pool that a key stands for; the zero address as hooks: it has none. */
export function managedPool(address: PoolAddress, key: PoolKey, dex: Dex): Pool {
  const { currency0: token0, currency1: token1, tickSpacing, hooks } = key
  const fee = key.fee === DYNAMIC_FEE ? 0 : key.fee
  return { address, dex, token0, token1, fee, tickSpacing, ...(hooks === ZERO_ADDRESS ? {} : { hooks }) }
}

/** The key that an event tells. */
export function keyInEvent(event: PoolEvent): PoolKey | null {
  return event.type === 'initialize' || event.type === 'created' ? (event.key ?? null) : null
}

/** Keys that a pool may have by what is at hand. */
export function keysAtHand({ key, events }: PoolCandidate): PoolKey[] {
  const told = events.flatMap((event) => keyInEvent(event) ?? [])
  return key === undefined ? told : [key, ...told]
}
