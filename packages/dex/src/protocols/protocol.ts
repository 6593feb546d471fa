import type { Log } from '../block.ts'
import type { Address, Hex } from '../hex.ts'
import type { DexKind } from '../pool.ts'
import type { PoolEvent, PoolFamily } from '../pool-event.ts'

/** Reads one kind of log; null when its shape is not the event's (anybody can emit our topic). */
export type EventDecoder = (log: Log) => PoolEvent | null

/** What a contract says of itself. Nothing of it is believed before the factory vouches for it. */
export interface PoolClaim {
  pool: Address
  factory: Address
  token0: Address
  token1: Address
  /** Millionths; null where the protocol's fee is not the pool's to tell. */
  fee: number | null
  tickSpacing: number | null
}

/** What a factory's log says of a new pool. */
export interface CreatedPool {
  pool: Address
  token0: Address
  token1: Address
  /** The call by which the factory would name it; one of `lookupCalls` where its fee tier is a usual one. */
  lookupCall: Hex
}

/** A DEX protocol: which logs its pools emit, and how a pool proves to be the factory's. */
export interface Protocol {
  kind: DexKind
  family: PoolFamily
  /** By topic 0. Protocols share topics: the factory, never the topic, says whose pool it is. */
  events: Readonly<Record<Hex, EventDecoder>>
  /** The topics whose events tell a price: a pair's Sync, a concentrated pool's Swap. */
  priceTopics: readonly Hex[]
  /** Call to the factory that answers the address of the claimed pool. */
  vouchCall(claim: PoolClaim): Hex
  /** The factory's event for a new pool. */
  creation: { topic: Hex; read(log: Log): CreatedPool | null }
  /** Calls to the factory that together answer every pool of two tokens; used to find reference pools. */
  lookupCalls(tokenA: Address, tokenB: Address): readonly Hex[]
}
