import type { Address } from './chain.ts'

export interface PairState {
  kind: 'pair'
  reserve0: bigint
  reserve1: bigint
  /** Set if contracts report a fee that may change; otherwise the pool's fee applies. */
  fee?: MovingFee
}

/** Does not include ticks. */
export interface ConcentratedState {
  kind: 'concentrated'
  sqrtPriceX96: bigint
  tick: number
  /** Liquidity in range at `tick`. */
  liquidity: bigint
  fee?: MovingFee
}

/** A variable fee in millionths, as the pool last set it. */
export interface MovingFee {
  /** For swaps that pay in token0. */
  zeroForOne: number
  /** For swaps that pay in token1. */
  oneForZero: number
  /** False while swaps depend on more than liquidity and fee (a plugin, limit orders); the pool is not quoted then. */
  exact: boolean
}

export const FEE_UNITS = 1_000_000n

/** Returns the same fee for both directions, in millionths, or null if it leaves nothing to trade. */
export function feeBothWays(fee: bigint): { zeroForOne: number; oneForZero: number } | null {
  return fee < FEE_UNITS ? { zeroForOne: Number(fee), oneForZero: Number(fee) } : null
}

/**
 * State of a pool that is quoted by a formula. It is read from the chain as a whole; events only show that it changed.
 */
export interface FormulaState {
  kind: 'formula'
  /** Name of a `FormulaKind`, possibly one that another version stored. */
  formula: string
  /** In the formula's own layout, or null if the pool changed since it was read. */
  values: readonly bigint[] | null
  /** In Unix seconds, if amounts change with time alone; otherwise null. */
  freshUntil: number | null
  fee?: never
}

/** How long a state that changes with time alone stays fresh, in seconds. */
const FRESH_S = 60

/** Returns a state as read at a block. @param movesFrom the block's time if amounts change with time alone */
export function formulaState(
  formula: string,
  values: readonly bigint[],
  movesFrom: number | null = null,
): FormulaState {
  return { kind: 'formula', formula, values, freshUntil: movesFrom === null ? null : movesFrom + FRESH_S }
}

/**
 * Why a pool is not quoted: its code or a contract that sets its prices is unknown, or its hooks have rights over
 * swaps. States store the index.
 */
const REASONS = ['unknown-code', 'unknown-rate', 'hooks'] as const
export type NotQuoted = (typeof REASONS)[number]

/** Takes the place of a formula's name. */
export const NOT_QUOTED = 'not-quoted'

export function notQuoted(reason: NotQuoted): FormulaState {
  return formulaState(NOT_QUOTED, [BigInt(REASONS.indexOf(reason))])
}

/** Returns why a pool is not quoted, or null if it is quoted or its state is unknown. */
export function reasonOf(state: PoolState): NotQuoted | null {
  if (state.kind !== 'formula' || state.formula !== NOT_QUOTED) return null
  return REASONS[Number(state.values?.[0])] ?? null
}

/** Returns the Unix time at which a state that changes with time alone was read; null for other states. */
export function readTime(state: PoolState): number | null {
  return state.kind === 'formula' && state.values !== null && state.freshUntil !== null
    ? state.freshUntil - FRESH_S
    : null
}

export type EventState = PairState | ConcentratedState
export type PoolState = EventState | FormulaState

/** Returns whether amounts are not negative and fit the contract's types. */
export function isPossibleState(state: PoolState): boolean {
  if (state.kind === 'formula') return state.values !== null
  if (state.kind === 'pair') return isWithin(state.reserve0, 256n) && isWithin(state.reserve1, 256n)
  return isWithin(state.liquidity, 128n) && isWithin(state.sqrtPriceX96, 160n)
}

function isWithin(value: bigint, bits: bigint): boolean {
  return value >= 0n && value >> bits === 0n
}

/** An initialised tick: the liquidity that references it, and the net change when the price crosses it upwards. */
export interface TickLiquidity {
  tick: number
  gross: bigint
  net: bigint
}

/**
 * Returns whether these can be all ticks: the net up to the pool's tick must equal its liquidity (Uniswap V3
 * whitepaper, 6.3).
 */
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

/** A state at the end of a block. */
export interface PoolStateAt {
  pool: Address
  blockNumber: number
  state: PoolState
}

/** A tick at the end of a block; `gross` is 0 if it is no longer initialised. */
export interface TickLiquidityAt extends TickLiquidity {
  pool: Address
  blockNumber: number
}
