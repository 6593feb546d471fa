import type { Address } from './chain/hex.ts'

export interface PairState {
  kind: 'pair'
  reserve0: bigint
  reserve1: bigint
  /** Set if contracts report the fee, which may change; otherwise the pool's fee applies. */
  fee?: MovingFee
}

/** State of a concentrated-liquidity pool, without its ticks. */
export interface ConcentratedState {
  kind: 'concentrated'
  sqrtPriceX96: bigint
  tick: number
  /** In-range liquidity at `tick`. */
  liquidity: bigint
  /** Set if the fee changes with the state; otherwise the pool's fee applies. */
  fee?: MovingFee
}

/** A swap fee as a pool last set it, in millionths. */
export interface MovingFee {
  /** The fee of swaps that pay token0. */
  zeroForOne: number
  /** The fee of swaps that pay token1. */
  oneForZero: number
  /** False while a swap depends on more than liquidity and fee (a plugin, limit orders): it is not quoted then. */
  exact: boolean
}

/** Fees are in millionths. */
export const FEE_UNITS = 1_000_000n

/** Returns one fee for both directions, in millionths; null if it leaves nothing to trade. */
export function feeBothWays(fee: bigint): Pick<MovingFee, 'zeroForOne' | 'oneForZero'> | null {
  return fee < FEE_UNITS ? { zeroForOne: Number(fee), oneForZero: Number(fee) } : null
}

/**
 * State of a pool that is quoted by a formula. It is read whole from the chain: events only show that it changed.
 */
export interface FormulaState {
  kind: 'formula'
  /** The name of its maths (`FormulaKind`), as an earlier or later version may have stored it. */
  formula: string
  /** What the formula needs, in its own layout. Null: the pool changed since it was read. */
  values: readonly bigint[] | null
  /** If amounts change with time alone: unix seconds after which the state is too old. Else null. */
  freshUntil: number | null
  fee?: never
}

/** How long a state that changes with time alone is used, in seconds. */
const FRESH_S = 60

/** Returns a state as read at a block. @param movesFrom the block's time, if amounts change with time alone */
export function formulaState(
  formula: string,
  values: readonly bigint[],
  movesFrom: number | null = null,
): FormulaState {
  return { kind: 'formula', formula, values, freshUntil: movesFrom === null ? null : movesFrom + FRESH_S }
}

/**
 * Why a pool is read and not quoted: its code is not known, its prices depend on a contract that is not known, or its
 * hooks have rights over swaps. Stored by its place here.
 */
const REASONS = ['unknown-code', 'unknown-rate', 'hooks'] as const
export type NotQuoted = (typeof REASONS)[number]

/** Takes the place of a formula's name in the states of such pools. */
export const NOT_QUOTED = 'not-quoted'

/** Returns the state that marks a pool as not quoted, for a reason. */
export function notQuoted(reason: NotQuoted): FormulaState {
  return formulaState(NOT_QUOTED, [BigInt(REASONS.indexOf(reason))])
}

/** Returns why a pool in this state is not quoted; null if it is, or if its state is unknown. */
export function reasonOf(state: PoolState): NotQuoted | null {
  if (state.kind !== 'formula' || state.formula !== NOT_QUOTED) return null
  return REASONS[Number(state.values?.[0])] ?? null
}

/** Returns when a state that changes with time alone was read, in unix seconds; null for other and unknown states. */
export function readTime(state: PoolState): number | null {
  return state.kind === 'formula' && state.values !== null && state.freshUntil !== null
    ? state.freshUntil - FRESH_S
    : null
}

/** A state that events contain. */
export type EventState = PairState | ConcentratedState
export type PoolState = EventState | FormulaState

/** Returns whether a pool can be in a state: amounts are not negative and fit the words of its contract. */
export function isPossibleState(state: PoolState): boolean {
  if (state.kind === 'formula') return state.values !== null
  if (state.kind === 'pair') return isWithin(state.reserve0, 256n) && isWithin(state.reserve1, 256n)
  return isWithin(state.liquidity, 128n) && isWithin(state.sqrtPriceX96, 160n)
}

function isWithin(value: bigint, bits: bigint): boolean {
  return value >= 0n && value >> bits === 0n
}

/** An initialised tick: liquidity that references it and the net change when the price crosses it upwards. */
export interface TickLiquidity {
  tick: number
  gross: bigint
  net: bigint
}

/** Returns whether these can be all ticks: the net up to the pool's tick is its liquidity (whitepaper of V3, 6.3). */
export function addsUp({ tick: current, liquidity }: ConcentratedState, ticks: readonly TickLiquidity[]): boolean {
  let below = 0n
  let all = 0n
  for (const { tick, gross, net } of ticks) {
    if (gross < net || gross < -net) return false
    if (tick <= current) below += net
    all += net
  }
  return below === liquidity && all === 0n
}

/** State of a pool at the end of a block. */
export interface PoolStateAt {
  pool: Address
  blockNumber: number
  state: PoolState
}

/** Liquidity of one tick at the end of a block; gross 0 means the tick is no longer initialised. */
export interface TickLiquidityAt extends TickLiquidity {
  pool: Address
  blockNumber: number
}
