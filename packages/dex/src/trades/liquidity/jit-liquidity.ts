import type { PoolAddress } from '../../pool.ts'
import type { LiquidityEvent, PoolEvent, SwapEvent } from '../../pool-event.ts'

const NONE: ReadonlySet<PoolEvent> = new Set()

/** What a transaction put into a range of ticks, less what it took out of it. */
interface RangeNet {
  tickLower: number
  tickUpper: number
  /** So far. */
  net: bigint
  /** By the end of the transaction. */
  end: bigint
}

/**
 * The swaps of a transaction that may have gone through liquidity which the transaction had put into their pool before
 * and took out after. Where debts are settled at the end (Uniswap V4, Infinity), and by a flash loan elsewhere, that costs
 * nobody anything, so any volume can be made of it, at any price. The part of a range that counts is what stands there at
 * the swap and no longer at the end, out of what the transaction itself put there: neither a position that is moved nor
 * one that stays. Where a swap began is known from the one before it in the transaction.
 *
 * @param events of one transaction, in log order
 */
export function swapsOfJitLiquidity(events: readonly PoolEvent[]): ReadonlySet<PoolEvent> {
  // Most transactions.
  if (!events.some(isTakenOut)) return NONE
  const pools = rangesByPool(events)
  const found = new Set<PoolEvent>()
  const ticks = new Map<PoolAddress, number>()
  for (const event of events) {
    const ranges = pools.get(event.pool)
    if (ranges === undefined) continue
    if (event.type === 'liquidity') {
      const range = ranges.get(nameOf(event))
      if (range !== undefined) range.net += event.delta
    } else if (event.type === 'swap') {
      const [from, to] = pathOf(event, ticks.get(event.pool))
      for (const range of ranges.values()) {
        if (isPassing(range) && range.tickLower <= to && range.tickUpper > from) found.add(event)
      }
      if (event.state !== null) ticks.set(event.pool, event.state.tick)
    }
  }
  return found
}

function isTakenOut(event: PoolEvent): boolean {
  return event.type === 'liquidity' && event.delta < 0n
}

function rangesByPool(events: readonly PoolEvent[]): Map<PoolAddress, Map<string, RangeNet>> {
  const pools = new Map<PoolAddress, Map<string, RangeNet>>()
  for (const event of events) {
    if (event.type !== 'liquidity') continue
    const ranges = pools.get(event.pool) ?? new Map<string, RangeNet>()
    pools.set(event.pool, ranges)
    const { tickLower, tickUpper } = event
    const range = ranges.get(nameOf(event)) ?? { tickLower, tickUpper, net: 0n, end: 0n }
    range.end += event.delta
    ranges.set(nameOf(event), range)
  }
  return pools
}

function nameOf({ tickLower, tickUpper }: LiquidityEvent): string {
  return `${tickLower} ${tickUpper}`
}

function isPassing({ net, end }: RangeNet): boolean {
  return net > 0n && net > end
}

/** The lowest and highest tick that a swap may have been at. One that pays token0 moves the price down. */
function pathOf({ state, amount0 }: SwapEvent, before: number | undefined): readonly [number, number] {
  if (state === null) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return amount0 > 0n
    ? [state.tick, before ?? Number.POSITIVE_INFINITY]
    : [before ?? Number.NEGATIVE_INFINITY, state.tick]
}
