import { type Address, ZERO_ADDRESS } from '../chain/hex.ts'
import { type Pool, type PoolAddress, tokensOf } from '../pool.ts'
import type { CoinReference, ExchangeEvent, PoolEvent, ReservesEvent, SwapEvent } from '../pool-event.ts'
import { liquidityHops, swapsOfJitLiquidity } from './liquidity/liquidity-hops.ts'
import type { Hop } from './trade.ts'

/**
 * Why an event of a verified pool is not a hop:
 *
 * 1. nothing moved on one side, or the same token on both.
 * 2. the token does not belong to the pool.
 * 3. the base pool of a metapool emits its own event for it.
 * 4. it only moves liquidity: shares were minted or burnt for their own sake.
 */
export type DropReason =
  | 'nothing-sold'
  | 'nothing-bought'
  | 'same-token'
  | 'unknown-token'
  | 'told-by-base-pool'
  | 'liquidity'

export interface DroppedSwap {
  event: SwapEvent | ExchangeEvent
  reason: DropReason
}

/**
 * Returns the hops among a transaction's events and the dropped events, both in log order. Skips events of pools that
 * are not in `pools`: the caller has already verified pools with the factories. The native coin counts as its wrapper.
 *
 * A pair's Sync comes directly before its Swap. The reserves before the swap are therefore those of the Sync less what
 * the swap moved.
 */
export function toHops(
  events: readonly PoolEvent[],
  pools: ReadonlyMap<PoolAddress, Pool>,
  wrappedNative: Address,
): { hops: Hop[]; dropped: DroppedSwap[] } {
  const hops: Hop[] = []
  const sources: DroppedSwap['event'][] = []
  const dropped: DroppedSwap[] = []
  let before: PoolEvent | null = null
  const ofJit = swapsOfJitLiquidity(events)
  for (const event of events) {
    const sync = before?.type === 'reserves' && before.pool === event.pool ? before : null
    before = event
    if (event.type !== 'swap' && event.type !== 'exchange') continue
    const pool = pools.get(event.pool)
    if (pool === undefined) continue
    const moved = event.type === 'swap' ? movedBySwap(event, pool) : movedByExchange(event, pool)
    if (typeof moved === 'string') dropped.push({ event, reason: moved })
    else {
      const hop = toHop(event, pool, moved, wrappedNative, sync)
      if (hop.tokenIn === hop.tokenOut) dropped.push({ event, reason: 'same-token' })
      else {
        if (ofJit.has(event)) hop.isOfJitLiquidity = true
        hops.push(hop)
        sources.push(event)
      }
    }
  }
  const liquidity = liquidityHops(hops)
  if (liquidity.size === 0) return { hops, dropped }
  sources.forEach((event, i) => {
    const hop = hops[i]
    if (hop !== undefined && liquidity.has(hop)) dropped.push({ event, reason: 'liquidity' })
  })
  dropped.sort((a, b) => a.event.logIndex - b.event.logIndex)
  return { hops: hops.filter((hop) => !liquidity.has(hop)), dropped }
}

type Moved = Pick<Hop, 'tokenIn' | 'amountIn' | 'tokenOut' | 'amountOut'>

/** One token must enter the pool and the other leave it. A flash swap repaid in its own token is not a trade. */
function movedBySwap({ amount0, amount1 }: SwapEvent, { token0, token1 }: Pool): Moved | DropReason {
  if (amount0 <= 0n && amount1 <= 0n) return 'nothing-sold'
  if (amount0 >= 0n && amount1 >= 0n) return 'nothing-bought'
  return amount0 > 0n
    ? { tokenIn: token0, amountIn: amount0, tokenOut: token1, amountOut: -amount1 }
    : { tokenIn: token1, amountIn: amount1, tokenOut: token0, amountOut: -amount0 }
}

function movedByExchange(event: ExchangeEvent, pool: Pool): Moved | DropReason {
  const { sold, soldAmount, bought, boughtAmount } = event
  if (isOfBasePool(event, pool)) return 'told-by-base-pool'
  const isVault = event.family === 'managed'
  const tokenIn = tokenAt(pool, sold, isVault)
  const tokenOut = tokenAt(pool, bought, isVault)
  if (tokenIn === undefined || tokenOut === undefined) return 'unknown-token'
  if (soldAmount === 0n) return 'nothing-sold'
  if (boughtAmount === 0n) return 'nothing-bought'
  return { tokenIn, amountIn: soldAmount, tokenOut, amountOut: boughtAmount }
}

/** An exchange of two tokens of a metapool's base pool goes through that base pool, which emits its own event. */
function isOfBasePool({ sold, bought }: ExchangeEvent, { coins = [], underlying = [] }: Pool): boolean {
  if (!('underlying' in sold && 'underlying' in bought) || underlying.length <= coins.length) return false
  return sold.underlying > 0 && bought.underlying > 0
}

/** A vault's tokens are always accepted: a pool's tokens may have changed since the pool was found. */
function tokenAt(pool: Pool, reference: CoinReference, isVault: boolean): Address | undefined {
  if ('coin' in reference) return pool.coins?.[reference.coin]
  if ('underlying' in reference) return pool.underlying?.[reference.underlying]
  return isVault || tokensOf(pool).includes(reference.token) ? reference.token : undefined
}

function toHop(
  event: SwapEvent | ExchangeEvent,
  pool: Pool,
  { tokenIn, amountIn, tokenOut, amountOut }: Moved,
  wrappedNative: Address,
  sync: ReservesEvent | null,
): Hop {
  const nativeIn = tokenIn === ZERO_ADDRESS
  const nativeOut = tokenOut === ZERO_ADDRESS
  return {
    pool,
    logIndex: event.logIndex,
    tokenIn: nativeIn ? wrappedNative : tokenIn,
    amountIn,
    nativeIn,
    tokenOut: nativeOut ? wrappedNative : tokenOut,
    amountOut,
    nativeOut,
    recipient: event.recipient ?? null,
    reservesBefore:
      sync === null || event.type !== 'swap' ? null : [sync.reserve0 - event.amount0, sync.reserve1 - event.amount1],
  }
}
