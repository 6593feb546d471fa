import { liquidityAt, swapPair, swapRange } from '../pool-math.ts'
import type { ScriptedPool, ScriptedState } from './scripted-market.ts'

export interface SwapOutcome {
  /** From the pool's side: positive was paid in. */
  amount0: bigint
  amount1: bigint
  after: ScriptedState
}

/** Sells an amount to a pool. Null: the pool would pay nothing. */
export function swapIn(
  { fee }: ScriptedPool,
  state: ScriptedState,
  zeroForOne: boolean,
  amountIn: bigint,
): SwapOutcome | null {
  const outcome =
    state.kind === 'pair' ? swapPair(state, zeroForOne, amountIn, fee) : swapTicks(state, zeroForOne, amountIn)
  return outcome.amountOut > 0n && amountIn > 0n ? outcome : null
}

/** Without a fee and with the liquidity before the swap: the events only have to agree with their state. */
function swapTicks(state: Extract<ScriptedState, { kind: 'concentrated' }>, zeroForOne: boolean, amountIn: bigint) {
  const { after, ...swapped } = swapRange(state, zeroForOne, amountIn, 0)
  const { ticks } = state
  return { ...swapped, after: { ...after, liquidity: liquidityAt(ticks, after.tick), ticks } }
}

/** Adds liquidity between two ticks, or removes it. */
export function moveLiquidity(
  state: Extract<ScriptedState, { kind: 'concentrated' }>,
  lower: number,
  upper: number,
  delta: bigint,
): ScriptedState {
  const ticks = new Map(state.ticks)
  for (const [tick, net] of [
    [lower, delta],
    [upper, -delta],
  ] as const) {
    const before = ticks.get(tick) ?? { gross: 0n, net: 0n }
    const after = { gross: before.gross + delta, net: before.net + net }
    if (after.gross === 0n) ticks.delete(tick)
    else ticks.set(tick, after)
  }
  return { ...state, ticks, liquidity: liquidityAt(ticks, state.tick) }
}
