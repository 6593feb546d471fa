import type { Address } from '../../chain/hex.ts'
import type { PoolAddress } from '../../pool.ts'
import type { LiquidityEvent, PoolEvent, SwapEvent } from '../../pool-event.ts'
import { protocolOf } from '../../venues/registry.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop } from '../trade.ts'

const NONE: ReadonlySet<Hop> = new Set()

/**
 * Returns the hops that only change liquidity: the pool minted or burnt its own shares, and no other hop passed the
 * shares on. Hops stay if their shares net to zero over all hops: then the shares are a step of a route, like any token
 * between two pools. A wrapper of one token (ERC-4626) is liquidity only if neither of its tokens is used otherwise. As
 * the first or last step of a route it is what the trader paid or received.
 *
 * Removing a hop can leave other shares without a counterpart (a deposit through two nested pools), so this repeats
 * until nothing changes. Each round decides all its hops before any is removed, and checks only the tokens of hops that
 * the previous round removed. This bounds the work, because a transaction can nest any number of pools.
 */
export function liquidityHops(hops: readonly Hop[]): ReadonlySet<Hop> {
  if (!hops.some(({ pool }) => protocolOf(pool.dex.kind).sharesOf !== undefined)) return NONE
  const liquidity = new Set<Hop>()
  const waiting = byTokenToPassOn(hops)
  const flows = new TokenFlows(hops)
  let changed: Iterable<Address> = waiting.keys()
  for (;;) {
    const out = new Set<Hop>()
    for (const token of changed) {
      if (flows.isPassedOn(token)) continue
      for (const { hop, stays } of waiting.get(token) ?? [])
        if (!liquidity.has(hop) && !stays.some((text) => flows.isPassedOn(text))) out.add(hop)
    }
    if (out.size === 0) return liquidity
    const moved = new Set<Address>()
    for (const hop of out) {
      liquidity.add(hop)
      flows.takeOut(hop)
      moved.add(hop.tokenIn).add(hop.tokenOut)
    }
    changed = moved
  }
}

/** Returns the tokens of which one must be passed on to make a hop of its pool's shares part of a route. */
function tokensToPassOn({ pool, tokenIn, tokenOut }: Hop): readonly Address[] | null {
  const shares = protocolOf(pool.dex.kind).sharesOf?.(pool)
  if (!shares || (shares.token !== tokenIn && shares.token !== tokenOut)) return null
  return shares.isWrapper ? [tokenIn, tokenOut] : [shares.token]
}

interface SharesHop {
  hop: Hop
  stays: readonly Address[]
}

/** Groups the hops that swap their pools' shares by each token that may have to be passed on. */
function byTokenToPassOn(hops: readonly Hop[]): Map<Address, SharesHop[]> {
  const waiting = new Map<Address, SharesHop[]>()
  for (const hop of hops) {
    const stays = tokensToPassOn(hop) ?? []
    for (const token of stays) {
      const ofToken = waiting.get(token)
      if (ofToken === undefined) waiting.set(token, [{ hop, stays }])
      else ofToken.push({ hop, stays })
    }
  }
  return waiting
}

/** What the remaining hops gave and took of each token. */
class TokenFlows {
  readonly #flows = new Map<Address, { given: bigint; taken: bigint }>()

  constructor(hops: readonly Hop[]) {
    for (const { tokenIn, amountIn, tokenOut, amountOut } of hops) {
      this.#of(tokenIn).taken += amountIn
      this.#of(tokenOut).given += amountOut
    }
  }

  isPassedOn(token: Address): boolean {
    const { given, taken } = this.#of(token)
    return isFeeBetweenHops(given, taken)
  }

  takeOut({ tokenIn, amountIn, tokenOut, amountOut }: Hop): void {
    this.#of(tokenIn).taken -= amountIn
    this.#of(tokenOut).given -= amountOut
  }

  #of(token: Address): { given: bigint; taken: bigint } {
    let flow = this.#flows.get(token)
    if (flow === undefined) {
      flow = { given: 0n, taken: 0n }
      this.#flows.set(token, flow)
    }
    return flow
  }
}

const NO_EVENTS: ReadonlySet<PoolEvent> = new Set()

/** What a transaction added to a range of ticks, less what it removed. */
interface RangeNet {
  tickLower: number
  tickUpper: number
  /** At the current event. */
  net: bigint
  /** At the end of the transaction. */
  end: bigint
}

/**
 * Returns the swaps of a transaction that may have used liquidity which the transaction added to their pool before and
 * removed after. Such liquidity costs nothing if debts are settled at the end (Uniswap V4, Infinity) or with a flash
 * loan. So it can produce any volume at any price.
 *
 * Counts only what the transaction itself added to a range, and only the part that is there at the swap and gone at the
 * end. A moved position and one that stays do not count. The previous swap of the transaction shows where a swap began.
 *
 * @param events of one transaction, in log order
 */
export function swapsOfJitLiquidity(events: readonly PoolEvent[]): ReadonlySet<PoolEvent> {
  if (!events.some((event) => event.type === 'liquidity' && event.delta < 0n)) return NO_EVENTS
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
        if (range.net > 0n && range.net > range.end && range.tickLower <= to && range.tickUpper > from) found.add(event)
      }
      if (event.state !== null) ticks.set(event.pool, event.state.tick)
    }
  }
  return found
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

/** Returns the lowest and highest tick that a swap may have touched. A swap that pays token0 moves the price down. */
function pathOf({ state, amount0 }: SwapEvent, before: number | undefined): readonly [number, number] {
  if (state === null) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return amount0 > 0n
    ? [state.tick, before ?? Number.POSITIVE_INFINITY]
    : [before ?? Number.NEGATIVE_INFINITY, state.tick]
}
