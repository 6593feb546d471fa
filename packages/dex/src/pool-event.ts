import type { Address, Hex } from './chain/hex.ts'
import type { DexKind, PoolAddress } from './pool.ts'
import type { ConcentratedState, MovingFee, PoolState } from './pool-state.ts'

/** What a pool's log says, before the pool is verified. */
export type PoolEvent =
  | SwapEvent
  | ExchangeEvent
  | ReservesEvent
  | InitializeEvent
  | CreatedEvent
  | LiquidityEvent
  | FeeEvent
  | ProtocolFeeEvent

interface FromLog {
  pool: PoolAddress
  transactionIndex: number
  logIndex: number
}

/** Net amounts from the pool's point of view: positive entered the pool, negative left it. */
export interface SwapEvent extends FromLog {
  type: 'swap'
  family: PoolFamily
  amount0: bigint
  amount1: bigint
  /** State after the swap, where the event tells it. */
  state: ConcentratedState | null
  /** Whom the pool paid, where the event tells it. */
  recipient?: Address
}

/** A token of a pool: by its address, or by its index among the pool's coins or those behind them. */
export type CoinReference = { token: Address } | { coin: number } | { underlying: number }

/** A swap of a pool of any number of tokens. Amounts are positive or zero. */
export interface ExchangeEvent extends FromLog {
  type: 'exchange'
  family: PoolFamily
  sold: CoinReference
  soldAmount: bigint
  bought: CoinReference
  boughtAmount: bigint
  /** Whom the pool paid, where the event tells it. */
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
  /** Pools inside a manager: what their id stands for. */
  key?: PoolKey
}

/** A pool inside a manager was made, by an event that tells no price of ours. */
export interface CreatedEvent extends FromLog {
  type: 'created'
  family: PoolFamily
  key: PoolKey
}

/** What a pool inside a manager is made of; the zero address is the native coin. */
export interface PoolKey {
  currency0: Address
  currency1: Address
  /** Millionths, or the protocol's mark for a fee that changes. */
  fee: number
  /** Null where the protocol packs it elsewhere. */
  tickSpacing: number | null
  hooks: Address
  /** Further parameters, where the key has them, as one word. */
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

/** A change of a fee that moves; what it does not name stays. */
export interface FeeEvent extends FromLog {
  type: 'fee'
  family: PoolFamily
  change: Readonly<Partial<MovingFee>>
}

/** The protocol's own share of a pool's swaps was set. */
export interface ProtocolFeeEvent extends FromLog {
  type: 'protocol-fee'
  family: PoolFamily
  /**
   * What it takes of the amount paid in, before the pool's own fee, in millionths: the lower 12 bits of swaps that pay
   * token0, the upper 12 of those that pay token1.
   */
  protocolFee: number
}

/**
 * How a pool proves itself, as far as its event's topic tells: pairs and pools of concentrated liquidity that name
 * their factory, pools inside a pool manager or vault, and the kinds whose topics are theirs alone.
 */
export type PoolFamily = 'pair' | 'concentrated' | 'managed' | DexKind

/** What an event tells of a reference pool: its price, with the state there, or liquidity that was put in or taken out. */
export type ReferenceEvent =
  | { type: 'price'; state: PoolState }
  | Pick<LiquidityEvent, 'type' | 'tickLower' | 'tickUpper' | 'delta'>

/** What an event tells of a reference pool; null: nothing. */
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
