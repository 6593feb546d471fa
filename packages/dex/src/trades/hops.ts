import { type Address, ZERO_ADDRESS } from '../chain.ts'
import { type Pool, type PoolAddress, tokensOf } from '../pool.ts'
import type { CoinReference, ExchangeEvent, PoolEvent, ReservesEvent, SwapEvent } from '../pool-event.ts'
import { Groups, Totals } from '../totals.ts'
import { protocolOf } from '../venues/registry.ts'
import { swapsOfJitLiquidity } from './liquidity/passing-liquidity.ts'
import { isFeeBetweenHops } from './routes.ts'
import type { Hop } from './trade.ts'

export type DropReason =
  | 'nothing-sold'
  | 'nothing-bought'
  | 'same-token'
  /** The token does not belong to the pool. */
  | 'unknown-token'
  /** The base pool of the metapool emits its own event for this exchange. */
  | 'told-by-base-pool'
  /** Shares were minted or burnt, and no other hop passed them on. */
  | 'liquidity'

export interface DroppedSwap {
  event: SwapEvent | ExchangeEvent
  reason: DropReason
}

/**
 * Returns a transaction's hops and its dropped events, both in log order. Skips events of pools that are not in `pools`
 * (the verified ones). The native coin counts as its wrapper.
 */
export function toHops(
  events: readonly PoolEvent[],
  pools: ReadonlyMap<PoolAddress, Pool>,
  wrappedNative: Address,
): { hops: Hop[]; dropped: DroppedSwap[] } {
  const found: { event: DroppedSwap['event']; hop: Hop }[] = []
  const dropped: DroppedSwap[] = []
  let previous: PoolEvent | null = null
  const ofJit = swapsOfJitLiquidity(events)
  for (const event of events) {
    // A pair's Sync comes directly before its Swap.
    const sync = previous?.type === 'reserves' && previous.pool === event.pool ? previous : null
    previous = event
    if (event.type !== 'swap' && event.type !== 'exchange') continue
    const pool = pools.get(event.pool)
    if (pool === undefined) continue
    const moved = event.type === 'swap' ? movedBySwap(event, pool) : movedByExchange(event, pool)
    if (typeof moved === 'string') {
      dropped.push({ event, reason: moved })
      continue
    }
    const nativeIn = moved.tokenIn === ZERO_ADDRESS
    const nativeOut = moved.tokenOut === ZERO_ADDRESS
    const hop: Hop = {
      pool,
      logIndex: event.logIndex,
      tokenIn: nativeIn ? wrappedNative : moved.tokenIn,
      amountIn: moved.amountIn,
      nativeIn,
      tokenOut: nativeOut ? wrappedNative : moved.tokenOut,
      amountOut: moved.amountOut,
      nativeOut,
      recipient: event.recipient ?? null,
      reservesBefore: sync === null || event.type !== 'swap' ? null : reservesBefore(event, sync),
    }
    if (hop.tokenIn === hop.tokenOut) dropped.push({ event, reason: 'same-token' })
    else {
      if (ofJit.has(event)) hop.isOfJitLiquidity = true
      found.push({ event, hop })
    }
  }
  const hops = found.map(({ hop }) => hop)
  const liquidity = liquidityHops(hops)
  if (liquidity.size === 0) return { hops, dropped }
  for (const { event, hop } of found) if (liquidity.has(hop)) dropped.push({ event, reason: 'liquidity' })
  dropped.sort((a, b) => a.event.logIndex - b.event.logIndex)
  return { hops: hops.filter((hop) => !liquidity.has(hop)), dropped }
}

type Moved = Pick<Hop, 'tokenIn' | 'amountIn' | 'tokenOut' | 'amountOut'>

/** A flash swap that is repaid in its own token is not a trade. */
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

function isOfBasePool({ sold, bought }: ExchangeEvent, { coins = [], underlying = [] }: Pool): boolean {
  if (!('underlying' in sold && 'underlying' in bought) || underlying.length <= coins.length) return false
  return sold.underlying > 0 && bought.underlying > 0
}

/** A vault's tokens are always accepted, because they may have changed since the pool was found. */
function tokenAt(pool: Pool, reference: CoinReference, isVault: boolean): Address | undefined {
  if ('coin' in reference) return pool.coins?.[reference.coin]
  if ('underlying' in reference) return pool.underlying?.[reference.underlying]
  return isVault || tokensOf(pool).includes(reference.token) ? reference.token : undefined
}

function reservesBefore(swap: SwapEvent, { reserve0, reserve1 }: ReservesEvent): readonly [bigint, bigint] {
  return [reserve0 - swap.amount0, reserve1 - swap.amount1]
}

const NONE: ReadonlySet<Hop> = new Set()

/**
 * Returns the hops that only change liquidity: the pool minted or burnt its own shares, and no other hop passed them
 * on. A wrapper (ERC-4626) counts as liquidity only if neither of its tokens is passed on.
 *
 * Removing a hop can leave other shares without a counterpart, so this repeats, each time for the tokens of the hops
 * just removed: a transaction can nest any number of pools.
 */
export function liquidityHops(hops: readonly Hop[]): ReadonlySet<Hop> {
  if (!hops.some(({ pool }) => protocolOf(pool.dex.kind).sharesOf !== undefined)) return NONE
  const liquidity = new Set<Hop>()
  /** Hops that mint or burn their pool's shares, by each token that makes them part of a route if it is passed on. */
  const sharesHops = new Groups<Address, { hop: Hop; keptBy: readonly Address[] }>()
  const given = new Totals<Address>()
  const taken = new Totals<Address>()
  for (const hop of hops) {
    taken.add(hop.tokenIn, hop.amountIn)
    given.add(hop.tokenOut, hop.amountOut)
    const keptBy = tokensToPassOn(hop)
    for (const token of keptBy) sharesHops.add(token, { hop, keptBy })
  }
  const isPassedOn = (token: Address) => isFeeBetweenHops(given.of(token), taken.of(token))
  let changed: Iterable<Address> = sharesHops.keys()
  for (;;) {
    const removed = new Set<Hop>()
    for (const token of changed) {
      if (isPassedOn(token)) continue
      for (const { hop, keptBy } of sharesHops.of(token)) {
        if (!liquidity.has(hop) && !keptBy.some(isPassedOn)) removed.add(hop)
      }
    }
    if (removed.size === 0) return liquidity
    const moved = new Set<Address>()
    for (const hop of removed) {
      liquidity.add(hop)
      taken.add(hop.tokenIn, -hop.amountIn)
      given.add(hop.tokenOut, -hop.amountOut)
      moved.add(hop.tokenIn).add(hop.tokenOut)
    }
    changed = moved
  }
}

function tokensToPassOn({ pool, tokenIn, tokenOut }: Hop): readonly Address[] {
  const shares = protocolOf(pool.dex.kind).sharesOf?.(pool)
  if (!shares || (shares.token !== tokenIn && shares.token !== tokenOut)) return []
  return shares.isWrapper ? [tokenIn, tokenOut] : [shares.token]
}
