import type { Address, Hex } from './chain.ts'
import type { DexKind, PoolAddress } from './pool.ts'
import type { ConcentratedState, EventState, MovingFee } from './pool-state.ts'

export type PoolEvent =
  | SwapEvent
  | ExchangeEvent
  | ReservesEvent
  | InitializeEvent
  | CreatedEvent
  | LiquidityEvent
  | ProvidedEvent
  | FeeEvent
  | ProtocolFeeEvent
  | TouchEvent
  | DependencyEvent

interface FromLog {
  family: PoolFamily
  pool: PoolAddress
  transactionIndex: number
  logIndex: number
}

/** Amounts are net; positive amounts entered the pool. */
export interface SwapEvent extends FromLog {
  type: 'swap'
  amount0: bigint
  amount1: bigint
  state: ConcentratedState | null
  recipient?: Address
}

/** A token's address, or its index among the pool's coins or their underlying tokens. */
export type CoinReference = { token: Address } | { coin: number } | { underlying: number }

/** What a pool took and paid, in base units. Amounts are not negative. */
export interface Exchange {
  sold: CoinReference
  soldAmount: bigint
  bought: CoinReference
  boughtAmount: bigint
  recipient?: Address
}

/** A swap in a pool of any number of tokens. */
export interface ExchangeEvent extends FromLog, Exchange {
  type: 'exchange'
}

export interface ReservesEvent extends FromLog {
  type: 'reserves'
  family: 'pair'
  reserve0: bigint
  reserve1: bigint
}

export interface InitializeEvent extends FromLog {
  type: 'initialize'
  sqrtPriceX96: bigint
  tick: number
  key?: PoolKey
}

/** A pool was created, without a usable price. Events of managers have its key. */
export interface CreatedEvent extends FromLog {
  type: 'created'
  key?: PoolKey
}

export interface PoolKey {
  currency0: Address
  currency1: Address
  /** In millionths, or the protocol's marker for a dynamic fee. */
  fee: number
  /** Null if the protocol encodes it elsewhere. */
  tickSpacing: number | null
  hooks: Address
  /** A single word, for protocols whose keys have it. */
  parameters?: Hex
}

/** Liquidity was added to (positive `delta`) or removed from a tick range. */
export interface LiquidityEvent extends FromLog {
  type: 'liquidity'
  tickLower: number
  tickUpper: number
  delta: bigint
  /** Absent if the event does not tell them. */
  amounts?: readonly [bigint, bigint]
}

/** What liquidity providers added to a pool, or removed from it. */
export interface Provided {
  isAdded: boolean
  /** In base units, not negative: of each coin of the pool, or of each of `tokens`; null if the event does not tell them. */
  amounts: readonly bigint[] | null
  tokens?: readonly Address[]
}

/** Liquidity was added to or removed from a pool whose state other events show. */
export interface ProvidedEvent extends FromLog {
  type: 'provided'
  provided: Provided
}

/** A variable fee changed. Directions that are missing keep their fee. */
export interface FeeEvent extends FromLog {
  type: 'fee'
  change: Readonly<Partial<MovingFee>>
}

export interface ProtocolFeeEvent extends FromLog {
  type: 'protocol-fee'
  /**
   * In millionths of the input before the pool's fee: the low 12 bits if token0 is paid in, the high 12 bits for
   * token1.
   */
  protocolFee: number
}

/** The amounts of a pool with a formula changed, so its state must be read again. */
export interface TouchEvent extends FromLog {
  type: 'touch'
  /** Set if liquidity providers changed them, and the event tells how much. */
  provided?: Provided
}

/**
 * A contract that pools depend on changed: their vault or factory, or the contract of a pool inside a vault. `pool` is
 * that contract; `dependenciesOf` finds the pools to touch.
 */
export interface DependencyEvent extends FromLog {
  type: 'dependency'
}

/**
 * How a pool is verified, as the event's topic shows: pairs and concentrated pools name their factory, others belong to
 * a manager or vault, and some kinds have topics of their own.
 */
export type PoolFamily = 'pair' | 'concentrated' | 'managed' | DexKind

/** A price of a reference pool with its state, or a change of its liquidity. */
export type ReferenceEvent =
  | { type: 'price'; state: EventState }
  | { type: 'liquidity'; tickLower: number; tickUpper: number; delta: bigint }

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
