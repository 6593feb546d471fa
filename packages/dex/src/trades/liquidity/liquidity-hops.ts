import type { Address } from '../../chain/hex.ts'
import type { PoolAddress } from '../../pool.ts'
import type { LiquidityEvent, PoolEvent, SwapEvent } from '../../pool-event.ts'
import { protocolOf } from '../../protocols/registry.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop } from '../trade.ts'

const NONE: ReadonlySet<Hop> = new Set()

/**
 * The hops of a transaction that are liquidity in the shape of a swap: the pool gave or took its own shares, and no
 * other hop passed them on. Shares that net to zero over the hops are a step of a route, as any token between two
 * pools; those hops stay. A wrapper of one token (ERC-4626) is liquidity only where nothing else is done with either
 * side: as the first or last step of a route it is what the trader paid or got.
 *
 * Taking a hop out can leave other shares without their counterpart (a deposit through two nested pools), so it goes on
 * until nothing changes. It goes in rounds: each is decided before any of its hops is taken out, and looks only at the
 * tokens of those that the round before took out, as anybody can nest as many pools as a transaction has room for.
 */
export function liquidityHops(hops: readonly Hop[]): ReadonlySet<Hop> {
  // Most transactions.
  if (!hops.some(hasShares)) return NONE
  const liquidity = new Set<Hop>()
  const waiting = byTokenToPassOn(hops)
  const flows = new TokenFlows(hops)
  let changed: Iterable<Address> = waiting.keys()
  for (;;) {
    const out = new Set<Hop>()
    for (const token of changed) {
      if (flows.isPassedOn(token)) continue
      for (const { hop, stays } of waiting.get(token) ?? [])
        if (!liquidity.has(hop) && !stays.some((one) => flows.isPassedOn(one))) out.add(hop)
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

function hasShares({ pool }: Hop): boolean {
  return protocolOf(pool.dex.kind).sharesOf !== undefined
}

/** Of a hop that swaps its pool's shares: the tokens of which one must go on for it to be part of a route. */
function tokensToPassOn({ pool, tokenIn, tokenOut }: Hop): readonly Address[] | null {
  const shares = protocolOf(pool.dex.kind).sharesOf?.(pool)
  if (!shares || (shares.token !== tokenIn && shares.token !== tokenOut)) return null
  return shares.isWrapper ? [tokenIn, tokenOut] : [shares.token]
}

interface SharesHop {
  hop: Hop
  stays: readonly Address[]
}

/** The hops that swap their pools' shares, by each token of which one must go on. */
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

/** What the hops that are left gave and took of each token. */
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
  if (!events.some(isTakenOut)) return NO_EVENTS
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
