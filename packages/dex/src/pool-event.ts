import type { Address, Hex } from './chain/hex.ts'
import type { DexKind, PoolAddress } from './pool.ts'
import type { ConcentratedState, EventState, MovingFee } from './pool-state.ts'

/** What a pool's log reports, before the pool is verified. */
export type PoolEvent =
  | SwapEvent
  | ExchangeEvent
  | ReservesEvent
  | InitializeEvent
  | CreatedEvent
  | LiquidityEvent
  | FeeEvent
  | ProtocolFeeEvent
  | TouchEvent
  | DependencyEvent

interface FromLog {
  pool: PoolAddress
  transactionIndex: number
  logIndex: number
}

/** Net amounts from the pool's side: positive entered the pool, negative left it. */
export interface SwapEvent extends FromLog {
  type: 'swap'
  family: PoolFamily
  amount0: bigint
  amount1: bigint
  /** State after the swap, if the event contains it. */
  state: ConcentratedState | null
  /** The account that the pool paid, if the event contains it. */
  recipient?: Address
}

/** A token of a pool: its address, or its index among the pool's coins or their underlying tokens. */
export type CoinReference = { token: Address } | { coin: number } | { underlying: number }

/** A swap of a pool of any number of tokens. Amounts are positive or zero. */
export interface ExchangeEvent extends FromLog {
  type: 'exchange'
  family: PoolFamily
  sold: CoinReference
  soldAmount: bigint
  bought: CoinReference
  boughtAmount: bigint
  recipient?: Address
}

/** Reserves of a pair after any change. */
export interface ReservesEvent extends FromLog {
  type: 'reserves'
  family: 'pair'
  reserve0: bigint
  reserve1: bigint
}

/** First price of a concentrated-liquidity pool. */
export interface InitializeEvent extends FromLog {
  type: 'initialize'
  family: PoolFamily
  sqrtPriceX96: bigint
  tick: number
  /** Pools inside a manager: the key of their id. */
  key?: PoolKey
}

/** A pool inside a manager was created, by an event without a usable price. */
export interface CreatedEvent extends FromLog {
  type: 'created'
  family: PoolFamily
  key: PoolKey
}

/** The key of a pool inside a manager; the zero address is the native coin. */
export interface PoolKey {
  currency0: Address
  currency1: Address
  /** Millionths, or the protocol's marker for a fee that changes. */
  fee: number
  /** Null if the protocol packs it elsewhere. */
  tickSpacing: number | null
  hooks: Address
  /** Further parameters as one word, if the key has them. */
  parameters?: Hex
}

/** Liquidity added to (positive) or removed from a tick range. */
export interface LiquidityEvent extends FromLog {
  type: 'liquidity'
  family: PoolFamily
  tickLower: number
  tickUpper: number
  delta: bigint
}

/** A change of a variable fee; directions that it does not contain stay. */
export interface FeeEvent extends FromLog {
  type: 'fee'
  family: PoolFamily
  change: Readonly<Partial<MovingFee>>
}

/** The protocol's share of a pool's swaps was set. */
export interface ProtocolFeeEvent extends FromLog {
  type: 'protocol-fee'
  family: PoolFamily
  /** Taken of the input before the pool's fee, in millionths: low 12 bits if token0 is paid, high 12 if token1. */
  protocolFee: number
}

/** Something changed the amounts of a pool that is quoted by a formula: its state is read again. */
export interface TouchEvent extends FromLog {
  type: 'touch'
  family: PoolFamily
}

/**
 * Something changed in a contract that pools depend on, and that is none of them: their vault, their factory, or the
 * contract of a pool inside a vault. `pool` is that contract. Whoever knows the pools touches them (`dependenciesOf`).
 */
export interface DependencyEvent extends FromLog {
  type: 'dependency'
  family: PoolFamily
}

/**
 * The way to verify a pool, as its event's topic reveals it: pairs and concentrated pools name their factory, others
 * lie in a pool manager or vault, and some kinds have topics that only they emit.
 */
export type PoolFamily = 'pair' | 'concentrated' | 'managed' | DexKind

/** What an event shows about a reference pool: its price, with its state, or added or removed liquidity. */
export type ReferenceEvent =
  | { type: 'price'; state: EventState }
  | Pick<LiquidityEvent, 'type' | 'tickLower' | 'tickUpper' | 'delta'>

/** Returns what an event shows about a reference pool; null: nothing. */
export function referenceEventOf(event: PoolEvent): ReferenceEvent | null {
  if (event.type === 'reserves') {
    const { reserve0, reserve1 } = event
    return { type: 'price', state: { kind: 'pair', reserve0, reserve1 } }
  }
  if (event.type === 'liquidity') {
    const { type, tickLower, tickUpper, delta } = event
    return { type, tickLower, tickUpper, delta }
  }
  return event.type === 'swap' && event.state !== null ? { type: 'price', state: event.state } : null
}
