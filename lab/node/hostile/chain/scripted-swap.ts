import { Q96, type ScriptedPool, type ScriptedState, tickAt } from './scripted-market.ts'

export interface SwapOutcome {
  /** The pool's own view: positive was paid in. */
  amount0: bigint
  amount1: bigint
  after: ScriptedState
}

/** Sells an amount to a pool; null where nothing would come out. */
export function swapIn(
  pool: ScriptedPool,
  state: ScriptedState,
  zeroForOne: boolean,
  amountIn: bigint,
): SwapOutcome | null {
  const outcome =
    state.kind === 'pair' ? swapPair(pool, state, zeroForOne, amountIn) : swapRange(state, zeroForOne, amountIn)
  const out = zeroForOne ? outcome.amount1 : outcome.amount0
  return out < 0n && amountIn > 0n ? outcome : null
}

function swapPair(
  { fee }: ScriptedPool,
  { reserve0, reserve1 }: Extract<ScriptedState, { kind: 'pair' }>,
  zeroForOne: boolean,
  amountIn: bigint,
): SwapOutcome {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const taxed = amountIn * BigInt(1_000_000 - fee)
  const amountOut = (taxed * reserveOut) / (reserveIn * 1_000_000n + taxed)
  const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  return { amount0, amount1, after: { kind: 'pair', reserve0: reserve0 + amount0, reserve1: reserve1 + amount1 } }
}

/** Without a fee and at the liquidity before: the events only have to agree with the state in them. */
function swapRange(
  { sqrtPriceX96, liquidity, ticks }: Extract<ScriptedState, { kind: 'concentrated' }>,
  zeroForOne: boolean,
  amountIn: bigint,
): SwapOutcome {
  const next = zeroForOne
    ? (liquidity * Q96 * sqrtPriceX96) / (liquidity * Q96 + amountIn * sqrtPriceX96)
    : sqrtPriceX96 + (amountIn * Q96) / liquidity
  const out = zeroForOne
    ? (liquidity * (sqrtPriceX96 - next)) / Q96
    : (liquidity * Q96 * (next - sqrtPriceX96)) / (next * sqrtPriceX96)
  const tick = tickAt(next)
  const [amount0, amount1] = zeroForOne ? [amountIn, -out] : [-out, amountIn]
  const after = { kind: 'concentrated' as const, sqrtPriceX96: next, tick, liquidity: liquidityAt(ticks, tick), ticks }
  return { amount0, amount1, after }
}

/** Adds liquidity between two ticks, or takes it away. */
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

function liquidityAt(ticks: ReadonlyMap<number, { net: bigint }>, tick: number): bigint {
  let liquidity = 0n
  for (const [at, { net }] of ticks) if (at <= tick) liquidity += net
  return liquidity
}
